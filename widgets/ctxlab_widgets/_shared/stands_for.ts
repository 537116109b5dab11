// What a summary stands for: one line that opens to the first words of each message.

import { h, harmless } from "./dom";

export interface StandsFor {
  words: string;
  first: [id: string, words: string][];
  more: number;
}

/** `open` are the ids of those that are open; it is kept for the next drawing. */
export function standsFor(what: StandsFor | null | undefined, id: string, open: Set<string>): HTMLElement | null {
  if (!what) return null;
  const line = h(
    "details",
    { class: "stands", open: open.has(id) },
    h("summary", {}, harmless(what.words)),
    what.first.map(([key, words]) => h("div", {}, h("b", {}, harmless(key)), ` ${harmless(words)}`)),
    what.more > 0 && h("div", {}, `${what.more} more`),
  );
  line.addEventListener("toggle", () => (line.open ? open.add(id) : open.delete(id)));
  return line;
}
