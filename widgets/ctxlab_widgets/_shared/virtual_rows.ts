// Of a long list only the rows in view, and some around them, are in the page. Rows may differ in height.

import { h } from "./dom";

/** A gap between rows, in pixels; `above` is the row that it lies above. */
export interface Gap {
  above: number;
  height: number;
}

/** Tops of rows that stand one below the other, in pixels from the top of the first. */
export class RowOffsets {
  /** Where each row begins, the gap above it included; behind the last the height of all. */
  private readonly starts: Float64Array;
  readonly count: number;

  constructor(
    heights: ArrayLike<number>,
    private readonly gap: Gap | null = null,
  ) {
    const { length } = heights;
    this.count = length;
    this.starts = new Float64Array(length + 1);
    for (let row = 0; row < length; row++) {
      const extra = row === gap?.above ? gap.height : 0;
      this.starts[row + 1] = this.starts[row] + heights[row] + extra;
    }
    if (gap && gap.above >= length) this.starts[length] += gap.height;
  }

  static even(count: number, height: number, gap: Gap | null = null): RowOffsets {
    return new RowOffsets(new Float64Array(count).fill(height), gap);
  }

  /** Of all rows and the gap. */
  get height(): number {
    return this.starts[this.count];
  }

  top(row: number): number {
    return this.starts[row] + (row === this.gap?.above && row < this.count ? this.gap.height : 0);
  }

  bottom(row: number): number {
    return this.starts[row + 1] - (row + 1 === this.count && this.gap && this.gap.above > row ? this.gap.height : 0);
  }

  /** The row at so many pixels from the top, in a gap the one below it; the nearest where there is none. */
  at(y: number): number {
    let low = 0;
    let high = Math.max(this.count - 1, 0);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= y) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** First and one past the last of the rows that touch a stretch, with `spare` pixels above and below it. */
  range(top: number, height: number, spare: number): [first: number, end: number] {
    if (!this.count) return [0, 0];
    return [this.at(top - spare), this.at(top + height + spare) + 1];
  }

  /** How far to scroll so that a row is seen in a window of this height; as far as now where it is. */
  scrollTo(row: number, scrollTop: number, height: number): number {
    const [top, bottom] = [this.top(row), this.bottom(row)];
    if (top < scrollTop) return top;
    return bottom > scrollTop + height ? Math.min(bottom - height, top) : scrollTop;
  }
}

/** The rows of a list. Of equal keys the element that is in the page stays, until it is forgotten. */
export interface RowList {
  count: number;
  key(row: number): string;
  height(row: number): number;
  draw(row: number): HTMLElement;
  /** Whether a row takes the height that it takes; `height` is then a guess until it is drawn. */
  measured?(row: number): boolean;
  /** Called for an element that was drawn, and for all when the list is another one: its row may have another number. */
  number?(element: HTMLElement, row: number): void;
  /** A row that is in the page wherever it is scrolled to, such as the one that Tab reaches; -1 for none. */
  stays?(): number;
  gap?: Gap | null;
  /** Draw every row, such as of a short list. */
  all?: boolean;
}

export interface VirtualRowsOptions {
  /** What scrolls, and in it what holds the rows. */
  scroller: HTMLElement;
  body: HTMLElement;
  /** Pixels that are drawn above and below what is seen. */
  spare: number;
  /** Rows are placed by `style.top` in a body of the whole height; else one below the other between spacers. */
  absolute?: boolean;
  /** Pixels of the scroller that lie under a sticky head or foot. */
  covered?: () => number;
}

const NONE: RowList = { count: 0, key: String, height: () => 0, draw: () => h("div") };
/** A scroller that is not shown yet has no height. */
const UNSEEN = 600;
/** Heights that are measured change which rows are seen, and so on; a page settles after one or two rounds. */
const ROUNDS = 4;

export class VirtualRows {
  private list = NONE;
  offsets = new RowOffsets([]);
  range: [first: number, end: number] = [0, 0];
  private rows = new Map<number, HTMLElement>();
  private elements = new Map<string, HTMLElement>();
  private readonly heights = new Map<string, number>();
  private readonly spacers: HTMLElement[] = [];

  private sizes = new Float64Array();

  constructor(private readonly options: VirtualRowsOptions) {
    // What is seen is held in its place here; a browser that did so too would do it twice.
    if (!options.absolute) options.scroller.style.overflowAnchor = "none";
  }

  /** Other rows. Those of keys that are known keep their elements and their heights. */
  set(list: RowList): void {
    this.list = list;
    this.lay();
    this.rows.clear();
    this.update();
    if (list.number) for (const [row, element] of this.rows) list.number(element, row);
  }

  /** All rows are drawn anew the next time, or the one of a key. */
  forget(key?: string): void {
    if (key !== undefined) this.elements.delete(key);
    else {
      this.elements.clear();
      this.heights.clear();
    }
  }

  /** The elements in the page, by row, from the top. */
  get drawn(): ReadonlyMap<number, HTMLElement> {
    return this.rows;
  }

