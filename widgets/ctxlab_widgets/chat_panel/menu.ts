// A menu at a button, one at a time: arrows move, Enter chooses, Esc gives the focus back.

import { h, harmless } from "../_shared/dom";
import { moved, taken } from "../_shared/keyboard";

export interface MenuItem {
  label: string;
  hint?: string;
  /** Of a list of choices: whether it is the one that holds. */
  chosen?: boolean;
  act: () => void;
}

export class Menu {
  private element: HTMLElement | null = null;
  private at: HTMLElement | null = null;

  /** `frame` holds the menu; `close` is told when it goes. */
  constructor(
    private readonly frame: HTMLElement,
    signal: AbortSignal,
  ) {
    const away = (event: Event) => {
      const { target } = event;
      if (this.element && target instanceof Node && !this.element.contains(target) && !this.at?.contains(target))
        this.close(false);
    };
    frame.ownerDocument.addEventListener("pointerdown", away, { signal });
  }

  get isOpen(): boolean {
    return this.element !== null;
  }

  /** Opens at a button, or closes there; a label that `isAsked` stands over the items for all to see. */
  open(at: HTMLElement, label: string, items: MenuItem[], isAsked = false): void {
    const again = this.at === at;
    this.close(false);
    if (again || !items.length) return;
    const choices = items.filter(({ chosen }) => chosen !== undefined).length;
    const isChoice = choices === items.length;
    const buttons = items.map(({ label: words, hint, chosen, act }) => {
      const role = isChoice ? "option" : chosen === undefined ? "menuitem" : "menuitemradio";
      const held = chosen === undefined ? {} : { [isChoice ? "aria-selected" : "aria-checked"]: String(chosen) };
      const button = h(
        "button",
        { type: "button", role, tabindex: -1, ...held },
        h("span", {}, harmless(words)),
        hint && h("span", { class: "muted" }, harmless(hint)),
      );
      button.addEventListener("click", () => {
        this.close(true);
        act();
      });
      return button;
    });
    const asked = isAsked && h("p", { class: "asked", role: "presentation" }, harmless(label));
    const role = isChoice ? "listbox" : "menu";
    const menu = h("div", { class: "menu", role, "aria-label": harmless(label) }, asked, buttons);
    menu.addEventListener("keydown", (event) => this.pressed(event, buttons));
    menu.addEventListener("focusout", (event) => {
      if (event.relatedTarget && !menu.contains(event.relatedTarget as Node)) this.close(false);
    });
    this.element = menu;
    this.at = at;
    at.setAttribute("aria-expanded", "true");
    this.frame.append(menu);
    this.put(menu, at);
    buttons[
      Math.max(
        0,
        items.findIndex(({ chosen }) => chosen),
      )
    ].focus({ preventScroll: true });
  }

  close(givesBack: boolean): void {
    const { element, at } = this;
    if (!element) return;
    this.element = this.at = null;
    at?.setAttribute("aria-expanded", "false");
    element.remove();
    if (givesBack) at?.focus({ preventScroll: true });
  }

  /** Below the button, above it where there is more room, and never beside the frame. */
  private put(menu: HTMLElement, at: HTMLElement): void {
    const [frame, button] = [this.frame.getBoundingClientRect(), at.getBoundingClientRect()];
    const [width, height] = [menu.offsetWidth, menu.offsetHeight];
    const below = frame.bottom - button.bottom;
    const isBelow = below > height + 8 || below >= button.top - frame.top;
    const left = Math.min(button.left - frame.left, frame.width - width - 8);
    menu.style.left = `${Math.max(0, left)}px`;
    menu.style.top = `${isBelow ? button.bottom - frame.top + 2 : Math.max(0, button.top - frame.top - height - 2)}px`;
    menu.style.maxHeight = `${Math.max(96, (isBelow ? below : button.top - frame.top) - 8)}px`;
  }

  private pressed(event: KeyboardEvent, buttons: HTMLElement[]): void {
    const to = moved(event.key, buttons.indexOf(event.target as HTMLElement), buttons.length, true);
    if (to !== null) buttons[to].focus();
    else if (event.key === "Escape") this.close(true);
    else if (event.key === "Tab") this.close(true);
    if (event.key !== "Enter" && event.key !== " " && event.key !== "Tab") taken(event);
  }
}
