// A file of a message: its small picture or the sign of its kind, what it is, and what the model gets of it.

import { fileSentence, type ShownFile, sentWords } from "./attachments";
import { glyph, h, harmless } from "./dom";
import type { Sign } from "./glyphs";
import { many } from "./numbers";

const SIGNS: Record<string, Sign> = {
  image: ["M3.6 3.2a1 1 0 1 0 0 2a1 1 0 0 0 0-2z", ["M1 2h10v8H1zM1 9l3-2.6 2 1.6 2.6-3L11 8", 1.2]],
  audio: ["", ["M1.5 5v2M3.75 3v6M6 1.2v9.6M8.25 3.4v5.2M10.5 5v2", 1.3]],
  video: ["M5 4v4l3.4-2z", ["M1 2h10v8H1z", 1.2]],
  document: ["", ["M2.5 1h4.7l2.3 2.3V11h-7zM4.2 5.2h3.6M4.2 7h3.6M4.2 8.8h2.4", 1.1]],
  text: ["", ["M1.5 2.5h9M1.5 5h9M1.5 7.5h9M1.5 10h5", 1.2]],
  other: ["", ["M2.5 1h4.7l2.3 2.3V11h-7z", 1.2]],
};

const tokens = (n: number): string => many(n, "token");

/** `open` are the ids of those whose reason is shown; it is kept for the next drawing. `changed`: it has another height. */
export function attachmentChip(shown: ShownFile, id: string, open: Set<string>, changed?: () => void): HTMLElement {
  const { file, moment, thumb } = shown;
  const about = moment === "stored" ? (file.stored ?? file.about) : file.about;
  const problem = moment !== "stored" && file.problem;
  const why = moment === "cut" ? file.cut : moment === "sent" ? file.reason : "";
  const picture = thumb
    ? h("img", { src: thumb, alt: "", draggable: "false" })
    : glyph(SIGNS[file.kind] ?? SIGNS.other);
  const face = [
    h("span", { class: "att-t", "aria-hidden": "true" }, picture),
    h(
      "span",
      { class: "att-w" },
      h(
        "span",
        { class: "att-n" },
        glyph("attachment"),
        h("b", { title: harmless(file.name) }, harmless(file.name)),
        about && h("span", { class: "ink2" }, harmless(about)),
      ),
      h(
        "span",
        { class: "att-s" },
        moment === "cut" && glyph("cut"),
        harmless(sentWords(shown, tokens)),
        why && h("span", { class: "att-o", "aria-hidden": "true" }, "\u203a"),
      ),
      problem && h("span", { class: "att-p" }, glyph("warning"), harmless(problem)),
    ),
  ];
  const cls = `att src-attachment ${moment}`;
  if (!why) return h("div", { class: cls, role: "group", "aria-label": harmless(fileSentence(shown, tokens)) }, face);
  const head = h("summary", { tabindex: -1, title: harmless(why) }, face);
  const chip = h(
    "details",
    { class: cls, open: open.has(id), "data-file": id },
    head,
    h("p", { class: "att-y" }, harmless(why)),
  );
  chip.addEventListener("toggle", () => {
    if (chip.open === open.has(id)) return;
    if (chip.open) open.add(id);
    else open.delete(id);
    changed?.();
  });
  return chip;
}

/** The files of a message below each other, or beside each other where there is room; null where it has none. */
export function attachmentChips(
  files: ShownFile[],
  id: string,
  open: Set<string>,
  changed?: () => void,
): HTMLElement | null {
  if (!files.length) return null;
  return h(
    "div",
    { class: "atts" },
    files.map((each, i) => attachmentChip(each, `${id}:${i}`, open, changed)),
  );
}

/** The key F on a message: the reasons of all its files, or none of them. */
export function toggleReasons(message: Element): boolean {
  const all = [...message.querySelectorAll<HTMLDetailsElement>("details.att")];
  const on = all.some((each) => !each.open);
  for (const each of all) each.open = on;
  return all.length > 0;
}
