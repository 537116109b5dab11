// The table: only the rows in sight are drawn, one of them holds the keys.

import { h, harmless } from "../_shared/dom";
import { onlyStop, taken } from "../_shared/keyboard";
import { many } from "../_shared/numbers";
import { VirtualRows } from "../_shared/virtual_rows";
import { columnHeads } from "./column_heads";
import { columnWidths } from "./column_widths";
import type { CompareHost, State } from "./payload";
import { foldElement, rowElement, textsElement } from "./row_cells";
import { type Item, items } from "./rows";

const ROW = 24;
const UNSEEN = 160; // an open row's texts, before they were drawn once
const SPARE = 240; // pixels drawn above and below what is seen

export class Grid {
  readonly element: HTMLElement;
  private readonly columnHeads = h("div", { class: "hd", role: "rowgroup" });
  private readonly body = h("div", { class: "bd", role: "rowgroup" });
  private readonly more = h("button", { type: "button", class: "do more", hidden: true, tabindex: -1 });
  private readonly id: string;
  private items: Item[] = [];
  private readonly rows: VirtualRows;
  private at = { id: "", column: 0 };
  private widths: [first: number, column: number] = [0, 1];

  constructor(
    private readonly state: State,
    private readonly host: CompareHost,
  ) {
    const { signal } = host;
    this.id = `cx${Math.random().toString(36).slice(2)}`; // several may stand on one page
    this.element = h(
      "div",
      { class: "cmp", role: "grid", tabindex: 0, "aria-label": "Messages by run" },
      this.columnHeads,
      this.body,
    );
    this.rows = new VirtualRows({
      scroller: this.element,
      body: this.body,
      spare: SPARE,
      covered: () => this.columnHeads.offsetHeight,
    });
    this.element.addEventListener("scroll", () => this.look(), { signal, passive: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.more.addEventListener("click", () => this.toTheLast(), { signal });
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  /** Everything anew. */
  draw(): void {
    this.rows.forget();
    this.drawHeads();
    this.element.setAttribute("aria-colcount", String(this.state.shown.length + 1));
    this.at.column = Math.min(this.at.column, this.state.shown.length);
    this.adjust();
    this.arrange();
  }

  /** The heads alone: a ledger opened or closed. */
  drawHeads(): void {
    const held =
      document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("aria-label") : null;
    const had = this.columnHeads.contains(document.activeElement);
    this.columnHeads.replaceChildren(...columnHeads(this.state, this.host, this.more));
    if (!had) return;
    const buttons = this.buttons();
    const again = Math.max(
      0,
      buttons.findIndex((button) => button.getAttribute("aria-label") === held),
    );
    onlyStop(buttons, again);
    buttons[again]?.focus();
  }

  /** A column that came is in sight. */
  toTheLast(): void {
    this.element.scrollLeft = this.element.scrollWidth;
  }

  focusLedger(name: string): void {
    const buttons = this.buttons();
    const at = buttons.findIndex((button) => button.dataset.ledger === name);
    if (at < 0) return;
    onlyStop(buttons, at);
    buttons[at].focus();
  }

  /** Other rows to see: something was folded, opened or filtered. */
  arrange(): void {
    this.items = items(this.state.view.rows, this.state);
    const index = this.index();
    if (index < 0) this.at.id = this.items[0]?.id ?? "";
    this.lay();
  }

  /** The first row in which a run differs holds the keys, and is in sight with the row above it. */
  toFirstDifference(): void {
    const index = this.items.findIndex((item) => (item.kind === "fold" ? item.rows[0] : item.row).differs);
    if (index < 0) return;
    this.at.id = this.items[index].id;
    this.scrollTo(index);
    if (this.element.scrollTop > 0) this.element.scrollTop = this.rows.offsets.top(Math.max(0, index - 1));
    this.look();
    this.mark();
  }

  /** The message's row is no more folded away. */
  unfold(key: string): void {
    const hiding = this.items.find(
      (item) => item.kind === "fold" && !item.open && item.rows.some((row) => row.key === key),
    );
    if (hiding?.kind === "fold") this.state.unfolded.add(hiding.rows[0].key);
    this.arrange();
  }

  /** The message is in sight and holds the keys; false when there is no row of it, or it is folded away. */
  reveal(key: string): boolean {
    const index = this.items.findIndex((item) => item.kind === "row" && item.row.key === key);
    if (index < 0) return false;
    this.at.id = this.items[index].id;
    this.scrollTo(index);
    this.mark();
    return true;
  }

  /** Whether the message has a row of its own now. */
  holds(key: string): boolean {
    return this.items.some((item) => item.kind === "row" && item.row.key === key);
  }

  /** Marks what is selected and which cell holds the keys. */
  mark(): void {
    let active = "";
    for (const element of this.rows.drawn.values()) {
      const on = element.dataset.id === this.at.id;
      element.classList.toggle("chosen", element.dataset.key === this.state.selected && Boolean(this.state.selected));
      for (const [i, cell] of [...element.children].entries()) {
        const here = on && i === this.at.column;
        cell.classList.toggle("at", here);
        if (here) active = cell.id ||= `${this.id}-${this.items.findIndex((item) => item.id === this.at.id)}-${i}`;
      }
    }
    if (active) this.element.setAttribute("aria-activedescendant", active);
    else this.element.removeAttribute("aria-activedescendant");
  }

  // --- size

  private resize(): void {
    if (!this.adjust()) return;
    this.rows.forget();
    this.lay();
  }

  /** Widths of the columns for the room that there is; says whether rows must be drawn anew for it. */
  private adjust(): boolean {
    const wide = this.element.clientWidth;
    if (!wide) return false;
    const cells = this.state.shown.length;
    const { first, column, narrow } = columnWidths(wide, cells);
    const { style } = this.element;
    style.setProperty("--first", `${first}px`);
    style.setProperty("--col", `${column}px`);
    style.setProperty("--n", String(cells));
    style.setProperty("--whole", `${first + column * cells}px`);
    style.setProperty("--seen", `${wide}px`);
    this.element.classList.toggle("tight", column < TIGHT);
    this.widths = [first, column];
    const key = `${narrow} ${column}`;
    if (this.element.dataset.fit === key) return false;
    this.element.dataset.fit = key;
    return true;
  }

  /** The first and one past the last of the columns that are seen for the most part. */
  private seen(): [from: number, to: number] {
    const [first, column] = this.widths;
    const { scrollLeft, clientWidth } = this.element;
    return [Math.round(scrollLeft / column), Math.round((scrollLeft + clientWidth - first) / column)];
  }

  /** What differs out of sight is named in its row; the corner counts the columns to the right. */
  private markUnseen(): void {
    const { view, shown } = this.state;
    const [from, to] = this.seen();
    const beyond = Math.max(0, shown.length - to);
    this.more.hidden = beyond === 0;
    this.more.textContent = `${many(beyond, "more run")} ›`;
    for (const [at, element] of this.rows.drawn) {
      const item = this.items[at];
      const place = element.querySelector(".off");
      if (!place || item.kind === "texts") continue;
      const row = item.kind === "fold" ? item.rows[0] : item.row;
      const differ = shown.flatMap((column, i) => (row.cells[column]?.alike === false ? [i] : []));
      const isSeen = differ.some((i) => from <= i && i < to);
      const names = isSeen ? [] : differ.map((i) => harmless(view.columns[shown[i]].name));
      place.textContent = names.length ? `differs in ${names.join(", ")}` : "";
    }
  }

  private lay(): void {
    const { items, state } = this;
    const heads = this.columnHeads.children.length;
    this.rows.set({
      count: items.length,
      key: (i) => `${items[i].id} ${stateOf(items[i], state)}`,
      height: (i) => this.heightOf(items[i]),
      measured: (i) => items[i].kind === "texts",
      draw: (i) => this.drawn(items[i]),
      number: (element, i) => element.setAttribute("aria-rowindex", String(i + 1 + heads)),
    });
    this.element.setAttribute("aria-rowcount", String(items.length + heads));
    this.mark();
    this.markUnseen();
  }

  private heightOf(item: Item): number {
    return item.kind === "texts" ? UNSEEN : ROW;
  }

  private scrollTo(index: number): void {
    const { element } = this;
    this.rows.reveal(index);
    const [first, column] = this.widths;
    const left = (this.at.column - 1) * column;
    if (this.at.column > 0 && left < element.scrollLeft) element.scrollLeft = left;
    else if (left + column > element.scrollLeft + element.clientWidth - first)
      element.scrollLeft = left + column - element.clientWidth + first;
    this.look();
  }

  // --- drawing

  private look(): void {
    if (this.rows.update()) this.mark();
    this.markUnseen();
  }

  private drawn(item: Item): HTMLElement {
    const { state, host } = this;
    const made =
      item.kind === "texts"
        ? textsElement(state, host, item.row)
        : item.kind === "fold"
          ? foldElement(state, item)
          : rowElement(state, item.row);
    made.dataset.id = item.id;
    return made;
  }

  // --- keys and clicks

  private index(): number {
    return this.items.findIndex((item) => item.id === this.at.id);
  }

  private clicked(event: MouseEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>(".it");
    if (!row) return;
    const cells = [...row.children];
    this.at = {
      id: row.dataset.id!,
      column: Math.max(
        0,
        cells.findIndex((cell) => cell.contains(event.target as Node)),
      ),
    };
    this.activate();
  }

  private activate(): void {
    const item = this.items[this.index()];
    if (item?.kind === "fold") {
      const [{ key }] = item.rows;
      if (!this.state.unfolded.delete(key)) this.state.unfolded.add(key);
      this.arrange();
    } else if (item?.kind === "row") {
      this.host.select(item.row.key);
      this.host.toggleRow(item.row.key);
      this.showTexts();
    }
  }

  /** As much of an open row's texts as there is room for, the row itself still in sight. */
  private showTexts(): void {
    const index = this.index();
    if (this.items[index + 1]?.kind !== "texts") return;
    const { element } = this;
    const room = element.clientHeight - this.columnHeads.offsetHeight;
    const { offsets } = this.rows;
    const top = offsets.top(index);
    const beyond = offsets.bottom(index + 1) - element.scrollTop - room;
    if (beyond > 0) element.scrollTop = Math.min(top, element.scrollTop + beyond);
  }

  private buttons(): HTMLElement[] {
    return [...this.columnHeads.querySelectorAll("button")].filter((each) => !each.hidden);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const isHandled = event.target === this.element ? this.moved(event.key) : this.alongHeads(event);
    if (!isHandled) return;
    taken(event);
  }

  /** One tab stop for all that can be done with columns. */
  private alongHeads(event: KeyboardEvent): boolean {
    const buttons = this.buttons();
    const from = buttons.indexOf(event.target as HTMLElement);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (from < 0 || step === undefined) return false;
    const to = Math.min(Math.max(from + step, 0), buttons.length - 1);
    onlyStop(buttons, to);
    buttons[to].focus();
    return true;
  }

  private moved(key: string): boolean {
    if (key === "Enter" || key === " ") this.activate();
    else if (key === "ArrowDown" || key === "ArrowUp")
      this.toRow(this.next(this.index(), key === "ArrowDown" ? 1 : -1));
    else if (key === "Home") this.toRow(this.next(-1, 1));
    else if (key === "End") this.toRow(this.next(this.items.length, -1));
    else if (key === "ArrowLeft" || key === "ArrowRight")
      this.toColumn(this.at.column + (key === "ArrowRight" ? 1 : -1));
    else return false;
    return true;
  }

  /** The next row that can hold the keys: texts can't. */
  private next(from: number, step: 1 | -1): number {
    let to = from + step;
    while (this.items[to]?.kind === "texts") to += step;
    return this.items[to] ? to : from;
  }

  private toRow(index: number): void {
    const item = this.items[index];
    if (!item) return;
    this.at.id = item.id;
    if (item.kind === "row") this.host.select(item.row.key);
    this.scrollTo(index);
    this.mark();
  }

  private toColumn(column: number): void {
    this.at.column = Math.min(Math.max(column, 0), this.state.shown.length);
    this.scrollTo(this.index());
    this.mark();
  }
}

/** Narrower columns have no room for more than a word and a number. */
const TIGHT = 200;

/** What an element of the same item is drawn anew for. */
const stateOf = (item: Item, state: State): string =>
  item.kind === "row"
    ? String(state.opened.has(item.row.key))
    : item.kind === "fold"
      ? `${item.open} ${item.rows.length}`
      : `${state.remedies[item.row.key]?.text ?? ""} ${state.views}`;
