// The head of the tree: its name, the search box and the buttons.

import { h, harmless } from "../_shared/dom";
import type { TreeFacts } from "./host";

const KEYS: Record<string, string> = { undo: "Ctrl+Z", redo: "Ctrl+Shift+Z" };

export interface HeadActions {
  readonly live: boolean;
  readonly signal: AbortSignal;
  goToLeaf(): void;
  edit(): void;
  undo(): void;
  redo(): void;
}

export class TreeHead {
  readonly element: HTMLElement;
  private readonly buttons = new Map<string, HTMLButtonElement>();

  constructor(
    search: HTMLElement,
    private readonly can: HeadActions,
  ) {
    const all = [this.button("leaf", "Active leaf", "A", () => can.goToLeaf())];
    if (can.live) {
      all.push(this.button("edit", "Edit", "E", () => can.edit()));
      all.push(this.button("undo", "Undo", "", () => can.undo()));
      all.push(this.button("redo", "Redo", "", () => can.redo()));
    }
    const tools = h("div", { class: "tools" }, all);
    this.element = h("div", { class: "head" }, h("h2", {}, "Branches"), search, h("span", { class: "sp" }), tools);
  }

  draw(facts: TreeFacts, hasMessages: boolean): void {
    this.enable("undo", facts.undo !== null, facts.undo);
    this.enable("redo", facts.redo !== null, facts.redo);
    for (const name of ["leaf", "edit"]) this.enable(name, hasMessages);
  }

  private button(name: string, label: string, title: string, does: () => void): HTMLButtonElement {
    const made = h("button", { type: "button", class: "btn", title }, label);
    const click = () => made.getAttribute("aria-disabled") !== "true" && does();
    made.addEventListener("click", click, { signal: this.can.signal });
    this.buttons.set(name, made);
    return made;
  }

  private enable(name: string, on: boolean, what: string | null = null): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
    if (KEYS[name]) button.title = what ? `${harmless(what)} (${KEYS[name]})` : KEYS[name];
  }
}
