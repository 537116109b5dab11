// What was found, as rows: who said it, the words around the hit, and how deep it lies. Only rows in view are in the page.

import { glyph, h, harmless } from "../_shared/dom";
import { VirtualRows } from "../_shared/virtual_rows";
import type { Snippet } from "./host";
import { isSummary, nameOf, roleOf, type Tree } from "./tree_data";

const ROW = 24;
const SPARE = 96;

export class HitList {
  readonly element = h("div", { class: "hits", role: "listbox", "aria-label": "Found messages", hidden: true });
  private readonly body = h("div", { class: "hitrows", role: "presentation" });
  private readonly rows = new VirtualRows({ scroller: this.element, body: this.body, spare: SPARE, absolute: true });
  private readonly prefix = `h${Math.random().toString(36).slice(2)}`;
  private hits: readonly string[] = [];
  private snippets = new Map<string, Snippet>();
  private at = -1;

  constructor(tree: () => Tree, choose: (place: number) => void, signal: AbortSignal) {
    this.element.append(this.body);
    this.element.addEventListener("scroll", () => this.rows.update(), { signal });
    const click = (event: MouseEvent) => {
      const row = (event.target as Element).closest<HTMLElement>(".hit");
      if (row) choose(Number(row.dataset.place));
    };
    this.element.addEventListener("click", click, { signal });
    const sizes = new ResizeObserver(() => this.rows.update());
    sizes.observe(this.element);
    signal.addEventListener("abort", () => sizes.disconnect());
    this.draw = (place) => this.row(tree(), place);
  }

  /** Id of the row of the current hit, for the field that it is chosen from; empty where there is none. */
  get current(): string {
    return this.at >= 0 && !this.element.hidden ? `${this.prefix}-${this.at}` : "";
  }

  show(hits: readonly string[], snippets: readonly Snippet[], at: number, isOpen: boolean): void {
    const isOther = hits !== this.hits || this.snippets.size !== snippets.length;
    this.element.hidden = !isOpen || !hits.length;
    if (isOther) {
      this.hits = hits;
      this.snippets = new Map(snippets.map((each) => [each.key, each]));
      this.rows.forget();
    }
    const before = this.at;
    this.at = at;
    if (this.element.hidden) return;
    if (isOther || !this.rows.drawn.size)
      this.rows.set({ count: hits.length, key: String, height: () => ROW, draw: this.draw });
    this.mark(before, false);
    if (at >= 0) this.rows.reveal(at);
    this.mark(at, true);
  }

  private readonly draw: (place: number) => HTMLElement;

  private mark(place: number, on: boolean): void {
    this.rows.drawn.get(place)?.setAttribute("aria-selected", String(on));
  }

  private row(tree: Tree, place: number): HTMLElement {
    const key = this.hits[place];
    const found = this.snippets.get(key);
    const sign = tree.signOf.get(key);
    const role = found?.role ?? (sign === undefined ? "" : isSummary(tree, sign) ? "summary" : roleOf(tree, sign));
    const label = sign === undefined ? nameOf(tree, key) : harmless(tree.labels[sign]);
    const words = found
      ? [harmless(found.before), h("mark", {}, harmless(found.match)), harmless(found.after)]
      : [label];
    return h(
      "div",
      {
        class: "hit",
        id: `${this.prefix}-${place}`,
        role: "option",
        "data-place": place,
        "aria-selected": String(place === this.at),
        "aria-setsize": this.hits.length,
        "aria-posinset": place + 1,
        title: harmless(key),
      },
      h("span", { class: role === "summary" ? "src-summary" : `role-${role}` }, glyph(role)),
      h("span", { class: "vh" }, `${role}: `),
      h("span", { class: "words" }, words),
      found ? h("span", { class: "muted num", title: "Messages from the root" }, found.depth) : "",
    );
  }
}
