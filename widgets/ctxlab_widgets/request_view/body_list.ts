// The list of lines: only those in sight are drawn, one of them holds the keys, folds open and close.

import { h } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { VirtualRows } from "../_shared/virtual_rows";
import { type LineHost, type LineState, lineRow, markRow, problemRow } from "./line_row";
import { foldsAround, lineOfKey, partsOf, type Row, rowsOf } from "./rows";

/** More rows than these scroll in a place of their own. */
const MANY = 240;
const SPARE = 400;
const LINE = 18;

export interface BodyHost extends LineHost {
  /** A value is pointed at or has the focus: its line, and its part or -1. */
  look(line: number, part: number): void;
  select(key: string): void;
  signal: AbortSignal;
}

export interface BodyState extends LineState {
  closed: Set<number>;
  whole: Set<string>;
  selected: string;
}

export class BodyList {
  readonly element = h("div", { class: "json pane" });
  private readonly body = h("div", { role: "tree", "aria-label": "Body of the request" });
  private readonly virtual: VirtualRows;
  private rows: Row[] = [];
  private at = "l0";
  private width = 0;

  constructor(
    private readonly state: BodyState,
    private readonly host: BodyHost,
  ) {
    const { signal } = host;
    this.element.append(this.body);
    this.virtual = new VirtualRows({ scroller: this.element, body: this.body, spare: SPARE });
    this.element.addEventListener("scroll", () => this.virtual.update() && this.mark(), { signal, passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("focusin", (event) => this.came(event.target as HTMLElement), { signal });
    this.body.addEventListener("pointerover", (event) => this.over(event.target as HTMLElement), { signal });
    const watch = new ResizeObserver(() => this.resized());
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  draw(): void {
    const focused = this.body.contains(document.activeElement);
    this.rows = rowsOf(this.state.payload, this.state.closed);
    if (!this.rows.some((row) => row.id === this.at)) this.at = this.rows[0]?.id ?? "";
    this.virtual.forget();
    this.lay();
    if (focused) this.focus(this.index());
  }

  private lay(): void {
    const { rows } = this;
    const all = rows.length <= MANY;
    this.element.classList.toggle("crowded", !all);
    this.virtual.set({
      count: rows.length,
      key: (row) => rows[row].id,
      height: () => LINE,
      measured: () => true,
      draw: (row) => this.row(rows[row]),
      number: (element, row) => {
        element.dataset.id = rows[row].id;
        element.setAttribute("aria-posinset", String(row + 1));
        element.setAttribute("aria-setsize", String(rows.length));
      },
      stays: () => this.index(),
      all,
    });
    this.mark();
  }

  private row(row: Row): HTMLElement {
    const { state, host } = this;
    if (row.kind === "line") return lineRow(state, row.line);
    if (row.kind === "problem") return problemRow(state.payload.problems[row.problem], state, host);
    return markRow(state.payload.marks[row.mark], state);
  }

  private index(): number {
    return this.rows.findIndex((row) => row.id === this.at);
  }

  /** The line that holds the keys, and those of the chosen message. */
  mark(): void {
    const { state } = this;
    const { parts, lines } = state.payload;
    for (const [number, element] of this.virtual.drawn) {
      const row = this.rows[number];
      element.tabIndex = row.id === this.at ? 0 : -1;
      if (row.kind !== "line") continue;
      const chosen = state.selected !== "" && partsOf(lines[row.line]).some((n) => parts[n].key === state.selected);
      element.setAttribute("aria-selected", String(chosen));
    }
  }

  /** Brings a message into sight, unfolded; false where it is nowhere in the body. */
  reveal(key: string): boolean {
    const line = lineOfKey(this.state.payload, key);
    return line >= 0 && this.revealLine(line);
  }

  revealLine(line: number): boolean {
    const { state } = this;
    const hiding = foldsAround(state.payload.lines, line).filter((fold) => state.closed.has(fold));
    for (const fold of hiding) state.closed.delete(fold);
    if (hiding.length) this.draw();
    const row = this.rows.findIndex((each) => each.kind === "line" && each.line === line);
    if (row < 0) return false;
    this.at = this.rows[row].id;
    this.virtual.reveal(row);
    this.mark();
    return true;
  }

  /** To the next problem behind the line that holds the keys, or the one before it, round and round. */
  goToProblem(by: 1 | -1): void {
    const at = this.index();
    const all = this.rows.flatMap((row, number) => (row.kind === "problem" ? [number] : []));
    const to = by > 0 ? (all.find((row) => row > at) ?? all[0]) : (all.findLast((row) => row < at) ?? all.at(-1));
    if (to !== undefined) this.focus(to);
  }

  private focus(row: number): void {
    const element = row >= 0 ? this.virtual.reveal(row) : undefined;
    if (!element) return;
    this.at = this.rows[row].id;
    this.mark();
    element.focus({ preventScroll: this.element.classList.contains("crowded") });
  }

  // --- what a person does

  private placeOf(target: HTMLElement): { line: number; part: number } | null {
    const element = target.closest<HTMLElement>("[data-line]");
    if (!element) return null;
    const line = Number(element.dataset.line);
    const own = target.closest<HTMLElement>("[data-part]")?.dataset.part;
    const part = own !== undefined ? Number(own) : (partsOf(this.state.payload.lines[line])[0] ?? -1);
    return { line, part };
  }

  private over(target: HTMLElement): void {
    const place = this.placeOf(target);
    if (place) this.host.look(place.line, place.part);
  }

  private came(target: HTMLElement): void {
    const id = target.closest<HTMLElement>("[data-id]")?.dataset.id;
    if (id === undefined) return;
    this.at = id;
    this.mark();
    const place = this.placeOf(target);
    if (place) this.host.look(place.line, place.part);
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    const whole = target.closest<HTMLElement>("[data-whole]")?.dataset.whole;
    if (whole !== undefined) {
      this.state.whole.add(whole);
      this.draw();
      return;
    }
    const place = this.placeOf(target);
    if (!place) return;
    if (target.closest("[data-fold]")) this.toggle(place.line);
    else if (place.part >= 0) this.choose(place.part);
    this.focus(this.rows.findIndex((row) => row.kind === "line" && row.line === place.line));
  }

  private choose(part: number): void {
    this.host.select(this.state.payload.parts[part].key);
  }

  toggle(line: number, open = this.state.closed.has(line)): void {
    const { closed, payload } = this.state;
    if (!payload.lines[line][2]) return;
    if (open) closed.delete(line);
    else closed.add(line);
    this.draw();
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!isSingle(event)) return;
    if (target.dataset.id === undefined) {
      // A button in a row: Esc leads back to the row.
      const row = target.closest<HTMLElement>("[data-id]");
      if (event.key === "Escape" && row) {
        taken(event);
        row.focus();
      }
      return;
    }
    const at = this.index();
    const row = this.rows[at];
    const moves: Record<string, number> = {
      ArrowUp: at - 1,
      ArrowDown: at + 1,
      Home: 0,
      End: this.rows.length - 1,
    };
    const to = moves[event.key];
    if (to !== undefined) {
      taken(event);
      if (to >= 0 && to < this.rows.length) this.focus(to);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      taken(event);
      this.sideways(row, event.key === "ArrowRight");
    } else if (event.key === "Enter" || event.key === " ") {
      taken(event);
      this.enter(row, target);
    } else if (event.key === "Escape" && this.state.selected) {
      taken(event);
      this.host.select("");
    }
  }

  /** Right opens a fold, Left closes it; of a line inside one Left leads to the line that opens it. */
  private sideways(row: Row, right: boolean): void {
    const { lines } = this.state.payload;
    if (row.kind === "line" && lines[row.line][2] && this.state.closed.has(row.line) === right)
      this.toggle(row.line, right);
    else if (!right) {
      const [fold] = row.kind === "line" ? foldsAround(lines, row.line).slice(-1) : [row.line];
      if (fold !== undefined) this.focus(this.rows.findIndex((each) => each.kind === "line" && each.line === fold));
    }
  }

  private enter(row: Row, target: HTMLElement): void {
    if (row.kind === "problem") target.querySelector<HTMLElement>("button")?.focus();
    if (row.kind !== "line") return;
    const more = target.querySelector<HTMLElement>("[data-whole]");
    const [part] = partsOf(this.state.payload.lines[row.line]);
    if (part === undefined) this.toggle(row.line);
    else {
      if (more) {
        this.state.whole.add(more.dataset.whole ?? "");
        this.draw();
      }
      this.choose(part);
    }
  }

  private resized(): void {
    const { clientWidth } = this.element;
    if (!clientWidth || clientWidth === this.width) return;
    const isFirst = !this.width;
    this.width = clientWidth;
    if (!this.element.classList.contains("crowded")) return;
    if (!isFirst) this.virtual.forget();
    this.lay();
  }
}
