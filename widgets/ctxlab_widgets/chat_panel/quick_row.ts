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

export class QuickRow {
  readonly element = h("div", { class: "qa", role: "toolbar", hidden: true });
  private readonly label = h("span", { class: "muted" });
  private buttons: HTMLElement[] = [];

  constructor(label: string, signal: AbortSignal) {
    this.label.textContent = label;
    this.element.setAttribute("aria-label", label);
    roving(this.element, () => this.buttons, { signal });
  }

  /** `words` are labels with what to say on hover; `press` gets the place of the one that was pressed. */
  set(words: { label: string; title: string }[], press: (at: number) => void): void {
    this.buttons = words.map(({ label, title }, i) => {
      const button = h("button", { type: "button", class: "btn", title: harmless(title) }, harmless(label));
      button.addEventListener("click", () => press(i));
      return button;
    });
    if (this.buttons.length) onlyStop(this.buttons, 0);
    this.element.replaceChildren(this.label, ...this.buttons);
    this.element.hidden = !this.buttons.length;
  }
}
