// A text as it is, drawn a part at a time where it is very long.

import { h, harmless } from "../dom";
import { grouped } from "../numbers";

/** Characters that are drawn at once. */
const PART = 50_000;
/** Characters of a line: a browser lays out one of a million for seconds. */
const LINE = 2_000;

export function plainText(text: string): HTMLElement {
  const pre = h("pre", { class: "md-plain" });
  appendText(pre, text);
  return pre;
}

/** Appends the text, and behind it a button for the next part where there is more. */
export function appendText(into: HTMLElement, text: string, from = 0): void {
  const to = wholeCharacter(text, Math.min(text.length, from + PART));
  into.append(harmless(withBreaks(text.slice(from, to))));
  if (to >= text.length) return;
  const more = h("button", { type: "button", class: "btn small md-more" }, moreWords(text.length, to));
  more.addEventListener("click", () => {
    more.remove();
    appendText(into, text, to);
  });
  into.append(more);
}

const moreWords = (all: number, shown: number): string =>
  `Show ${grouped(Math.min(PART, all - shown))} more of ${grouped(all)} characters`;

const wholeCharacter = (text: string, at: number): number =>
  at < text.length && /[\udc00-\udfff]/.test(text[at]) ? at - 1 : at;

/** A place to break, invisible, after so many characters of a line. */
function withBreaks(text: string): string {
  return text.replace(new RegExp(`[^\\n]{${LINE}}(?=[^\\n])`, "gu"), "$&\u200b");
}
