// The table: of many entries only the rows near what is seen are drawn, so that ten thousand are no more work than fifty.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { type Price, priceWords } from "../_shared/remedy_button";
import { VirtualRows } from "../_shared/virtual_rows";
import { rowDetail } from "./row_detail";
import { type Detail, type EntryRow, KINDS } from "./rows";

const SPARE = 600; // pixels drawn above and below what is seen
/** Rows up to which the table stands in the page at its full height. */
const FEW = 120;
const HEIGHT = 46; // of a row that was never drawn
const DETAIL = 320; // of what an opened row shows, before it was drawn
const PAGE = 10;
const NAMES = ["entry, keys", "decision", "where the key was seen", "why, and the nearest change", "tokens"];
const SIGNS = { fired: "done", blocked: "off", "not-hit": "todo" };

export interface GridHost {
  live: boolean;
  several: boolean;
  signal: AbortSignal;
  detail(key: string): Detail | null;
  /** A row was clicked or entered. */
  pick(key: string): void;
  close(): void;
  tryChange(key: string): void;
  /** What the nearest change costs; null where that isn't known, undefined not yet. */
  price(key: string): Price | null | undefined;
  /** These rows are drawn: whoever wants to tell the price of their change looks it up. */
  drawn(rows: EntryRow[]): void;
}

/** A row of the table: an entry, or below the one that is open all that is known of it. */
interface Line {
  place: number;
  isDetail: boolean;
}

export class Grid {
  readonly element = h("div", { class: "lore", role: "treegrid", "aria-label": "Lore entries" });
  private readonly head = h(
    "div",
    { class: "lrow lhead", role: "row", "aria-rowindex": 1 },
    NAMES.map((name, i) => h("div", { role: "columnheader", class: i === NAMES.length - 1 ? "num" : "" }, name)),
  );
  private rows: EntryRow[] = [];
  private lines: Line[] = [];
  private long = false;
  private width = 0;
  private readonly body = h("div", { class: "lbody", role: "rowgroup" });
  private readonly virtual: VirtualRows;
  private at: { key: string; column: number } = { key: "", column: 0 };
  private open = "";
  private selected = "";

