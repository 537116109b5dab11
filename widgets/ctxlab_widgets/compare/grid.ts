// The table: only the rows in sight are drawn, one of them holds the keys.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { VirtualRows } from "../_shared/virtual_rows";
import { columnHeads, totalRows } from "./column_heads";
import type { Cell, CompareHost, ComparisonRow, State } from "./payload";
import { rowDetail } from "./row_detail";
import { cellLabel, foldCell, type Item, isSent, items } from "./rows";

const PLAIN = 24;
const NOTED = 38;
const UNSEEN = 160; // an open row's texts, before they were drawn once
const SPARE = 240; // pixels drawn above and below what is seen
/** Columns that are seen at once; more scroll sideways. */
export const SIDE_BY_SIDE = 3;

export class Grid {
  readonly element: HTMLElement;
  private readonly columnHeads = h("div", { class: "hd", role: "rowgroup" });
  private readonly body = h("div", { class: "bd", role: "rowgroup" });
  private readonly footer = h("div", { class: "ft", role: "rowgroup" });
  private readonly id: string;
  private items: Item[] = [];
  private readonly rows: VirtualRows;
  private at = { id: "", column: 0 };

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
      this.footer,
    );
    this.rows = new VirtualRows({
      scroller: this.element,
      body: this.body,
      spare: SPARE,
      covered: () => this.columnHeads.offsetHeight + this.footer.offsetHeight,
    });
    this.element.addEventListener("scroll", () => this.look(), { signal, passive: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    const watch = new ResizeObserver(() => this.resize());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  /** Everything anew. */
  draw(): void {
    this.rows.forget();
    this.drawHeads();
    this.footer.replaceChildren(...totalRows(this.state));
    this.element.setAttribute("aria-colcount", String(this.state.view.columns.length + 1));
    this.adjust();
    this.arrange();
  }

  /** The heads alone: a ledger opened or closed. */
  drawHeads(): void {
    const held =
      document.activeElement instanceof HTMLElement ? document.activeElement.getAttribute("aria-label") : null;
    const had = this.columnHeads.contains(document.activeElement);
    this.columnHeads.replaceChildren(columnHeads(this.state, this.host));
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

  /** The message is in sight and holds the keys, whatever was folded over it; false when it can't be seen. */
  reveal(key: string): boolean {
    const hiding = this.items.find(
      (item) => item.kind === "fold" && !item.open && item.rows.some((row) => row.key === key),
    );
    if (hiding?.kind === "fold") {
      this.state.unfolded.add(hiding.rows[0].key);
      this.arrange();
    }
    const index = this.items.findIndex((item) => item.kind === "row" && item.row.key === key);
    if (index < 0) return false;
    this.at.id = this.items[index].id;
    this.scrollTo(index);
    this.mark();
    return true;
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
    const narrow = wide < 700;
    const count = Math.max(1, Math.min(SIDE_BY_SIDE, this.state.view.columns.length));
    const column = Math.max(narrow ? 96 : 160, Math.floor((wide * 0.72) / count));
    const { style } = this.element;
    const first = Math.max(narrow ? 104 : 160, wide - column * count);
    const cells = this.state.view.columns.length;
    style.setProperty("--first", `${first}px`);
    style.setProperty("--col", `${column}px`);
    style.setProperty("--n", String(cells));
    style.setProperty("--whole", `${first + column * cells}px`);
    style.setProperty("--seen", `${wide}px`);
    const key = `${narrow} ${column}`;
    if (this.element.dataset.fit === key) return false;
    this.element.dataset.fit = key;
    this.state.narrow = narrow;
    return true;
  }

  private lay(): void {
    const { items, state } = this;
    this.rows.set({
      count: items.length,
      key: (i) => `${items[i].id} ${stateOf(items[i], state)}`,
      height: (i) => this.heightOf(items[i]),
      measured: (i) => items[i].kind === "texts",
      draw: (i) => this.drawn(items[i]),
      number: (element, i) => element.setAttribute("aria-rowindex", String(i + 2)),
    });
    this.element.setAttribute("aria-rowcount", String(items.length + 1 + this.footer.children.length));
    this.mark();
  }

  private heightOf(item: Item): number {
    if (item.kind === "texts") return UNSEEN;
    if (item.kind === "fold" || this.state.narrow) return PLAIN;
    return item.row.cells.some((cell) => cell && note(cell)) ? NOTED : PLAIN;
  }

  private scrollTo(index: number): void {
    const { element } = this;
    this.rows.reveal(index);
    const first = this.columnHeads.querySelector<HTMLElement>(".cc0")?.offsetWidth ?? 0;
    const column = this.columnHeads.querySelector<HTMLElement>("[data-column]")?.offsetWidth ?? 0;
    const left = (this.at.column - 1) * column;
    if (this.at.column > 0 && left < element.scrollLeft) element.scrollLeft = left;
    else if (left + column > element.scrollLeft + element.clientWidth - first)
      element.scrollLeft = left + column - element.clientWidth + first;
    this.look();
  }

  // --- drawing

  private look(): void {
    if (this.rows.update()) this.mark();
  }

  private drawn(item: Item): HTMLElement {
    const made =
      item.kind === "texts" ? this.texts(item.row) : item.kind === "fold" ? this.fold(item) : this.row(item.row);
    made.dataset.id = item.id;
    return made;
  }

  private row(row: ComparisonRow): HTMLElement {
    const open = this.state.opened.has(row.key);
    const noted = !this.state.narrow && row.cells.some((cell) => cell && note(cell));
    const short = row.key.replace(/^node:/, "");
    const sign =
      row.look === "history"
        ? h("span", { class: `sg r-${row.role}` }, glyph(row.role))
        : h("span", { class: `sg src-${row.look}` }, glyph(row.look));
    const label = h(
      "span",
      { class: "x" },
      h("span", { class: row.look === "history" ? "ink2" : "ink2 hide-n" }, harmless(short)),
      " ",
      harmless(row.words),
    );
    const title = `${harmless(row.key)}, ${row.role}: ${harmless(row.words)}`;
    const head = h(
      "div",
      { class: "cc cc0", role: "rowheader", title, "aria-expanded": String(open) },
      h("div", { class: "in1" }, sign, label),
    );
    const cells = row.cells.map((cell) => this.cell(cell, row.cells[0]));
    return h(
      "div",
      { class: `cr it${noted ? " is-noted" : ""}${open ? " is-open" : ""}`, role: "row", "data-key": row.key },
      head,
      cells,
    );
  }

  private fold(item: Item & { kind: "fold" }): HTMLElement {
    const { rows } = item;
    const sums = this.state.view.columns.map((_, i) => foldCell(rows, i));
    const mark = h("span", { class: `mk${item.open ? " down" : ""}`, "aria-hidden": "true" }, "›");
    const [count, rest] = item.words.split(/(?=,)/);
    const words = h("span", { class: "x" }, count, h("span", { class: "hide-n" }, rest));
    const label = h("div", { class: "in1" }, mark, words);
    const head = h(
      "div",
      { class: "cc cc0", role: "rowheader", title: item.words, "aria-expanded": String(item.open) },
      label,
    );
    return h(
      "div",
      { class: "cr it fold", role: "row", "data-fold": rows[0].key },
      head,
      sums.map((cell) => this.cell(cell, sums[0])),
    );
  }

  private texts(row: ComparisonRow): HTMLElement {
    const facts = h(
      "div",
      { class: "cc0 facts", role: "rowheader" },
      h("code", {}, harmless(row.key)),
      h("span", { class: "ink2" }, `${row.role}${row.look === "history" ? "" : `, ${row.look}`}`),
    );
    return h("div", { class: "cr texts", role: "row" }, facts, rowDetail(this.state, row));
  }

  private cell(cell: Cell | null, base: Cell | null): HTMLElement {
    if (!cell) return h("div", { class: "cc is-none", role: "gridcell" }, h("span", { class: "vh" }, "no run"));
    const { look, sign, word } = cellLabel(cell, base);
    const sent = isSent(cell);
    const cut = cell.state === "cut" ? `${cell.cause}, ${many(cell.tokens, "token")}` : cell.cause;
    const line = h(
      "div",
      { class: "in1" },
      h("span", { class: "sn", "aria-hidden": "true" }, sign),
      h("span", { class: "x" }, word),
      h("span", { class: "sp" }),
      sent && h("span", {}, grouped(cell.tokens)),
    );
    const small = note(cell) && h("div", { class: "nb0 ink2" }, harmless(note(cell)));
    return h("div", { class: `cc is-${look}`, role: "gridcell", title: harmless(cut) || null }, line, small);
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
    const room = element.clientHeight - this.columnHeads.offsetHeight - this.footer.offsetHeight;
    const { offsets } = this.rows;
    const top = offsets.top(index);
    const beyond = offsets.bottom(index + 1) - element.scrollTop - room;
    if (beyond > 0) element.scrollTop = Math.min(top, element.scrollTop + beyond);
  }

  private buttons(): HTMLElement[] {
    return [...this.columnHeads.querySelectorAll("button")];
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
    this.at.column = Math.min(Math.max(column, 0), this.state.view.columns.length);
    this.scrollTo(this.index());
    this.mark();
  }
}

/** What a cell says below its word; a cut run's cause stands in its title and in the open row. */
const note = (cell: Cell): string => (cell.state === "cut" ? "" : cell.note);

const stateOf = (item: Item, state: State): string =>
  item.kind === "row"
    ? String(state.opened.has(item.row.key))
    : item.kind === "fold"
      ? `${item.open} ${item.rows.length}`
      : "";
