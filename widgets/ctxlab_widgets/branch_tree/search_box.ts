// The search box with the number of hits and the current one.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import type { TreeHost } from "./host";

const WAIT = 150;

export class SearchBox {
  readonly input = h("input", {
    type: "search",
    class: "field",
    "aria-label": "Find in messages",
    placeholder: "Find",
    title: "/",
    autocomplete: "off",
    spellcheck: "false",
  });
  readonly element: HTMLElement;
  hits: string[] = [];
  /** Place in `hits`; -1 where there are none. */
  at = -1;
  private readonly count = h("span", { class: "muted count", role: "status" });
  private readonly arrows: HTMLButtonElement[];
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private query = "";

  constructor(
    private readonly host: TreeHost,
    /** Go to the hit; with `choose` it is selected too. */
    private readonly go: (choose: boolean) => void,
  ) {
    const { signal } = host;
    const arrow = (label: string, sign: string, title: string, by: number) => {
      const button = h("button", { type: "button", class: "btn", "aria-label": label, title }, sign);
      button.addEventListener("click", () => this.step(by), { signal });
      return button;
    };
    this.arrows = [arrow("Previous hit", "‹", "Shift+Enter", -1), arrow("Next hit", "›", "Enter", 1)];
    this.element = h(
      "div",
      { class: "find", role: "search" },
      this.input,
      this.count,
      h("div", { class: "group" }, this.arrows),
    );
    this.input.addEventListener("input", () => this.typed(), { signal });
    this.input.addEventListener("keydown", (event) => this.pressed(event), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
    this.draw();
  }

  get hit(): string | null {
    return this.hits[this.at] ?? null;
  }

  /** What was found; the hit where it stood stays the current one if it is still there. */
  take(text: string, hits: string[]): void {
    const again = text === this.query;
    const before = this.hit;
    this.hits = hits;
    this.at = Math.max(again && before !== null ? hits.indexOf(before) : 0, 0);
    if (!hits.length) this.at = -1;
    this.query = text;
    if (document.activeElement !== this.input && !this.waiting) this.input.value = text;
    this.draw();
    if (!again && hits.length) this.go(false);
  }

  private typed(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.seek(), WAIT);
  }

  private seek(): void {
    clearTimeout(this.waiting);
    this.waiting = undefined;
    const text = this.input.value;
    if (this.host.live) this.host.send({ command: "find", text });
    else this.take(text, foundIn(this.host, text));
  }

  private step(by: number): void {
    if (!this.hits.length) return;
    this.at = (this.at + by + this.hits.length) % this.hits.length;
    this.draw();
    this.go(true);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      if (this.waiting || this.input.value !== this.query) this.seek();
      else this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "Escape") {
      this.input.value = "";
      if (this.query) this.seek();
      this.host.focus();
    } else return;
    taken(event);
  }

  private draw(): void {
    const { hits, at, query } = this;
    const words = hits.length ? `${grouped(at + 1)} of ${grouped(hits.length)}` : query.trim() ? "none" : "";
    this.count.replaceChildren(words);
    for (const each of this.arrows) each.setAttribute("aria-disabled", String(!hits.length));
  }
}

/** In a report nobody knows the messages' whole words: what is drawn is searched, and the ids. */
function foundIn({ tree }: TreeHost, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return [];
  return tree.keys.filter((key) => {
    const i = tree.signOf.get(key)!;
    const label = tree.keys[tree.first[i]] === key ? tree.labels[i] : "";
    return key.toLowerCase().includes(wanted) || label.toLowerCase().includes(wanted);
  });
}
