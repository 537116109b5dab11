import { h } from "./dom";

/** Saves what Python sent as a file of this name. */
export function download(name: string, data: DataView, type = "application/octet-stream"): void {
  const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength) as ArrayBuffer;
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
