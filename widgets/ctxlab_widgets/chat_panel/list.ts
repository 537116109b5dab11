// The messages of a chat: ten thousand of any height, of which those in sight are drawn, and what is being written.

import { h } from "../_shared/dom";
import { VirtualRows } from "../_shared/virtual_rows";
import { findWords, type Hit, markWords } from "./find_words";
import type { ListHost } from "./list_host";
import { keyMeaning } from "./list_keys";
import { foldOf, guessedHeight, isAtEnd, keptRows, lastWhole, newBelow, shownRows } from "./list_rows";
import { Menu } from "./menu";
import { Navigator, type Way } from "./navigator";
import type { Draft, Row, Running } from "./payload";
import { type Editing, type RowContext, RowView } from "./row";
import { carryOut } from "./row_actions";
import { type Pieces, withPieces, withRunning } from "./stream";

const SPARE = 600; // pixels drawn above and below what is seen
const NO_MESSAGES = "There is no message yet: type the first one below.";

export class MessageList {
  readonly element = h("div", { class: "logs" });
  private readonly scroller = h("div", { class: "log" });
  private readonly body = h("div", { role: "feed", "aria-label": "Messages" });
  private readonly empty = h("p", { class: "empty" }, NO_MESSAGES);
  private readonly said = h("div", { class: "vh", "aria-live": "polite" });
  private readonly nav: Navigator;
  private readonly virtual: VirtualRows;
  private readonly context: RowContext;
  private readonly watch: ResizeObserver;
  private readonly views = new Map<string, RowView>();
  private readonly edits = new Map<string, Editing>();
  private readonly unfolded = new Set<string>();

  /** All rows as Python knows them, and those of them, with what is being written, that the list has. */
  private given: Row[] = [];
  private rows: Row[] = [];
  private places = new Map<string, number>();
  private turn: Running | null = null;
  /** Whether the turn was asked for whole: until it comes pieces say nothing. */
  private isBehind = false;
  private cuts = new Map<string, Draft["cut"][number]>();
  /** Key of the row that Tab reaches. */
  private at = "";
  /** The row that is to hold the keys as soon as it is there. */
  private follow = "";
  private isStuck = true;
  private top = 0;
  /** Key of the last row that was there whole when the list was at its end. */
  private seen = "";
  private words = "";
  private hits: Hit[] = [];
  private hit = -1;
  private frame = 0;
  private width = 0;
  private isPrinting = false;

  constructor(private readonly host: ListHost) {
    const { signal } = host;
    this.nav = new Navigator((way) => this.go(way));
    this.scroller.append(this.empty, this.body);
    this.element.append(this.scroller, this.nav.element, this.said);
    this.virtual = new VirtualRows({ scroller: this.scroller, body: this.body, spare: SPARE });
    const menu = new Menu(this.element, signal);
    this.context = {
      host,
      menu,
      open: new Set(),
      unfolded: this.unfolded,
      cutOf: (key) => this.cuts.get(key),
      editingOf: (key) => this.edits.get(key),
      edit: (key, kind) => this.edit(key, kind),
      endEdit: (key, saved) => this.endEdit(key, saved),
      unfold: (key) => this.unfold(key),
      resized: () => this.settle(),
    };
    this.scroller.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("focusin", (event) => this.choose(keyOf(event.target)), { signal });
    this.body.addEventListener("pointerdown", (event) => this.choose(keyOf(event.target)), { signal });
    this.body.addEventListener("dblclick", (event) => this.doubled(event), { signal });
    for (const [event, on] of [
      ["beforeprint", true],
      ["afterprint", false],
    ] as const)
      window.addEventListener(event, () => this.print(on), { signal });
    this.watch = new ResizeObserver(() => this.resized());
    this.watch.observe(this.scroller);
    signal.addEventListener("abort", () => {
      this.watch.disconnect();
      cancelAnimationFrame(this.frame);
      for (const view of this.views.values()) view.destroy();
    });
  }

