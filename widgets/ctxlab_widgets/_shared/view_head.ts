// The head of a view: its name and controls, below them the one sentence to read first, and the keys on demand.

import { type Child, h } from "./dom";
import { isSingle, taken } from "./keyboard";
import type { Mounted } from "./mount";

/** Keys as people write them, such as "Shift+N", and what they do. */
export type KeyList = readonly (readonly [keys: string, does: string])[];

export class ViewHead {
  private readonly sentence = h("p", { class: "answer", "aria-live": "polite" });
  private readonly list: HTMLElement;
  private readonly button = h("button", {
    type: "button",
    class: "btn keys",
    title: "Keys of this view (?)",
    "aria-label": "Keys of this view",
    "aria-expanded": "false",
  });
  readonly element: HTMLElement;

  constructor(title: string, tools: Child[], keys: KeyList, { root, signal }: Pick<Mounted, "root" | "signal">) {
    this.button.append("?");
    this.list = h(
      "dl",
      { class: "keylist", hidden: true },
      keys.map(([keys, does]) => h("div", {}, h("dt", {}, keys), h("dd", {}, does))),
    );
    const bar = h("div", { class: "bar" }, h("h2", {}, title), tools, keys.length > 0 && this.button);
    this.element = h("div", { class: "head" }, bar, this.sentence, this.list);
    this.button.addEventListener("click", () => this.toggle(), { signal });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Puts the sentence there; `wrong` says that it tells of an error. */
  answer(words: Child, wrong = false): void {
    this.sentence.replaceChildren(...h("p", {}, words).childNodes);
    this.sentence.classList.toggle("wrong", wrong);
  }

  private toggle(): void {
    this.list.hidden = !this.list.hidden;
    this.button.setAttribute("aria-expanded", String(!this.list.hidden));
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === "?" && isSingle(event)) {
      taken(event);
      this.toggle();
    } else if (event.key === "Escape" && !this.list.hidden) {
      taken(event);
      this.toggle();
    }
  }
}
