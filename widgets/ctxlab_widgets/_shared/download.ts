// A file that Python sent, saved by the browser.

import { h } from "./dom";

/** Saves bytes under a name; they are never opened as a page. */
export function download(name: string, data: ArrayBuffer | ArrayBufferView, type = "application/octet-stream"): void {
  const view = ArrayBuffer.isView(data) ? data : new DataView(data);
  const bytes = view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
  const url = URL.createObjectURL(new Blob([bytes], { type }));
  h("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}
