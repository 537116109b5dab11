// A message's words as paragraphs of plain text: of a text that grows only the last paragraph is written anew.

import { h, harmless } from "../_shared/dom";
import type { TextView } from "./list_host";

/** Paragraphs: what stands between empty lines. */
export const paragraphs = (text: string): string[] => text.split(/\n[ \t]*\n\s*/).filter((each) => each.trim());

export class PlainText implements TextView {
  private drawn: { text: string; element: HTMLElement }[] = [];

  constructor(private readonly host: HTMLElement) {}

  update(text: string): void {
    const words = paragraphs(text);
    for (const [i, each] of words.entries()) {
      const known = this.drawn[i];
      if (known?.text === each) continue;
      const element = known?.element ?? this.host.appendChild(h("p", { class: "plain", dir: "auto" }));
      element.textContent = harmless(each);
      this.drawn[i] = { text: each, element };
    }
    for (const { element } of this.drawn.splice(words.length)) element.remove();
  }

  destroy(): void {
    this.host.replaceChildren();
    this.drawn = [];
  }
}
