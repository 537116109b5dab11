// The search box with the number of hits and the current one; the hits themselves are a list of their own.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { HitList } from "./hit_list";
import type { Snippet, TreeHost } from "./host";

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
  readonly list: HitList;
  hits: string[] = [];
  /** Place in `hits`; -1 where there are none. */
  at = -1;
  /** The list is closed, and the hits are only hinted at. */
  isDone = false;
  private snippets: Snippet[] = [];
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
    this.list = new HitList(
      () => host.tree,
      (place) => this.goTo(place),
      signal,
    );
    this.element = h(
      "div",
      { class: "find", role: "search" },
      this.input,
      this.count,
      h("div", { class: "group" }, this.arrows),
    );
    this.input.addEventListener("input", () => this.typed(), { signal });
    this.input.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.input.addEventListener("focus", () => this.reopen(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
    this.draw();
  }

  get hit(): string | null {
    return this.hits[this.at] ?? null;
  }

  /** What was found; the hit where it stood stays the current one if it is still there. */
  take(text: string, hits: string[], snippets: Snippet[]): void {
    const again = text === this.query;
    const before = this.hit;
    this.hits = hits;
    this.snippets = snippets;
    this.at = Math.max(again && before !== null ? hits.indexOf(before) : 0, 0);
    if (!hits.length) this.at = -1;
    if (!again) this.isDone = false;
    this.query = text;
    if (document.activeElement !== this.input && !this.waiting) this.input.value = text;
    this.draw();
    if (!again && hits.length) this.go(false);
  }

  /** Nothing is searched for any more. */
  clear(): void {
    this.input.value = "";
    if (this.query) this.seek();
  }

  /** The list closes; what was found stays marked, but dimly. */
  close(): void {
    this.isDone = true;
    this.draw();
  }

  private reopen(): void {
    if (!this.isDone) return;
    this.isDone = false;
    this.draw();
    this.host.redraw();
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
    else this.take(text, foundIn(this.host, text), []);
  }

  private step(by: number): void {
    if (this.hits.length) this.goTo((this.at + by + this.hits.length) % this.hits.length);
  }

  private goTo(place: number): void {
    this.at = place;
    this.isDone = false;
    this.draw();
    this.go(true);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      if (this.waiting || this.input.value !== this.query) this.seek();
      else this.step(event.shiftKey ? -1 : 1);
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") this.step(event.key === "ArrowUp" ? -1 : 1);
    else if (event.key === "Escape") {
      if (this.hits.length) this.close();
      else this.clear();
      this.host.focus();
    } else return;
    taken(event);
  }

  private draw(): void {
    const { hits, at, query, input } = this;
    const words = hits.length ? `${grouped(at + 1)} of ${grouped(hits.length)}` : query.trim() ? "none" : "";
    this.count.replaceChildren(words);
    for (const each of this.arrows) each.setAttribute("aria-disabled", String(!hits.length));
    this.list.show(hits, this.snippets, at, !this.isDone);
    if (this.list.current) input.setAttribute("aria-activedescendant", this.list.current);
    else input.removeAttribute("aria-activedescendant");
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
