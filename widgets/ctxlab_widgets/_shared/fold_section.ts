// A part of a form under a heading that opens and closes it.

import { h, harmless } from "./dom";

export class FoldSection {
  readonly element: HTMLElement;
  readonly inside = h("div", {});
  private readonly note = h("span", { class: "muted" });
  private readonly title: HTMLButtonElement;
  private isOpen = false;

  /** `noteOf` says what stands beside the heading while it is open, and while it is closed. */
  constructor(
    title: string,
    signal: AbortSignal,
    private readonly noteOf: (isOpen: boolean) => string,
  ) {
    this.title = h("button", { type: "button", class: "fold" }, h("b", {}, harmless(title)));
    this.title.addEventListener("click", () => this.open(!this.isOpen), { signal });
    const head = h("h3", {}, this.title, this.note);
    this.element = h("section", { class: "fg", "aria-label": harmless(title) }, head, this.inside);
  }

  open(is: boolean): void {
    this.isOpen = is;
    this.inside.hidden = !is;
    this.title.setAttribute("aria-expanded", String(is));
    this.element.classList.toggle("closed", !is);
    this.update();
  }

  update(): void {
    this.note.textContent = harmless(this.noteOf(this.isOpen));
  }
}
