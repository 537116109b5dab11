// Files of a session or agent as addresses of this page, made once per view and taken back when they are no longer shown.

/** Bytes of a file and its media type, such as `image/png`. */
export interface Asset {
  bytes: Uint8Array<ArrayBuffer>;
  type: string;
}

export type ResolveAsset = (address: string) => Promise<Asset | null>;

/** A file that can be shown: never a type that a browser would run. */
export interface AssetUrl {
  url: string;
  kind: "image" | "audio" | "video";
}

const SHOWN = /^(image|audio|video)\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml|mpeg|mp3|mp4|ogg|wav|x-wav|flac|aac|webm)$/;

export class AssetUrls {
  private readonly found = new Map<string, Promise<AssetUrl | null>>();
  private readonly urls = new Map<string, string>();

  constructor(private readonly resolve: ResolveAsset) {}

  get(address: string): Promise<AssetUrl | null> {
    let found = this.found.get(address);
    if (!found) {
      found = this.made(address);
      this.found.set(address, found);
    }
    return found;
  }

  /** Takes back all but these. */
  keep(addresses: Set<string>): void {
    for (const address of [...this.found.keys()]) {
      if (addresses.has(address)) continue;
      this.found.delete(address);
      const url = this.urls.get(address);
      this.urls.delete(address);
      if (url) URL.revokeObjectURL(url);
    }
  }

  private async made(address: string): Promise<AssetUrl | null> {
    const asset = await this.resolve(address).catch(() => null);
    const kind = asset && (SHOWN.exec(asset.type)?.[1] as AssetUrl["kind"] | undefined);
    if (!kind || !this.found.has(address)) return null;
    const url = URL.createObjectURL(new Blob([asset.bytes], { type: asset.type }));
    this.urls.set(address, url);
    return { url, kind };
  }
}
