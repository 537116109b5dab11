// Messages from Python for a view, and the files and code that it asks Python for.

import type { Asset, ResolveAsset } from "../_shared/markdown/asset_urls";
import type { Mounted } from "../_shared/mount";
import type { FromPython } from "./payload";

type Bytes = ArrayBuffer | ArrayBufferView;

/** Calls `hear` with each message that is one of a chat's. */
export function listen(
  { model, signal }: Pick<Mounted, "model" | "signal">,
  hear: (message: FromPython, buffers: Bytes[]) => void,
): void {
  const heard = (content: unknown, buffers: unknown) => {
    const kind = (content as { kind?: unknown } | null)?.kind;
    if (typeof kind === "string") hear(content as FromPython, (buffers as Bytes[] | undefined) ?? []);
  };
  model.on("msg:custom", heard as never);
  signal.addEventListener("abort", () => model.off("msg:custom", heard as never));
}

/** How long Python may take to send a file. */
const WAIT_MS = 30_000;
const SCHEME = /^agent-asset:\/\//i;

/** Files by their ids; each is asked for once at a time. */
export class AssetAsker {
  private readonly asked = new Map<string, { found: Promise<Asset | null>; come: (asset: Asset | null) => void }>();

  /** `ask` sends the command; it gives false where nobody would answer. */
  constructor(private readonly ask: (id: string) => boolean) {}

  readonly resolve: ResolveAsset = (address) => {
    const id = SCHEME.test(address) ? address : address.replace(/^asset:(?:\/\/)?/i, "");
    const waiting = this.asked.get(id);
    if (waiting) return waiting.found;
    let come: (asset: Asset | null) => void = () => {};
    const found = new Promise<Asset | null>((done) => {
      const late = setTimeout(() => come(null), WAIT_MS);
      come = (asset) => {
        clearTimeout(late);
        this.asked.delete(id);
        done(asset);
      };
    });
    this.asked.set(id, { found, come });
    if (!this.ask(id)) come(null);
    return found;
  };

  came({ id, type }: { id: string; type: string }, buffer: Bytes | undefined): void {
    const bytes = buffer && copied(buffer);
    this.asked.get(id)?.come(bytes?.length && type ? { bytes, type } : null);
  }

  stop(): void {
    for (const { come } of [...this.asked.values()]) come(null);
  }
}

const copied = (buffer: Bytes): Uint8Array<ArrayBuffer> =>
  buffer instanceof ArrayBuffer
    ? new Uint8Array(buffer)
    : new Uint8Array(buffer.buffer.slice(buffer.byteOffset, buffer.byteOffset + buffer.byteLength) as ArrayBuffer);
