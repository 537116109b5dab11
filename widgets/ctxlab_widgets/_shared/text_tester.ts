// The frame of a widget that shows a run, or tests a text of one's own: an empty state, and a field that sends its text.

import { h, harmless } from "./dom";
import type { Model, Mounted } from "./mount";

const WAIT = 250; // milliseconds without a key before a text is sent

/** What is shown, or a sentence where there is nothing to show. */
export class Frame {
  readonly element = h("div", { class: "w" });
  private readonly empty = h("p", { class: "empty" });

  showEmpty(words: string): void {
    this.empty.textContent = words;
    this.element.replaceChildren(this.empty);
  }

  /** The parts are put in once, and stay until the frame is empty. */
  showParts(parts: () => HTMLElement[]): void {
    if (this.empty.isConnected || !this.element.childElementCount) this.element.replaceChildren(...parts());
  }
}

/** A field for the trait `text`. What is typed is sent when a moment passes without a key. */
export class TextField {
  readonly element: HTMLTextAreaElement;
  private readonly model: Model;
  private waiting = 0;

  constructor({ model, signal }: Mounted, label: string, rows: number) {
    this.model = model;
    this.element = h("textarea", { rows, "aria-label": label, spellcheck: "false" });
    this.element.addEventListener("input", () => this.typed(), { signal });
    // Only a field that nobody is in takes over another text.
    this.element.addEventListener("blur", () => this.update(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
  }

  /** Takes over the text that Python has, unless somebody is typing. */
  update(): void {
    const text = String(this.model.get("text") ?? "");
    if (this.waiting || document.activeElement === this.element || this.element.value === text) return;
    this.element.value = text;
  }

  private typed(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.waiting = 0;
      this.model.send({ command: "set_text", text: this.element.value });
    }, WAIT);
  }
}

/** One line for the result, or for the error of the last command. */
export class StatusLine {
  readonly element = h("span", { class: "ink2 status", "aria-live": "polite" });

  show(error: string, result: string): void {
    this.element.textContent = harmless(error || result);
    this.element.classList.toggle("wrong", Boolean(error));
  }
}

/** A trait that is JSON text; null where it is empty. */
export function jsonTrait<T>(model: Model, name: string): T | null {
  const text = String(model.get(name) ?? "");
  return text ? (JSON.parse(text) as T) : null;
}
