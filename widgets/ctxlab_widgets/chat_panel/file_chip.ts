// A file of a message: its small picture or the sign of its kind, its name, and what the model gets of it.

import { glyph, h, harmless } from "../_shared/dom";
import type { Sign } from "../_shared/glyphs";
import type { FileChip } from "./payload";

const SIGNS: Record<FileChip["kind"], Sign> = {
  picture: ["M3.6 3.2a1 1 0 1 0 0 2a1 1 0 0 0 0-2z", ["M1 2h10v8H1zM1 9l3-2.6 2 1.6 2.6-3L11 8", 1.2]],
  sound: ["", ["M1.5 5v2M3.75 3v6M6 1.2v9.6M8.25 3.4v5.2M10.5 5v2", 1.3]],
  film: ["M5 4v4l3.4-2z", ["M1 2h10v8H1z", 1.2]],
  document: ["", ["M2.5 1h4.7l2.3 2.3V11h-7zM4.2 5.2h3.6M4.2 7h3.6M4.2 8.8h2.4", 1.1]],
  other: ["", ["M2.5 1h4.7l2.3 2.3V11h-7z", 1.2]],
};

/** Only bytes that can be a picture which Python drew: never a link, never SVG. */
const PICTURE = /^data:image\/(?:png|webp|jpeg);base64,[A-Za-z0-9+/]+=*$/;

/** `tools` are buttons behind its words, such as one that takes it off. */
export function fileChip(file: FileChip, tools: HTMLElement[] = []): HTMLElement {
  const { name, facts, kind, state, thumbnail = "" } = file;
  const face = PICTURE.test(thumbnail)
    ? h("img", { src: thumbnail, alt: "", draggable: "false" })
    : glyph(SIGNS[kind] ?? SIGNS.other);
  const words = harmless(facts);
  return h(
    "div",
    { class: `filec src-attachment ${state}`, role: "group", "aria-label": `${harmless(name)}: ${words}` },
    h("span", { class: "th0", "aria-hidden": "true" }, face),
    h(
      "span",
      { class: "fw" },
      h("span", { class: "fn" }, glyph(state === "refused" ? "failed" : "attachment"), h("b", {}, harmless(name))),
      h("span", { class: state === "refused" ? "err" : "ink2" }, words),
    ),
    tools,
  );
}

export const fileGrid = (files: FileChip[]): HTMLElement =>
  h(
    "div",
    { class: "files" },
    files.map((file) => fileChip(file)),
  );
