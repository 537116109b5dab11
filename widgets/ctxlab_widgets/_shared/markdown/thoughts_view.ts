// A model's reasoning: folded, and drawn when it is opened.

import { h } from "../dom";
import { type MarkdownOptions, MarkdownView } from "./markdown_view";

export class ThoughtsView {
  readonly element = h("details", { class: "md-thoughts" });
  private readonly head = h("summary");
  private readonly view: MarkdownView;
  private shown = { text: "", open: false };

  /** `changed` is called when it is folded or unfolded: it has another height. */
  constructor(options: MarkdownOptions = {}, changed?: () => void) {
    const body = h("div");
    this.view = new MarkdownView(body, options);
    this.element.append(this.head, body);
    this.element.addEventListener("toggle", () => {
      this.draw();
      changed?.();
    });
  }

  /** `label` is a sentence such as "Thought for 6.2 s"; `open` says that more of the text will come. */
  update(text: string, label: string, { open = false }: { open?: boolean } = {}): void {
    this.head.textContent = label;
    this.shown = { text, open };
    this.element.hidden = !text;
    this.draw();
  }

  destroy(): void {
    this.view.destroy();
    this.element.remove();
  }

  private draw(): void {
    if (this.element.open) this.view.update(this.shown.text, { open: this.shown.open });
  }
}
