// The outline: one row a message, as a list that is as long as it needs to be. Only rows in view are in the page.

import { h } from "../_shared/dom";
import { type RowList, VirtualRows } from "../_shared/virtual_rows";
import { HEIGHT, type OutlineContent, outlineRow } from "./outline_row";
import { foldedAtFirst, type OutlineOrder, outlineOrder, visibleMessages } from "./outline_rows";
import { activeLeaf, keyOf, type Tree, type Way } from "./tree_data";

export interface OutlineActions {
  readonly signal: AbortSignal;
  /** A message was clicked. */
  chosen(message: number, event: MouseEvent): void;
  /** A message was clicked twice. */
  entered(message: number): void;
}

/** What is drawn, but for what the outline knows by itself. */
export type OutlineState = Omit<OutlineContent, "order" | "folded">;

export class Outline {
  readonly element = h("div", { class: "outline", role: "tree", tabindex: 0, "aria-label": "Messages" });
  private readonly body = h("div", { class: "rows", role: "presentation" });
  private readonly rows: VirtualRows;
  private content: OutlineContent | null = null;
  private order: OutlineOrder | null = null;
  private tree: Tree | null = null;
  /** Keys of messages below which nothing is shown. */
  private folded = new Set<string>();
  private seen: Int32Array = new Int32Array();
  private rowOf = new Map<number, number>();
  private isFirst = true;
  private readonly prefix = `o${Math.random().toString(36).slice(2)}`;

  constructor(private readonly can: OutlineActions) {
    this.element.append(this.body);
    this.rows = new VirtualRows({ scroller: this.element, body: this.body, spare: 10 * HEIGHT, absolute: true });
    const { signal } = can;
    this.element.addEventListener("scroll", () => this.rows.update(), { signal, passive: true });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("dblclick", (event) => this.twice(event), { signal });
    const sizes = new ResizeObserver(() => this.shownAgain());
    sizes.observe(this.element);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  /** Rows of a tree that is another one are read anew; what was folded stays folded. */
  draw(state: OutlineState): void {
    const { tree } = state;
    if (tree !== this.tree) {
      const isOther = !this.tree?.keys.some((key) => tree.signOf.has(key));
      this.tree = tree;
      this.order = outlineOrder(tree);
      if (isOther) this.folded = new Set([...foldedAtFirst(tree)].map((i) => keyOf(tree, i)));
      if (isOther) this.isFirst = true;
      this.unhide(state.selected);
    }
    this.content = { ...state, order: this.order!, folded: this.foldedSigns() };
    this.lay();
    this.shownAgain();
  }

  /** A message in view, with what it is folded away in unfolded. */
  reveal(message: number): void {
    if (this.unhide(message)) this.refresh();
    const row = this.rowOf.get(message);
    if (row !== undefined) this.rows.reveal(row);
    this.point();
  }

  /** Where a key leads; arrows to the sides fold and unfold before they walk. */
  walked(from: number, way: Way): number {
    const { tree, order } = this;
    if (!tree || !order) return from;
    const row = this.rowOf.get(from) ?? 0;
    const at = (to: number) => this.seen[Math.min(Math.max(to, 0), this.seen.length - 1)];
    const isFolded = this.folded.has(keyOf(tree, from));
    if (way === "Home") return at(0);
    if (way === "End") return activeLeaf(tree) ?? from;
    if (way === "ArrowUp") return at(row - 1);
    if (way === "ArrowDown") return at(row + 1);
    const opens = tree.last[from] > from;
    if (way === "ArrowRight") {
      if (!opens) return from;
      if (!isFolded) return at(row + 1);
      this.toggle(from);
      return from;
    }
    if (!opens || isFolded) return tree.parent[from] < 0 ? from : tree.parent[from];
    this.toggle(from);
    return from;
  }

  /** Folds what hangs below a message, or unfolds it. */
  toggle(message: number): void {
    const { tree } = this;
    if (!tree || tree.last[message] === message) return;
    const key = keyOf(tree, message);
    if (!this.folded.delete(key)) this.folded.add(key);
    this.refresh();
  }

  private refresh(): void {
    if (!this.content) return;
    this.content = { ...this.content, folded: this.foldedSigns() };
    this.lay();
    this.rows.update();
    this.point();
  }

  /** Unfolds what a message is in; says whether it was folded away. */
  private unhide(message: number | null): boolean {
    const { tree, folded } = this;
    if (!tree || message === null) return false;
    let changed = false;
    for (let at = tree.parent[message]; at >= 0; at = tree.parent[at])
      changed = folded.delete(keyOf(tree, at)) || changed;
    return changed;
  }

  private foldedSigns(): Set<number> {
    const found = new Set<number>();
    for (const key of this.folded) {
      const sign = this.tree?.signOf.get(key);
      if (sign !== undefined) found.add(sign);
    }
    return found;
  }

  private lay(): void {
    const content = this.content!;
    this.seen = visibleMessages(content.tree, content.order, content.folded);
    this.rowOf = new Map(Array.from(this.seen, (message, row) => [message, row]));
    const list: RowList = {
      count: this.seen.length,
      key: (row) => keyOf(content.tree, this.seen[row]),
      height: () => HEIGHT,
      draw: (row) => outlineRow(this.content!, this.seen[row], `${this.prefix}-${this.seen[row]}`),
    };
    this.rows.forget();
    this.rows.set(list);
  }

  /** What was hidden is drawn when it is seen, the first time at what is looked at. */
  private shownAgain(): void {
    if (!this.element.clientHeight || !this.content) return;
    this.rows.update();
    const at = this.content.selected ?? activeLeaf(this.content.tree);
    if (this.isFirst && at !== null) {
      this.isFirst = false;
      this.unhide(at);
      const row = this.rowOf.get(at) ?? 0;
      this.element.scrollTop = this.rows.offsets.top(row) - this.element.clientHeight / 2;
      this.rows.update();
    }
    this.point();
  }

  private point(): void {
    const { element, content } = this;
    const at = content?.selected ?? (content ? activeLeaf(content.tree) : null);
    const id = at === null ? "" : `${this.prefix}-${at}`;
    if (id && this.body.querySelector(`#${id}`)) element.setAttribute("aria-activedescendant", id);
    else element.removeAttribute("aria-activedescendant");
  }

  private messageAt(event: Event): number | null {
    const row = (event.target as Element).closest<HTMLElement>("[data-key]");
    return row ? (this.tree?.signOf.get(row.dataset.key!) ?? null) : null;
  }

  private clicked(event: MouseEvent): void {
    const message = this.messageAt(event);
    if (message === null) return;
    this.element.focus({ preventScroll: true });
    const onSign = (event.target as Element).closest(".fold, .sign") !== null;
    if (onSign) this.toggle(message);
    else this.can.chosen(message, event);
  }

  private twice(event: MouseEvent): void {
    const message = this.messageAt(event);
    if (message !== null && !(event.target as Element).closest(".fold, .sign")) this.can.entered(message);
  }
}
