// A few choices side by side, of which one holds: one tab stop, the arrows choose.

import { h } from "./dom";
import { onlyStop, roving } from "./keyboard";

export interface Radios {
  element: HTMLElement;
  /** Shows which choice holds; tells nobody. */
  set(value: string): void;
  /** Gives a choice other words, such as a count that changed. */
  label(value: string, words: string): void;
}

export function radios(
  label: string,
  options: Record<string, string>,
  chosen: (value: string) => void,
  signal: AbortSignal,
): Radios {
  const all = Object.entries(options).map(([value, words]) =>
    h("button", { type: "button", class: "btn", role: "radio", "data-value": value }, words),
  );
  const element = h("div", { class: "group", role: "radiogroup", "aria-label": label }, all);
  const pick = (to: HTMLElement) => {
    set(to.dataset.value!);
    chosen(to.dataset.value!);
  };
  const set = (value: string) => {
    for (const each of all) each.setAttribute("aria-checked", String(each.dataset.value === value));
    onlyStop(
      all,
      all.findIndex((each) => each.dataset.value === value),
    );
  };
  roving(element, () => all, { signal, onmove: (to) => pick(all[to]) });
  for (const each of all) each.addEventListener("click", () => pick(each), { signal });
  return {
    element,
    set,
    label: (value, words) => all.find((each) => each.dataset.value === value)?.replaceChildren(words),
  };
}
