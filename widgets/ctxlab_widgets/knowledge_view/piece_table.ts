// The pieces as rows on one scale. Of many only those near what is seen are drawn.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { priceWords } from "../_shared/remedy_button";
import { VirtualRows } from "../_shared/virtual_rows";
import type { Offers, PieceRow, View } from "./data";
import { rowScale, Threshold, type ThresholdHost } from "./scale";

const FEW = 60; // rows up to which the table stands in the page at its full height
const SPARE = 600; // pixels drawn above and below what is seen
const HEIGHT = 58; // of a row that was never drawn
const PAGE = 10;
const SIGNS: Record<string, string> = { sent: "done", "no room": "cut" };

export interface TableHost extends ThresholdHost {
  live: boolean;
  offers: Offers;
  open(key: string): void;
  tryChange(key: string): void;
  /** These rows are drawn: their nearest changes and prices are wanted. */
  drawn(rows: PieceRow[]): void;
}

export class PieceTable {
  readonly element = h("div", { class: "kn", role: "grid", "aria-label": "Pieces of knowledge" });
  readonly threshold: Threshold;
  private readonly head: HTMLElement;
  private readonly scaleHead: HTMLElement;
  private readonly body = h("div", { class: "kbody", role: "rowgroup" });
  private readonly virtual: VirtualRows;
  private rows: PieceRow[] = [];
  private view: View | null = null;
  private at = "";
  private opened = "";
  private width = 0;

