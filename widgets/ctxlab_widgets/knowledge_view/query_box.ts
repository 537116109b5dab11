// The query: its texts with their weights, a field to ask otherwise, and what each of its words brought.

import { h, harmless } from "../_shared/dom";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { many } from "../_shared/numbers";
import type { QueryWord, View } from "./data";

export interface QueryHost {
  signal: AbortSignal;
  live: boolean;
  word: string;
  ask(text: string): void;
  choose(word: string): void;
}

export class QueryBox {
  readonly element = h("section", { class: "qry", "aria-label": "Query" });
  private readonly title = h("h3", {});
  private readonly texts = h("div", { class: "parts" });
  private readonly words = h("div", { class: "words", role: "toolbar", "aria-label": "Words of the query" });
  private readonly field = h("textarea", { rows: 2, "aria-label": "Query to ask instead", spellcheck: "false" });
  private readonly editing: HTMLElement;
  private readonly edit: HTMLElement;
  private readonly own: HTMLElement;
  private query: View["query"] | null = null;

  constructor(private readonly host: QueryHost) {
    const { signal } = host;
    this.edit = this.button("Edit", () => this.open(true));
    this.own = this.button("The conversation’s own query", () => host.ask(""));
    const buttons = [this.button("Ask", () => this.send()), this.button("Leave it", () => this.open(false))];
    this.editing = h("div", { class: "asking", hidden: true }, this.field, h("div", { class: "ways" }, buttons));
    this.field.addEventListener("keydown", (event) => this.typed(event), { signal });
    roving(this.words, () => this.chips(), { signal });
    this.element.append(
      h("div", { class: "qhead" }, this.title, this.edit, this.own),
      this.texts,
      this.editing,
      this.words,
    );
  }

  draw(view: View): void {
    const { query } = view;
    const another = this.query?.text !== query.text;
    this.query = query;
    this.element.hidden = !query.text || view.static;
    this.title.textContent = query.asked ? "Query, asked here instead of the conversation’s" : "Query";
    this.texts.replaceChildren(
      ...(query.asked ? [{ who: "", weight: "", text: query.text }] : query.parts).map(({ who, weight, text }) =>
        h(
          "p",
          { class: "qpart" },
          who && h("span", { class: "muted" }, `${harmless(who)}${query.parts.length > 1 ? ` × ${weight}` : ""}: `),
          harmless(text),
        ),
      ),
    );
    this.own.hidden = !query.asked || !this.host.live;
    if (another) this.open(false);
    this.edit.hidden = !this.host.live || !this.editing.hidden;
    this.drawWords(view.words);
  }

  /** Which word is chosen, where nothing else changed. */
  mark(): void {
    for (const chip of this.chips()) chip.setAttribute("aria-pressed", String(chip.dataset.word === this.host.word));
  }

  private drawWords(words: QueryWord[]): void {
    const had = this.words.contains(document.activeElement);
    const most = Math.max(...words.map((word) => word.share), 0);
    this.words.replaceChildren(...words.map((word) => this.chip(word, most)));
    this.words.hidden = !words.length;
    const chips = this.chips();
    const at = Math.max(
      chips.findIndex((chip) => chip.dataset.word === this.host.word),
      0,
    );
    onlyStop(chips, at);
    if (had) chips[at]?.focus();
    this.mark();
  }

  private chip({ word, pieces, share }: QueryWord, most: number): HTMLElement {
    const name = h("b", {}, harmless(word));
    if (!pieces) return h("span", { class: "word none" }, name, h("span", {}, "brought nothing"));
    const level = h("i", { class: "fill src-knowledge" });
    level.style.width = `${most ? (share / most) * 100 : 0}%`;
    const chip = h(
      "button",
      { type: "button", class: "word", "data-word": word, title: "Only pieces that it brought something to" },
      name,
      h("span", {}, `${many(pieces, "piece")}, ${Math.round(share * 100)} %`),
      h("span", { class: "lv", "aria-hidden": "true" }, level),
    );
    chip.addEventListener("click", () => this.host.choose(this.host.word === word ? "" : word));
    return chip;
  }

  private chips(): HTMLElement[] {
    return [...this.words.querySelectorAll<HTMLElement>("button")];
  }

  private button(words: string, click: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn small" }, words);
    button.addEventListener("click", click, { signal: this.host.signal });
    return button;
  }

  private open(on: boolean): void {
    const had = this.editing.contains(document.activeElement);
    this.editing.hidden = !on;
    this.texts.hidden = on;
    this.edit.hidden = on || !this.host.live;
    if (on) {
      this.field.value = this.query?.text ?? "";
      this.field.focus();
    } else if (had) this.edit.focus();
  }

  private send(): void {
    const text = this.field.value.trim();
    if (text && text !== this.query?.text) this.host.ask(text);
    else this.open(false);
  }

  private typed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) {
      taken(event);
      this.send();
    } else if (event.key === "Escape") {
      taken(event);
      this.open(false);
    }
  }
}
