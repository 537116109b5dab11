// What could come next at the caret, as a list over the field: arrows move, Enter and Tab take, Esc closes.

import { h, harmless } from "../_shared/dom";
import type { Completion } from "./payload";

type Item = Completion["items"][number];

/** The text with a suggestion in it, and the caret behind; null where it is of another text. */
export function completed(
  { text, caret }: Completion,
  item: Item,
  now: { text: string; caret: number },
): { text: string; caret: number } | null {
  if (text !== now.text || caret !== now.caret || item.replace > caret || item.replace < 0) return null;
  const front = text.slice(0, caret - item.replace) + item.insert;
  return { text: front + text.slice(caret), caret: front.length };
}

export class CompletionList {
  readonly element: HTMLElement;
  private completion: Completion | null = null;
  private at = 0;

  /** `id` is the element's; `taken` gets the suggestion that was chosen. */
  constructor(
    private readonly id: string,
    private readonly area: HTMLTextAreaElement,
    private readonly taken: (completion: Completion, item: Item) => void,
  ) {
    this.element = h("div", { class: "comp", role: "listbox", id, "aria-label": "Suggestions", hidden: true });
    area.setAttribute("aria-controls", id);
    area.setAttribute("aria-autocomplete", "list");
  }

  get isOpen(): boolean {
    return this.completion !== null;
  }

  open(completion: Completion): void {
    if (!completion.items.length) {
      this.close();
      return;
    }
    this.completion = completion;
    const options = completion.items.map(({ label, hint }, i) => {
      const option = h(
        "div",
        { role: "option", id: `${this.id}-${i}` },
        h("span", {}, harmless(label)),
        hint && h("span", { class: "muted" }, harmless(hint)),
      );
      option.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        this.take(i);
      });
      return option;
    });
    this.element.replaceChildren(...options);
    this.element.hidden = false;
    this.mark(0);
  }

  close(): void {
    this.completion = null;
    this.element.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
  }

  /** Says whether the key was the list's. */
  pressed({ key, isComposing }: KeyboardEvent): boolean {
    const { completion } = this;
    const at = this.at;
    if (!completion || isComposing) return false;
    const count = completion.items.length;
    if (key === "ArrowDown") this.mark((at + 1) % count);
    else if (key === "ArrowUp") this.mark((at + count - 1) % count);
    else if (key === "Enter" || key === "Tab") this.take(at);
    else if (key === "Escape") this.close();
    else return false;
    return true;
  }

  private mark(at: number): void {
    this.at = at;
    for (const [i, option] of [...this.element.children].entries()) {
      option.setAttribute("aria-selected", String(i === at));
      if (i === at) option.scrollIntoView({ block: "nearest" });
    }
    this.area.setAttribute("aria-activedescendant", `${this.id}-${at}`);
  }

  private take(at: number): void {
    const { completion } = this;
    this.close();
    if (completion) this.taken(completion, completion.items[at]);
  }
}
