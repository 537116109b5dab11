// A text with what came and went in it.

import { h, harmless } from "../_shared/dom";
import { type Piece, withBreaks } from "./rules";

export function markedText(pieces: Piece[], label: string): HTMLElement {
  // It may scroll: the arrow keys need somewhere to be.
  const text = h("div", { class: "words", tabindex: 0, role: "group", "aria-label": harmless(label) });
  text.append(...pieces.map(piece));
  return text;
}

function piece([sign, text]: Piece): Node {
  if (sign === "-") return h("del", {}, withBreaks(harmless(text)));
  if (sign === "+") return h("ins", {}, withBreaks(harmless(text)));
  if (sign === "~") return h("span", { class: "tag out" }, harmless(text));
  return document.createTextNode(harmless(text));
}