  constructor(private readonly host: TableHost) {
    const { signal } = host;
    this.threshold = new Threshold(this.element, host);
    this.scaleHead = h("div", { class: "sc", role: "columnheader" }, this.threshold.element);
    const column = (name: string, words: string) => h("div", { class: name, role: "columnheader" }, words);
    this.head = h(
      "div",
      { class: "krow khead", role: "row", "aria-rowindex": 1 },
      column("st0", "decision"),
      column("c2", "piece"),
      this.scaleHead,
      column("num", "tokens"),
      column("nc", "why, and the nearest change"),
    );
    this.virtual = new VirtualRows({
      scroller: this.element,
      body: this.body,
      spare: SPARE,
      covered: () => this.head.offsetHeight,
    });
    this.element.addEventListener("scroll", () => this.virtual.update() && this.onDrawn(), { signal, passive: true });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("focusin", (event) => this.came(event), { signal });
    const watch = new ResizeObserver(() => this.resized());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  draw(view: View, rows: PieceRow[], opened: string, nothing: string): void {
    const had = this.body.contains(document.activeElement);
    const top = this.element.scrollTop;
    this.view = view;
    Object.assign(this, { rows, opened });
    const long = rows.length > FEW;
    this.element.classList.toggle("long", long);
    this.element.classList.toggle("static", view.static);
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    const none = h("div", { role: "row" }, h("div", { role: "gridcell", class: "empty", tabindex: 0 }, nothing));
    if (this.head.parentElement !== this.element) this.element.replaceChildren(this.head, this.body);
    this.element.querySelector(":scope > .nothing")?.remove();
    none.classList.add("nothing");
    if (!rows.length) this.element.append(none);
    if (!rows.some((row) => row.key === this.at)) this.at = rows[0]?.key ?? "";
    this.virtual.forget();
    this.virtual.set({
      count: rows.length,
      key: (i) => rows[i].key,
      height: () => HEIGHT,
      measured: () => true,
      draw: (i) => this.row(rows[i], i),
      stays: () => this.place,
      all: !long,
    });
    this.element.scrollTop = top;
    this.virtual.update();
    this.onDrawn();
    if (had) this.focused()?.focus({ preventScroll: true });
  }

  /** Another piece is open. */
  show(opened: string): void {
    this.opened = opened;
    if (opened) this.at = opened;
    this.mark();
  }

  reveal(key: string): void {
    const at = this.rows.findIndex((row) => row.key === key);
    if (at < 0) return;
    const row = this.virtual.reveal(at);
    if (this.rows.length <= FEW) row?.scrollIntoView({ block: "nearest" });
    this.onDrawn();
  }

  /** The nearest changes that are known now. */
  drawOffers(): void {
    for (const element of this.body.querySelectorAll<HTMLElement>("[data-key]")) {
      const row = this.rows.find((each) => each.key === element.dataset.key);
      const cell = element.querySelector(".nc");
      if (row && cell) cell.replaceChildren(...this.why(row));
    }
  }

  private onDrawn(): void {
    this.mark();
    this.host.drawn([...this.virtual.drawn.keys()].map((i) => this.rows[i]).filter(Boolean));
  }

  private row(row: PieceRow, place: number): HTMLElement {
    const cell = (name: string, ...inside: Parameters<typeof h>[2][]) =>
      h("div", { role: "gridcell", class: name }, ...inside);
    const state = `tag d-${row.kind.replace(" ", "-")}`;
    return h(
      "div",
      { class: `krow k-${row.kind.replace(" ", "-")}`, role: "row", "data-key": row.key, "aria-rowindex": place + 2 },
      cell("st0", h("span", { class: state }, glyph(SIGNS[row.kind] ?? "off"), harmless(row.kind))),
      cell(
        "c2",
        h(
          "span",
          { class: "nm src-knowledge" },
          glyph("knowledge"),
          h("span", { class: "strong" }, harmless(row.title)),
          h("span", { class: "muted" }, harmless(row.place)),
          (this.view?.bases.length ?? 0) > 1 && h("span", { class: "muted" }, harmless(row.base_name)),
        ),
        h("span", { class: "ex" }, highlighted(row.pieces)),
      ),
      cell("sc", !this.view?.static && rowScale(row, this.view?.used ?? "", this.view?.minimum ?? 0)),
      cell("num", grouped(row.tokens)),
      cell("nc", this.why(row)),
    );
  }

  private why(row: PieceRow): HTMLElement[] {
    const why = h("span", { class: "cause" }, harmless(row.why[0]?.toUpperCase() + row.why.slice(1)));
    const [words, tokens] = this.host.offers[row.key] ?? [row.change ?? "", null];
    if (row.kind === "sent" || !words) return [why];
    if (!this.host.live) return [why, h("span", { class: "ink2" }, harmless(words))];
    const label = `${harmless(words)}${priceWords(tokens === null ? null : { tokens, of: "prompt" })}`;
    // The table is one tab stop: T does it.
    const button = h(
      "button",
      { type: "button", class: "btn small change1", tabindex: -1, title: "Comes in with it" },
      label,
    );
    button.addEventListener("click", () => this.host.tryChange(row.key));
    return [why, button];
  }

  // --- where the focus is

  private get place(): number {
    return this.rows.findIndex((row) => row.key === this.at);
  }

  private focused(): HTMLElement | null {
    return this.body.querySelector<HTMLElement>(`[data-key="${CSS.escape(this.at)}"]`);
  }

  private mark(): void {
    for (const row of this.body.querySelectorAll<HTMLElement>("[data-key]")) {
      row.setAttribute("aria-selected", String(row.dataset.key === this.opened));
      row.tabIndex = row.dataset.key === this.at ? 0 : -1;
    }
  }

  private came(event: FocusEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-key]");
    if (!row) return;
    this.at = row.dataset.key!;
    this.mark();
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && this.element.contains(selection.anchorNode)) return;
    const row = target.closest<HTMLElement>("[data-key]");
    if (!row || target.closest("button")) return;
    this.at = row.dataset.key!;
    this.host.open(this.at === this.opened ? "" : this.at);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    if (!(event.target as HTMLElement).matches("[data-key]")) return;
    const { place } = this;
    const last = this.rows.length - 1;
    const ways: Record<string, number> = {
      ArrowUp: place - 1,
      ArrowDown: place + 1,
      PageUp: place - PAGE,
      PageDown: place + PAGE,
      Home: 0,
      End: last,
    };
    if (event.key in ways) {
      taken(event);
      this.go(Math.min(Math.max(ways[event.key], 0), last));
    } else if (event.key === "Enter") {
      taken(event);
      this.host.open(this.at === this.opened ? "" : this.at);
    } else if (event.key === "Escape" && this.opened) {
      taken(event);
      this.host.open("");
    } else if (event.key.toLowerCase() === "t" && this.host.live) {
      taken(event);
      if (this.rows[place]?.kind !== "sent") this.host.tryChange(this.at);
    }
  }

  private go(place: number): void {
    this.at = this.rows[place].key;
    const row = this.virtual.reveal(place);
    this.onDrawn();
    row?.focus({ preventScroll: this.rows.length > FEW });
  }

  /** In another width the rows have other heights. */
  private resized(): void {
    const { clientWidth } = this.element;
    if (clientWidth === this.width) return;
    this.width = clientWidth;
    if (this.virtual.update()) this.onDrawn();
  }
}

/** Text and lit text in turn. */
export const highlighted = (pieces: string[]): (Node | string)[] =>
  pieces.map((piece, i) => (i % 2 ? h("mark", {}, harmless(piece)) : harmless(piece)));
