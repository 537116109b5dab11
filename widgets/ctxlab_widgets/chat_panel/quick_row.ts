// Quick actions over the field: a toolbar of one tab stop, and their keys.

import { h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import type { Quick } from "./payload";

/** The action that Alt and a digit mean: the one that has this key, else the one in this place among those without. */
export function quickOfDigit(quick: Quick[], digit: number): Quick | undefined {
  const keyed = quick.find(({ hotkey }) => hotkey.toLowerCase().replaceAll(" ", "") === `alt+${digit}`);
  const nth = quick[digit - 1];
  return keyed ?? (nth?.hotkey ? undefined : nth);
}

/** Neighbours of the same origin, in their order. */
export function runsOf(origins: string[]): { from: string; start: number; end: number }[] {
  const found: { from: string; start: number; end: number }[] = [];
  origins.forEach((from, i) => {
    const last = found.at(-1);
    if (last?.from === from) last.end = i + 1;
    else found.push({ from, start: i, end: i + 1 });
  });
  return found;
}

export class QuickRow {
  readonly element = h("div", { class: "qa", role: "toolbar", hidden: true });
  private readonly label = h("span", { class: "muted" });
  private buttons: HTMLElement[] = [];

  constructor(label: string, signal: AbortSignal) {
    this.label.textContent = label;
    this.element.setAttribute("aria-label", label);
    roving(this.element, () => this.buttons, { signal });
  }

  /**
   * `words` are labels with what to say on hover and whose they are, which is said where they are of several;
   * `press` gets the place of the one that was pressed.
   */
  set(words: { label: string; title: string; from?: string }[], press: (at: number) => void): void {
    this.buttons = words.map(({ label, title }, i) => {
      const button = h("button", { type: "button", class: "btn", title: harmless(title) }, harmless(label));
      button.addEventListener("click", () => press(i));
      return button;
    });
    if (this.buttons.length) onlyStop(this.buttons, 0);
    const groups = runsOf(words.map(({ from }) => from ?? ""));
    const parts = groups.map(({ from, start, end }) => {
      const label = harmless(from);
      const buttons = this.buttons.slice(start, end);
      return h(
        "span",
        { class: "set", role: "group", "aria-label": label },
        h("span", { class: "muted" }, label),
        buttons,
      );
    });
    this.element.replaceChildren(this.label, ...(parts.length > 1 ? parts : this.buttons));
    this.element.hidden = !this.buttons.length;
  }
}