  /** Brings the page up to where it is scrolled to; says whether other rows are in it now. */
  update(): boolean {
    const [first, end] = this.range;
    let fresh = false;
    for (let round = 0; round < ROUNDS; round++) {
      fresh = this.place() || fresh;
      if (!this.measure()) break;
    }
    return fresh || first !== this.range[0] || end !== this.range[1];
  }

  /** Scrolls no further than it takes to see a row, and draws it; where all rows are drawn nothing scrolls. */
  reveal(row: number): HTMLElement | undefined {
    if (this.list.all) return this.rows.get(row);
    for (let round = 0; round < ROUNDS; round++) {
      const { scrollTop } = this.options.scroller;
      const to = this.offsets.scrollTo(row, scrollTop, this.room);
      if (to !== scrollTop) this.options.scroller.scrollTop = to;
      this.update();
      if (this.offsets.scrollTo(row, this.options.scroller.scrollTop, this.room) === to) break;
    }
    return this.rows.get(row);
  }

  private get room(): number {
    return (this.options.scroller.clientHeight || UNSEEN) - (this.options.covered?.() ?? 0);
  }

  private lay(): void {
    const { list } = this;
    this.sizes = new Float64Array(list.count);
    for (let row = 0; row < list.count; row++)
      this.sizes[row] = (list.measured?.(row) ? this.heights.get(list.key(row)) : undefined) ?? list.height(row);
    this.sum();
  }

  private sum(): void {
    this.offsets = new RowOffsets(this.sizes, this.list.gap);
    if (this.options.absolute) this.options.body.style.height = `${this.offsets.height}px`;
  }

  private place(): boolean {
    const { list, offsets } = this;
    const { scroller, body, spare, absolute } = this.options;
    this.range = list.all ? [0, list.count] : offsets.range(scroller.scrollTop, scroller.clientHeight || UNSEEN, spare);
    const rows = new Map<number, HTMLElement>();
    const elements = new Map<string, HTMLElement>();
    let fresh = false;
    for (const row of this.wanted()) {
      const key = list.key(row);
      const known = this.elements.get(key);
      const element = known ?? list.draw(row);
      if (!known) list.number?.(element, row);
      fresh ||= !known;
      if (absolute) element.style.top = `${offsets.top(row)}px`;
      elements.set(key, element);
      rows.set(row, element);
    }
    Object.assign(this, { rows, elements });
    reconcile(body, absolute ? [...rows.values()] : this.spaced());
    return fresh;
  }

  /** The rows of the range, and wherever they are the one that has the focus and the one that stays. */
  private wanted(): number[] {
    const [first, end] = this.range;
    const found = Array.from({ length: end - first }, (_, i) => first + i);
    const active = document.activeElement;
    const others = [...this.rows].filter(([, element]) => element.contains(active)).map(([row]) => row);
    others.push(this.list.stays?.() ?? -1);
    const beyond = others.filter((row) => row >= 0 && row < this.list.count && (row < first || row >= end));
    return beyond.length ? [...new Set([...found, ...beyond])].sort((a, b) => a - b) : found;
  }

  /** Elements and the space for what isn't drawn: before, after, and where one is far from the others. */
  private spaced(): HTMLElement[] {
    const out: HTMLElement[] = [];
    let spaces = 0;
    let y = 0;
    const fill = (to: number) => {
      if (to <= y) return;
      if (spaces === this.spacers.length) this.spacers.push(spacer());
      const space = this.spacers[spaces++];
      space.style.height = `${to - y}px`;
      out.push(space);
    };
    for (const [row, element] of this.rows) {
      fill(this.offsets.top(row));
      out.push(element);
      y = this.offsets.bottom(row);
    }
    fill(this.offsets.height);
    return out;
  }

  /** Takes over the heights of rows that say theirs; what is seen stays where it is. Says whether one was another. */
  private measure(): boolean {
    const { list } = this;
    if (!list.measured || list.all) return false;
    let changed = false;
    for (const [row, element] of this.rows) {
      const height = list.measured(row) ? element.offsetHeight : 0;
      if (!height) continue;
      this.heights.set(list.key(row), height);
      changed ||= height !== this.sizes[row];
      this.sizes[row] = height;
    }
    if (!changed) return false;
    const { scroller } = this.options;
    const anchor = this.offsets.at(scroller.scrollTop);
    const beyond = scroller.scrollTop - this.offsets.top(anchor);
    this.sum();
    this.place();
    const to = this.offsets.top(anchor) + beyond;
    if (Math.abs(scroller.scrollTop - to) >= 1) scroller.scrollTop = to;
    return true;
  }
}

/** Makes these the children, in this order; what is there already is not moved, so that it keeps the focus. */
function reconcile(body: HTMLElement, wanted: HTMLElement[]): void {
  const kept = new Set<Node>(wanted);
  for (const each of [...body.childNodes]) if (!kept.has(each)) each.remove();
  let at = body.firstChild;
  for (const each of wanted) {
    if (each === at) at = at.nextSibling;
    else body.insertBefore(each, at);
  }
}

const spacer = (): HTMLElement => h("div", { "aria-hidden": "true" });
