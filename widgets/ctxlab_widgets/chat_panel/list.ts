// The messages of a chat: ten thousand of any height, of which those in sight are drawn, and what is being written.

import { h } from "../_shared/dom";
import { VirtualRows } from "../_shared/virtual_rows";
import { type Cut, CutMarks } from "./cut_marks";
import { type Found, ListFind } from "./list_find";
import type { ListHost } from "./list_host";
import { actOf, isOnWords, keyMeaning, keyOf, press, toSibling } from "./list_keys";
import { type Folds, foldOf, foldsOf, guessedHeight, keptRows, lastWhole, saidOf, shownRows } from "./list_rows";
import { isAtEnd, scrollToEnd, wayInto } from "./list_scroll";
import { LiveTurn } from "./live_turn";
import { Menu } from "./menu";
import { Navigator, type Way } from "./navigator";
import { OpenEdits } from "./open_edits";
import type { Row, Running, Unsent } from "./payload";
import { PointerHold } from "./pointer_hold";
import { type Editing, type RowContext, RowView } from "./row";
import { carryOut } from "./row_actions";
import { grown, type Pieces, withFinished, withRunning } from "./stream";

const SPARE = 400; // pixels drawn above and below what is seen
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
  private readonly edits = new OpenEdits();
  private readonly unfolded = new Set<string>();

  /** All rows as Python knows them, and those of them, with what is being written, that the list has. */
  private given: Row[] = [];
  private rows: Row[] = [];
  private places = new Map<string, number>();
  private folds: Folds = new Map();
  private readonly turn = new LiveTurn();
  /** Whether more than words came since it was drawn. */
  private isOther = false;
  private readonly marks = new CutMarks();
  /** Key of the row that Tab reaches. */
  private at = "";
  /** The row that is to hold the keys as soon as it is there. */
  private follow = "";
  /** The row under the pointer. */
  private hovered = "";
  private isStuck = true;
  private top = 0;
  /** Key of the last row that was there whole when the list was at its end. */
  private seen = "";
  private readonly finding = new ListFind();
  private frame = 0;
  private width = 0;
  private isPrinting = false;
  private readonly hold: PointerHold;

  constructor(private readonly host: ListHost) {
    const { signal } = host;
    this.hold = new PointerHold(signal);
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
      stepsOf: (key) => this.folds.get(key)?.length ?? 0,
      isStopping: (key) => this.turn.now?.key === key && this.turn.now.stopping === true,
      cutOf: (key) => this.marks.of(key),
      cutLineOf: (key) => this.marks.lineOf(key),
      editingOf: (key) => this.edits.of(key),
      edit: (key, kind) => this.edit(key, kind),
      endEdit: (key, saved) => this.endEdit(key, saved),
      unfold: (key) => this.unfold(key),
      switchTo: (key) => {
        this.follow = key;
        host.send({ command: "switch", key });
      },
      resized: () => this.settle(),
    };
    this.scroller.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("focusin", (event) => this.choose(keyOf(event.target)), { signal });
    this.body.addEventListener("pointerdown", (event) => this.down(keyOf(event.target)), { signal });
    this.body.addEventListener("pointerover", (event) => this.hover(keyOf(event.target), event.buttons), { signal });
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

  /** The newest rows, before `running` of the same moment. Only those that say something else are drawn anew. */
  set(rows: Row[]): void {
    this.given = keptRows(new Map(this.given.map((row) => [row.key, row])), rows);
    this.edits.carriedOut();
    this.finding.look(this.given);
    this.lay();
  }

  /** The turn that runs, whole; null when it has ended. */
  running(turn: Running | null): void {
    const before = this.turn.now;
    if (!this.turn.take(turn)) return;
    this.lay();
    if (before && !turn) this.announce(before.key);
  }

  /** The turn was stopped here: its row says so before Python does. */
  stopping(): void {
    const view = this.views.get(this.turn.now?.key ?? "");
    if (this.turn.stop()) view?.set(view.row);
  }

  /** What the turn has brought since; drawn with the next frame. */
  pieces(pieces: Pieces): void {
    const before = this.turn.now;
    const came = this.turn.add(pieces);
    if (came === "gap") this.host.send({ command: "resend" });
    if (came === "gap" || came === "nothing") return;
    if (came === "another" && before) this.given = withFinished(this.given, before);
    this.isOther ||= came !== "words";
    this.frame ||= requestAnimationFrame(() => this.stream());
  }

  /** Python did not do what was asked last: a field that it closed is there again, with its words. */
  refused(): void {
    const ended = this.edits.refused();
    if (ended) this.edit(ended.key, ended.editing.kind);
  }

  /** Nobody hears what was asked last: its field is there again, until Python answers after all. */
  unanswered(isSilent: boolean): void {
    const moved = this.edits.unanswered(isSilent);
    if (moved && isSilent) this.edit(moved.key, moved.editing.kind);
    else if (moved) this.views.get(moved.key)?.set(this.rows[this.places.get(moved.key)!]);
  }

  /** The messages that the next request leaves out because of the draft, and the others; grey with their cause. */
  cut(cut: Cut[], others: Unsent[] = []): void {
    this.marks.set(cut, others);
    this.marks.lay(this.rows);
    for (const view of this.views.values()) view.set(view.row);
    this.settle();
  }

  /** Brings a message into sight, out of the fold of a summary too; false where it isn't here. */
  reveal(key: string): boolean {
    const fold = this.places.has(key) ? undefined : foldOf(this.folds, key);
    if (fold !== undefined) {
      this.unfolded.add(fold);
      this.lay();
    }
    const row = this.places.get(key);
    if (row === undefined) return false;
    const wasStuck = this.isStuck;
    this.virtual.reveal(row);
    this.isStuck = row === this.rows.length - 1 || (wasStuck && isAtEnd(this.scroller));
    this.choose(key);
    this.settle();
    return true;
  }

  /** Goes to the end and stays there: what is sent, and what is answered to it, is seen. */
  toNewest(): void {
    this.isStuck = true;
    this.settle();
  }

  /** Marks the words in all messages and shows the first place; says how many there are. No words end it. */
  find(words: string): Found {
    this.finding.begin(this.given, words);
    for (const view of this.views.values()) this.finding.mark(view.element);
    return this.findNext(1);
  }

  /** The next place of the words, or with -1 the one before; from the last on again at the first. */
  findNext(by: 1 | -1, key = ""): Found {
    const { hit, found } = this.finding.step(by, key);
    if (!hit) return found;
    this.reveal(hit.key);
    const mark = this.finding.current(this.body, this.views.get(hit.key)?.element, hit.nth);
    if (mark) this.showInside(mark);
    return found;
  }

  // --- drawing

  /** What came since the last frame: of words alone only their row is drawn. */
  private stream(): void {
    this.frame = 0;
    const turn = this.turn.now;
    const row = this.places.get(turn?.key ?? "");
    if (turn?.elsewhere) return;
    if (!turn || row === undefined || this.isOther) {
      this.lay();
      return;
    }
    this.rows[row] = grown(this.rows[row], turn);
    this.views.get(turn.key)?.set(this.rows[row]);
    this.settle();
  }

  private lay(): void {
    const hadFocus = this.body.contains(document.activeElement);
    const act = actOf(document.activeElement);
    const wasLast = !hadFocus && this.isStuck && this.at === this.rows.at(-1)?.key;
    this.isOther = false;
    const { now } = this.turn;
    const all = withRunning(this.given, now?.elsewhere ? null : now);
    this.folds = foldsOf(all);
    this.rows = shownRows(all, this.folds, this.unfolded);
    const { rows } = this;
    this.places = new Map(rows.map(({ key }, row) => [key, row]));
    this.keepAt(wasLast);
    if (this.marks.lay(rows)) for (const view of this.views.values()) view.set(view.row);
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
    const known = this.views.get(row.key);
    if (known) return known.element;
    const view = new RowView(row, this.context);
    this.views.set(row.key, view);
    this.watch.observe(view.element);
    if (this.finding.isOn) this.finding.mark(view.element);
    return view.element;
  }

  private update(view: RowView, row: Row): void {
    view.set(row);
    if (this.finding.isOn && row.state !== "generating") this.finding.mark(view.element);
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
    scrollToEnd(this.scroller, () => this.virtual.update());
    this.top = this.scroller.scrollTop;
  }

  private scrolled(): void {
    const { scrollTop } = this.scroller;
    if (Math.abs(scrollTop - this.top) > 1) this.context.menu.close(false); // it was scrolled, and did not only grow
    if (isAtEnd(this.scroller)) this.isStuck = true;
    else if (scrollTop < this.top) this.isStuck = false;
    this.top = scrollTop;
    this.settle();
  }

  private resized(): void {
    this.width = this.scroller.clientWidth || this.width;
    this.isStuck ||= isAtEnd(this.scroller);
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
    if (this.hold.isDown || !key || key === this.at || !this.places.has(key)) return;
    this.at = key;
    this.markStop();
    this.showPlace();
    this.host.chosen?.(key);
  }

  private down(key: string): void {
    this.hold.begin(() => {
      this.choose(key);
      this.settle();
    });
  }

  private markStop(): void {
    for (const [key, view] of this.views) view.hold(key === this.at, key === this.hovered);
  }

  private hover(key: string, buttons: number): void {
    this.hold.saw(buttons);
    if (key === this.hovered || this.hold.isDown) return;
    this.hovered = key;
    this.markStop();
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
    else if (meant.sibling) isDone = toSibling(view.row, meant.sibling, this.context);
    else if (meant.press) isDone = press(view.element, meant.press);
    else if (meant.action) isDone = carryOut(view.row, meant.action, this.context, view.element);
    if (!isDone) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private doubled(event: MouseEvent): void {
    const view = this.views.get(keyOf(event.target));
    if (view && isOnWords(event.target)) carryOut(view.row, "edit", this.context, view.element);
  }

  // --- editing in place

  private edit(key: string, kind: Editing["kind"]): void {
    const row = this.rows[this.places.get(key) ?? -1];
    if (!row) return;
    this.edits.begin(key, kind, row.text);
    this.reveal(key);
    const view = this.views.get(key);
    view?.set(row);
    this.settle();
    view?.focusEdit();
  }

  private endEdit(key: string, saved: Editing | null): void {
    const view = this.views.get(key);
    if (this.edits.end(key, saved, view?.row.text) && saved)
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
    this.isStuck = isAtEnd(this.scroller);
    this.showPlace();
  }

  // --- where one is

  private go(way: Way): void {
    const last = this.rows.length - 1;
    const now = this.placeNow();
    const row = { first: 0, up: now - 1, down: now + 1, last }[way];
    if (row < 0 || row > last) return;
    this.reveal(this.rows[row].key);
    if (way === "last") this.toNewest();
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
    const fresh = this.isStuck ? 0 : rows.length - 1 - (this.places.get(this.seen) ?? rows.length - 1);
    this.nav.show(this.placeNow() + 1, rows.length, fresh);
  }

  private showInside(element: HTMLElement): void {
    const by = wayInto(element, this.scroller);
    if (!by) return;
    this.isStuck = false;
    this.scroller.scrollTop += by;
    this.settle();
  }

  /** A finished answer is read out, its first words; what is being written is not. */
  private announce(key: string): void {
    this.said.textContent = saidOf(this.given, key) ?? this.said.textContent;
  }
}