  constructor(private readonly host: GridHost) {
    const { signal } = host;
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("focusin", (event) => this.came(event), { signal });
    this.virtual = new VirtualRows({
      scroller: this.element,
      body: this.body,
      spare: SPARE,
      covered: () => this.head.offsetHeight,
    });
    this.element.addEventListener("scroll", () => this.virtual.update() && this.onDrawn(), { signal, passive: true });
    const watch = new ResizeObserver(() => this.resized());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  /** Everything anew; the focus stays on the entry that has it. */
  draw(rows: EntryRow[], open: string, selected: string, nothing: string): void {
    const had = this.element.contains(document.activeElement);
    const top = this.element.scrollTop;
    Object.assign(this, { rows, open, selected });
    this.long = rows.length > FEW;
    this.element.classList.toggle("long", this.long);
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.element.replaceChildren(this.head, ...(rows.length ? [this.body] : []));
    if (!rows.length)
      this.element.append(
        h("div", { role: "row" }, h("div", { role: "gridcell", class: "empty", tabindex: 0 }, nothing)),
      );
    const place = rows.findIndex((row) => row.key === this.at.key);
    if (place < 0) this.at = { key: rows[0]?.key ?? "", column: 0 };
    this.virtual.forget();
    this.lay();
    this.element.scrollTop = top;
    this.virtual.update();
    if (place >= 0 && had) this.reveal(place);
    this.onDrawn();
    if (had) this.cell()?.focus({ preventScroll: true });
  }

  /** The prices that are known now, in the buttons. */
  drawPrices(): void {
    for (const button of this.element.querySelectorAll<HTMLElement>("[data-change]"))
      writePrice(button, this.host.price(button.dataset.change!));
  }

  /** Brings an entry's row into sight. */
  revealKey(key: string): void {
    const place = this.rows.findIndex((row) => row.key === key);
    if (place >= 0) this.reveal(place);
    this.onDrawn();
  }

  private onDrawn(): void {
    this.mark();
    const drawn = [...this.element.querySelectorAll<HTMLElement>(".lrow[data-key]")];
    const keys = new Set(drawn.map((line) => line.dataset.key));
    this.host.drawn(this.rows.filter((row) => keys.has(row.key)));
  }

  /** Another row is open. */
  show(open: string): void {
    const before = this.open;
    const had = this.element.contains(document.activeElement);
    this.open = open;
    for (const key of [before, open]) this.virtual.forget(`detail ${key}`);
    this.lay();
    this.onDrawn();
    if (had && !this.element.contains(document.activeElement)) this.cell()?.focus({ preventScroll: true });
    const detail = this.lines.findIndex((line) => line.isDetail);
    if (before !== open && this.long && detail >= 0) this.virtual.reveal(detail);
  }

  /** Another entry is selected, in this view or elsewhere. */
  select(selected: string, reveal: boolean): void {
    this.selected = selected;
    const place = this.rows.findIndex((row) => row.key === selected);
    if (reveal && place >= 0 && this.long) {
      const third = (this.element.clientHeight - this.head.offsetHeight) / 3;
      this.element.scrollTop = this.virtual.offsets.top(this.lineOf(place)) - third;
      this.virtual.update();
      this.reveal(place);
    }
    this.onDrawn();
  }

  focus(): void {
    this.cell()?.focus();
  }

  // --- rows

  private lay(): void {
    const { rows } = this;
    const open = rows.findIndex((row) => row.key === this.open);
    const lines = rows.map((_, place) => ({ place, isDetail: false }));
    if (open >= 0) lines.splice(open + 1, 0, { place: open, isDetail: true });
    this.lines = lines;
    this.virtual.set({
      count: lines.length,
      key: (i) => {
        const { key } = rows[lines[i].place];
        return lines[i].isDetail ? `detail ${key}` : `${key === this.open ? "open" : "row"} ${key}`;
      },
      height: (i) => (lines[i].isDetail ? DETAIL : HEIGHT),
      measured: () => true,
      draw: (i) => {
        const { place, isDetail } = lines[i];
        return isDetail ? this.below(rows[place]) : this.line(rows[place], place);
      },
      stays: () => this.lineOf(rows.findIndex((row) => row.key === this.at.key)),
      all: !this.long,
    });
  }

  /** The place of a row among the lines: the one below the open row moves the later ones down. */
  private lineOf(place: number): number {
    const detail = this.lines.findIndex((line) => line.isDetail);
    return detail >= 0 && detail <= place ? place + 1 : place;
  }

  /** Brings a row into sight: in the table where it scrolls, else in the page. */
  private reveal(place: number): void {
    const row = this.virtual.reveal(this.lineOf(place));
    if (!this.long) row?.scrollIntoView({ block: "nearest" });
  }

  /** In another width the rows have other heights. */
  private resized(): void {
    const { clientWidth } = this.element;
    if (clientWidth === this.width) return;
    this.width = clientWidth;
    if (this.virtual.update()) this.onDrawn();
  }

  private below(row: EntryRow): HTMLElement {
    const body = rowDetail(this.host.detail(row.key), row, this.host);
    return h(
      "div",
      { class: "lopen", role: "row" },
      h("div", { role: "gridcell", "aria-colspan": NAMES.length }, body),
    );
  }

  private line(row: EntryRow, place: number): HTMLElement {
    const cell = (name: string, ...inside: Parameters<typeof h>[2][]) =>
      h("div", { role: "gridcell", class: name, tabindex: -1 }, ...inside);
    const open = row.key === this.open;
    return h(
      "div",
      {
        class: `lrow k-${row.kind}${row.turned ? " turned" : ""}`,
        role: "row",
        "data-key": row.key,
        "aria-rowindex": place + 2,
        "aria-expanded": String(open),
      },
      h(
        "div",
        { role: "rowheader", class: "who", tabindex: -1 },
        h("span", { class: "strong", title: harmless(`entry ${row.uid}`) }, harmless(row.title)),
        h("span", { class: "sub mono" }, harmless(row.keys)),
        this.host.several && h("span", { class: "sub" }, harmless(row.book)),
      ),
      cell("decided", this.decision(row)),
      cell("tx", this.seenAt(row)),
      cell("why", this.reason(row)),
      row.tokens === undefined && row.own_tokens !== undefined
        ? cell("num", [h("span", { class: "muted", title: "its own tokens, if it fired" }, grouped(row.own_tokens))])
        : cell("num", row.tokens === undefined ? "" : grouped(row.tokens)),
    );
  }

  private decision(row: EntryRow): HTMLElement[] {
    const word = KINDS[row.kind].toLowerCase();
    const out = [h("span", { class: `tag d-${row.kind}` }, glyph(SIGNS[row.kind]), word)];
    if (row.turned) out.push(h("span", { class: `tag ${row.turned === "new" ? "add" : "gone"}` }, row.turned));
    return out;
  }

  private reason(row: EntryRow): (Node | string | false)[] {
    const why = h("span", { class: "cause" }, harmless(row.why[0]?.toUpperCase() + row.why.slice(1)));
    if (!row.change) return [why];
    const button = changeButton(row.key, row.change, `Fires with: ${row.nearest}`, this.host);
    if (!button)
      return [why, `. To make it fire: ${harmless(row.nearest ?? row.change)}${inTokens(this.host.price(row.key))}`];
    button.tabIndex = -1; // the table is one tab stop: T does it
    return [why, ". ", button, !!row.aside && h("span", { class: "muted" }, ` ${harmless(row.aside)}`)];
  }

  private seenAt(row: EntryRow): (Node | string)[] {
    if (!row.pieces) return [h("span", { class: "muted" }, row.scanned ?? "")];
    const where = harmless(row.where ?? "");
    const sign = row.in_lore
      ? h("span", { class: "chip src-lore" }, glyph("lore"), h("span", { class: "lb" }, where))
      : h("span", { class: "mno" }, where);
    return [sign, " ", ...highlighted(row.pieces)];
  }

  // --- where the focus is

  private mark(): void {
    for (const line of this.element.querySelectorAll<HTMLElement>(".lrow[data-key]")) {
      const { key } = line.dataset;
      line.setAttribute("aria-selected", String(key === this.selected));
      for (const [i, cell] of [...line.children].entries())
        (cell as HTMLElement).tabIndex = key === this.at.key && i === this.at.column ? 0 : -1;
    }
  }

  private cell(): HTMLElement | null {
    return (this.rowOf(this.at.key)?.children[this.at.column] as HTMLElement | undefined) ?? null;
  }

  private rowOf(key: string): HTMLElement | null {
    return this.element.querySelector<HTMLElement>(`.lrow[data-key="${CSS.escape(key)}"]`);
  }

  private came(event: FocusEvent): void {
    const cell = event.target as HTMLElement;
    const line = cell.closest<HTMLElement>(".lrow[data-key]");
    if (!line) return;
    this.at = { key: line.dataset.key!, column: [...line.children].findIndex((each) => each.contains(cell)) };
    this.mark();
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const chosen = document.getSelection();
    if (chosen && !chosen.isCollapsed && this.element.contains(chosen.anchorNode)) return;
    const line = target.closest<HTMLElement>(".lrow[data-key]");
    if (!line) return;
    const column = [...line.children].findIndex((cell) => cell.contains(target));
    this.at = { key: line.dataset.key!, column: Math.max(0, column) };
    this.mark();
    if (!target.closest("[data-change]")) this.host.pick(line.dataset.key!);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const inside = target.closest(".lopen");
    if (event.key === "Escape" && this.open && (inside || target === this.cell())) {
      taken(event);
      if (inside) this.at.key = this.open;
      this.host.close();
      this.cell()?.focus();
      return;
    }
    const cell = this.cell();
    if (inside || !cell?.contains(target)) return;
    const to = this.leads(event);
    if (to) {
      taken(event);
      this.go(to.place, to.column);
    } else if (event.key === "Enter" && !event.ctrlKey && target === cell) {
      taken(event);
      this.host.pick(this.at.key);
    } else if (event.key.toLowerCase() === "t" && !event.ctrlKey) {
      taken(event);
      if (this.host.live && this.rows.find((row) => row.key === this.at.key)?.change) this.host.tryChange(this.at.key);
    }
  }

  private leads(event: KeyboardEvent): { place: number; column: number } | null {
    const place = this.rows.findIndex((row) => row.key === this.at.key);
    const { column } = this.at;
    const last = this.rows.length - 1;
    const ways: Record<string, [number, number]> = {
      ArrowUp: [place - 1, column],
      ArrowDown: [place + 1, column],
      ArrowLeft: [place, column - 1],
      ArrowRight: [place, column + 1],
      PageUp: [place - PAGE, column],
      PageDown: [place + PAGE, column],
      Home: event.ctrlKey ? [0, 0] : [place, 0],
      End: event.ctrlKey ? [last, NAMES.length - 1] : [place, NAMES.length - 1],
    };
    const way = ways[event.key];
    if (!way || (event.ctrlKey && event.key !== "Home" && event.key !== "End")) return null;
    const clamp = (n: number, most: number) => Math.min(Math.max(n, 0), most);
    return { place: clamp(way[0], last), column: clamp(way[1], NAMES.length - 1) };
  }

  private go(place: number, column: number): void {
    this.reveal(place);
    const { column: before } = this.at;
    this.at = { key: this.rows[place].key, column };
    // A narrow page leaves a cell without words out.
    while (this.cell()?.offsetParent === null && this.at.column > 0)
      this.at.column += column > before && this.at.column < NAMES.length - 1 ? 1 : -1;
    this.mark();
    this.cell()?.focus({ preventScroll: true });
  }
}

/** The nearest change of an entry as a button with its price; null where nobody answers. */
export function changeButton(key: string, label: string, title: string, host: GridHost): HTMLElement | null {
  if (!host.live) return null;
  const button = h("button", {
    type: "button",
    class: "btn small change1",
    "data-change": key,
    "data-label": harmless(label),
    title: harmless(title),
  });
  writePrice(button, host.price(key));
  button.addEventListener("click", () => host.tryChange(key));
  return button;
}

function writePrice(button: HTMLElement, price: Price | null | undefined): void {
  button.textContent = `${button.dataset.label}${priceWords(price ?? null)}`;
}

const inTokens = (price: Price | null | undefined): string => (price ? `${priceWords(price)} tokens` : "");

/** Text and lit text in turn. */
export const highlighted = (pieces: string[]): (Node | string)[] =>
  pieces.map((piece, i) => (i % 2 ? h("mark", {}, harmless(piece)) : harmless(piece)));
