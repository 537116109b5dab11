// Thoughts within the reply limit, as a bar: what is beyond the limit hangs outside.

import { h } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import { barOf } from "./payload";

export function limitBar(tokens: { thinking: number; limit: number }): HTMLElement {
  const { thinking, limit, words, over } = barOf(tokens);
  const label = `thinking ${grouped(tokens.thinking)}, reply limit ${grouped(tokens.limit)}: ${words}`;
  const at = (share: number) => `${share.toFixed(2)}%`;
  const place = (element: HTMLElement, style: Partial<CSSStyleDeclaration>) => {
    Object.assign(element.style, style);
    return element;
  };
  return h(
    "div",
    { class: over ? "lim over" : "lim", role: "img", "aria-label": label, title: label },
    place(h("i", { class: "tr" }), { width: at(Math.max(thinking, limit)) }),
    place(h("i", { class: "th" }), { width: at(thinking) }),
    place(h("i", { class: "rp" }), { left: at(limit) }),
    h("span", { class: "a" }, `thinking ${grouped(tokens.thinking)}`),
    place(h("span", { class: "b" }, words), { left: `calc(${at(Math.max(thinking, limit))} + 6px)` }),
    place(h("span", { class: "c" }, `reply limit ${grouped(tokens.limit)}`), { left: `calc(${at(limit)} + 6px)` }),
  );
}