  // --- what is shown

  /** The newest rows. Only those that say something else are drawn anew. */
  set(rows: Row[]): void {
    this.given = keptRows(new Map(this.given.map((row) => [row.key, row])), rows);
    this.lay();
  }

  /** The turn that runs, whole; null when it has ended. */
  running(turn: Running | null): void {
    const before = this.turn;
    if (turn && before && turn.key === before.key && turn.number < before.number) return;
    this.turn = turn;
    this.isBehind = false;
    this.lay();
    if (before && !turn) this.announce(before.key);
  }

  /** What the turn has brought since; drawn with the next frame. */
  pieces(pieces: Pieces): void {
    if (!this.turn || this.isBehind) return;
    const next = withPieces(this.turn, pieces);
    if (next === "old") return;
    if (next === "gap") {
      this.isBehind = true;
      this.host.send({ command: "resend" });
      return;
    }
    this.turn = next;
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.lay();
    });
  }

  /** The messages that the next request leaves out, grey with their cause. */
  cut(marks: Draft["cut"]): void {
    this.cuts = new Map(marks.map((mark) => [mark.key, mark]));
    for (const view of this.views.values()) view.set(view.row);
    this.settle();
  }

  /** Brings a message into sight, out of the fold of a summary too; false where it isn't here. */
  reveal(key: string): boolean {
    const fold = this.places.has(key) ? undefined : foldOf(this.given, key);
    if (fold !== undefined) {
      this.unfolded.add(fold);
      this.lay();
    }
    const row = this.places.get(key);
    if (row === undefined) return false;
    this.isStuck = row === this.rows.length - 1;
    this.virtual.reveal(row);
    this.choose(key);
    this.settle();
    return true;
  }

  /** Marks the words in all messages and shows the first place; says how many there are. No words end it. */
  find(words: string): { at: number; count: number } {
    this.words = words;
    this.hits = findWords(this.given, words);
    this.hit = -1;
    for (const view of this.views.values()) this.mark(view);
    return this.findNext(1);
  }

  /** The next place of the words, or with -1 the one before; from the last on again at the first. */
  findNext(by: 1 | -1): { at: number; count: number } {
    const count = this.hits.length;
    if (!count) return { at: 0, count };
    this.hit = this.hit < 0 && by < 0 ? count - 1 : (this.hit + by + count) % count;
    const { key, nth } = this.hits[this.hit];
    this.reveal(key);
    for (const mark of this.body.querySelectorAll("mark.current")) mark.classList.remove("current");
    const marks = this.views.get(key)?.element.querySelectorAll<HTMLElement>("mark.hit") ?? [];
    const mark = marks[Math.min(nth, marks.length - 1)];
    mark?.classList.add("current");
    if (mark) this.showInside(mark);
    return { at: this.hit + 1, count };
  }

  // --- drawing

  private lay(): void {
    const hadFocus = this.body.contains(document.activeElement);
    const act = actOf(document.activeElement);
    const wasLast = !hadFocus && this.isStuck && this.at === this.rows.at(-1)?.key;
    this.rows = shownRows(withRunning(this.given, this.turn), this.unfolded);
    const { rows } = this;
    this.places = new Map(rows.map(({ key }, row) => [key, row]));
    this.keepAt(wasLast);
    for (const [key, view] of this.views) {
      const row = this.places.get(key);
      if (row !== undefined && rows[row] !== view.row) this.update(view, rows[row]);
    }
    this.empty.hidden = rows.length > 0;
    this.virtual.set({
      count: rows.length,
      key: (row) => rows[row].key,
      height: (row) => guessedHeight(rows[row], this.width || 600),
      measured: () => true,
      draw: (row) => this.draw(rows[row]),
      number: (element, row) => {
        element.setAttribute("aria-posinset", String(row + 1));
        element.setAttribute("aria-setsize", String(rows.length));
      },
      stays: () => this.places.get(this.at) ?? -1,
      all: this.isPrinting,
    });
    this.settle();
    if (hadFocus) this.giveBack(act);
  }

  private draw(row: Row): HTMLElement {
    const view = new RowView(row, this.context);
    this.views.set(row.key, view);
    this.watch.observe(view.element);
    if (this.words) this.mark(view);
    return view.element;
  }

  private update(view: RowView, row: Row): void {
    view.set(row);
    if (this.words && row.state !== "generating") this.mark(view);
  }

  private mark(view: RowView): void {
    for (const text of view.element.querySelectorAll<HTMLElement>(".ct")) markWords(text, this.words);
  }

  /** Heights are taken over, the end is kept where the reader is at it, and what went out of sight is let go. */
  private settle(): void {
    this.virtual.update();
    if (this.isStuck) this.toEnd();
    const drawn = new Set(this.virtual.drawn.values());
    for (const [key, view] of this.views) {
      if (drawn.has(view.element)) continue;
      this.watch.unobserve(view.element);
      view.destroy();
      this.views.delete(key);
    }
    this.markStop();
    this.showPlace();
  }

  private toEnd(): void {
    for (let round = 0; round < 3; round++) {
      this.scroller.scrollTop = this.scroller.scrollHeight;
      this.virtual.update();
      if (isAtEnd(this.scroller)) break;
    }
    this.top = this.scroller.scrollTop;
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    if (isAtEnd(this.scroller)) this.isStuck = true;
    else if (scrollTop < this.top) this.isStuck = false;
    this.top = scrollTop;
    this.context.menu.close(false);
    this.settle();
  }

  private resized(): void {
    const { clientWidth } = this.scroller;
    if (clientWidth && clientWidth !== this.width) this.width = clientWidth;
    this.settle();
  }

  private print(on: boolean): void {
    this.isPrinting = on;
    this.lay();
  }

  // --- the row that holds the keys

  private keepAt(goesWithTheEnd: boolean): void {
    const { places, rows } = this;
    if (this.follow && places.has(this.follow)) {
      this.at = this.follow;
      this.follow = "";
    }
    if (goesWithTheEnd || !places.has(this.at)) this.at = rows.at(-1)?.key ?? "";
  }

  private choose(key: string): void {
    if (!key || key === this.at || !this.places.has(key)) return;
    this.at = key;
    this.markStop();
    this.showPlace();
    this.host.chosen?.(key);
  }

  private markStop(): void {
    for (const [key, { element }] of this.views) {
      const holds = key === this.at;
      element.tabIndex = holds ? 0 : -1;
      element.classList.toggle("at", holds);
      for (const each of element.querySelectorAll<HTMLElement>("button, summary")) each.tabIndex = holds ? 0 : -1;
    }
  }

  private focus(row: number): void {
    const { key } = this.rows[row];
    this.reveal(key);
    this.views.get(key)?.element.focus({ preventScroll: true });
  }

  /** The focus goes back to where it was, on the button that is now in its place, or on the row. */
  private giveBack(act: string): void {
    if (this.body.contains(document.activeElement)) return;
    const element = this.views.get(this.at)?.element;
    const button = act && element?.querySelector<HTMLElement>(`[data-act="${CSS.escape(act)}"]`);
    (button || element)?.focus({ preventScroll: true });
  }

  private pressed(event: KeyboardEvent): void {
    const view = this.views.get(keyOf(event.target));
    const meant = view && keyMeaning(event);
    if (!view || !meant) return;
    const row = this.places.get(view.row.key) ?? -1;
    const last = this.rows.length - 1;
    const to = { up: row - 1, down: row + 1, first: 0, last }[meant.move ?? "up"];
    let isDone = true;
    if (meant.move) this.focus(Math.max(0, Math.min(last, to)));
    else if (meant.sibling) isDone = this.switchTo(view.row, meant.sibling);
    else if (meant.press) isDone = press(view.element, meant.press);
    else if (meant.action) isDone = carryOut(view.row, meant.action, this.context, view.element);
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private switchTo({ siblings }: Row, by: 1 | -1): boolean {
    const key = siblings?.ids[siblings.at - 1 + by];
    if (key === undefined || !this.host.live) return siblings !== undefined;
    this.follow = key;
    this.host.send({ command: "switch", key });
    return true;
  }

  private doubled(event: MouseEvent): void {
    const view = this.views.get(keyOf(event.target));
    if (!view || (event.target as Element).closest("button, summary, textarea, a, .ch, .toolc")) return;
    carryOut(view.row, "edit", this.context, view.element);
  }

  // --- editing in place

  private edit(key: string, kind: Editing["kind"]): void {
    const row = this.rows[this.places.get(key) ?? -1];
    if (!row) return;
    this.edits.set(key, { text: row.text, ...this.edits.get(key), kind });
    this.reveal(key);
    const view = this.views.get(key);
    view?.set(row);
    this.settle();
    view?.focusEdit();
  }

  private endEdit(key: string, saved: Editing | null): void {
    const view = this.views.get(key);
    this.edits.delete(key);
    if (saved && (saved.kind === "branch" || saved.text !== view?.row.text))
      this.host.send({ command: saved.kind, key, text: saved.text });
    view?.set(view.row);
    this.settle();
    view?.element.focus({ preventScroll: true });
  }

  private unfold(key: string): void {
    if (!this.unfolded.delete(key)) this.unfolded.add(key);
    this.views.get(key)?.set(this.rows[this.places.get(key)!]);
    this.isStuck = false;
    this.lay();
  }

  // --- where one is

  private go(way: Way): void {
    const last = this.rows.length - 1;
    const now = this.placeNow();
    const row = { first: 0, up: now - 1, down: now + 1, last }[way];
    if (row < 0 || row > last) return;
    this.reveal(this.rows[row].key);
    if (way !== "last") return;
    this.isStuck = true;
    this.settle();
  }

  /** The row that holds the keys where it is in sight; else the one in the middle. */
  private placeNow(): number {
    const { offsets } = this.virtual;
    const { scrollTop, clientHeight } = this.scroller;
    const at = this.places.get(this.at);
    if (at !== undefined && offsets.bottom(at) > scrollTop && offsets.top(at) < scrollTop + clientHeight) return at;
    return offsets.at(scrollTop + clientHeight / 2);
  }

  private showPlace(): void {
    const { rows } = this;
    if (this.isStuck || !this.places.has(this.seen)) this.seen = lastWhole(rows);
    const fresh = this.isStuck ? 0 : newBelow(rows, this.seen);
    this.nav.show(this.placeNow() + 1, rows.length, fresh);
  }

  private showInside(element: HTMLElement): void {
    const [inner, outer] = [element.getBoundingClientRect(), this.scroller.getBoundingClientRect()];
    if (inner.top >= outer.top && inner.bottom <= outer.bottom) return;
    this.isStuck = false;
    this.scroller.scrollTop += inner.top - outer.top - outer.height / 2;
    this.settle();
  }

  /** A finished answer is read out, its first words; what is being written is not. */
  private announce(key: string): void {
    const row = this.given.find((each) => each.key === key);
    if (row) this.said.textContent = `${row.who}: ${row.error ?? row.text.slice(0, 300)}`;
  }
}

const keyOf = (target: EventTarget | null): string =>
  (target instanceof Element && target.closest<HTMLElement>("article[data-key]")?.dataset.key) || "";

const actOf = (element: Element | null): string => (element as HTMLElement | null)?.dataset?.act ?? "";

function press(element: HTMLElement, act: string): boolean {
  const button = element.querySelector<HTMLElement>(`[data-act="${act}"]`);
  button?.click();
  return button !== null;
}
