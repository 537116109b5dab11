// What models are being asked beside the conversation, each with what ends the wait.

import { glyph, h, harmless } from "../_shared/dom";
import type { Aside } from "./payload";

export class AsideList {
  readonly element = h("div", { class: "asides", role: "status", hidden: true });

  constructor(private readonly giveUp: (id: string) => void) {}

  set(asides: Aside[]): void {
    this.element.hidden = !asides.length;
    this.element.replaceChildren(...asides.map((aside) => this.line(aside)));
  }

  private line({ id, label }: Aside): HTMLElement {
    const words = harmless(label);
    const button = h("button", { type: "button", class: "btn small", "aria-label": `Cancel: ${words}` }, "Cancel");
    button.addEventListener("click", () => this.giveUp(id));
    return h("div", {}, glyph("now"), h("span", {}, `${words}\u2026`), button);
  }
}
