// After a change: what it did to the run, in one sentence that stays in sight, and the way back.

import { h, harmless } from "./dom";

/** As Python gives it; empty when nothing was changed here. */
export interface Effect {
  label: string;
  /** "+39 tokens; came: The compass; nothing else moved". */
  text: string;
}

export class EffectBanner {
  private readonly words = h("span", {});
  readonly element: HTMLElement;

  /** `back` is what its button does; the `label` is another one where it is no way back. */
  constructor(back: (() => void) | null, signal: AbortSignal, label = "Back") {
    const button = back && h("button", { type: "button", class: "btn small" }, label);
    if (back && button) button.addEventListener("click", back, { signal });
    this.element = h("div", { class: "effect", role: "status", hidden: true }, this.words, button);
  }

  draw(effect: Partial<Effect>): void {
    this.element.hidden = !effect.text;
    this.words.replaceChildren(h("b", {}, harmless(effect.label ?? "")), ` ${harmless(effect.text ?? "")}`);
  }
}
