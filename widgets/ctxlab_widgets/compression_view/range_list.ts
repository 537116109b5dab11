// The messages of the path, two handles that choose a range between legal cuts, and whole ranges by one message.

import { glyph, h, harmless } from "../_shared/dom";
import { moved, taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { type Radios, radios } from "../_shared/radios";
import { VirtualRows } from "../_shared/virtual_rows";
import { type Kind, nearest, type Payload, placeOfThis, placesOf, type Side } from "./payload";

const KNOWN = ["system", "user", "assistant", "tool"];
const NAMES = ["Start of the range", "End of the range"];
/** Time after the last key before the range is asked for: the keys between are on their way. */
const REST = 300;
/** Pixels of a row, as the stylesheet has them, and those drawn above and below what is seen. */
const ROW = 26;
const SPARE = 260;
/** Pixels by which a handle stands above its cut. */
const ABOVE = 7;
/** Letters of an id in a button. */
const NAME = 10;

interface Host {
  live: boolean;
  signal: AbortSignal;
  /** The range was chosen: positions of the first message and of that behind the last. */
  choose(start: number, end: number): void;
  /** A whole range was chosen: everything, or all above or below a message. */
  whole(kind: Exclude<Kind, "chosen">, id: string): void;
  /** A message is the one that "above" and "below" speak of. */
  select(id: string): void;
}

export class RangeList {
  readonly element: HTMLElement;
  private readonly scroller = h("div", { class: "rows" });
  private readonly body = h("div", { class: "path", role: "listbox", "aria-multiselectable": "true" });
  private readonly older = h("p", { class: "muted more", hidden: true });
  private readonly newer = h("p", { class: "muted more", hidden: true });
  private readonly last = h("div", { class: "cr end" });
  private readonly handles: HTMLButtonElement[];
  private readonly kinds: Radios;
  private readonly virtual: VirtualRows;
  private payload: Payload | null = null;
  private range: [number, number] = [0, 0];
  /** Position of the message that "above" and "below" speak of. */
  private at = -1;
  /** Whether somebody chose that message; else it is the one behind the range. */
  private isChosen = false;
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: Host) {
    const { signal } = host;
    this.handles = NAMES.map((name) =>
      h("button", {
        type: "button",
        class: "hand",
        role: "slider",
        "aria-orientation": "vertical",
        "aria-label": name,
      }),
    );
    for (const side of [0, 1] as const) this.listen(side);
    const kinds = { chosen: "Chosen", all: "All", above: "Above", below: "Below" };
    this.kinds = radios("Range", kinds, (kind) => this.picked(kind as Kind), signal);
    const hint = h("span", { class: "muted" }, "notches: legal cuts");
    const title = h("div", { class: "lh" }, h("h3", {}, "Range"), this.kinds.element, h("span", { class: "sp" }), hint);
    const sheet = h("div", { class: "sheet" }, this.body, this.last, this.handles);
    this.scroller.append(this.older, sheet, this.newer);
    this.element = h("div", { class: "l" }, title, this.scroller);
    this.virtual = new VirtualRows({ scroller: this.scroller, body: this.body, spare: SPARE, absolute: true });
    this.scroller.addEventListener("scroll", () => this.virtual.update(), { signal, passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.body.addEventListener("keydown", (event) => this.walk(event), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
  }

  draw(payload: Payload, selected: string): void {
    clearTimeout(this.waiting);
    const hadRow = this.body.contains(document.activeElement);
    this.payload = payload;
    this.range = [...payload.range];
    this.take(selected);
    this.body.setAttribute("aria-label", `${many(payload.rows.length, "message")} of the path`);
    this.last.replaceChildren(this.lane(payload.rows.length));
    this.last.style.top = `${payload.rows.length * ROW}px`;
    const [before, after] = payload.unlisted;
    const more = (element: HTMLElement, n: number, which: string) => {
      element.hidden = !n;
      element.textContent = `${many(n, `${which} message`)} not listed: first= and last= of compress() name any.`;
    };
    more(this.older, before, "older");
    more(this.newer, after, "newer");
    this.kinds.element.hidden = !this.isFree();
    this.virtual.forget();
    this.virtual.set({
      count: payload.rows.length,
      key: String,
      height: () => ROW,
      stays: () => this.at,
      draw: (row) => this.row(row),
    });
    this.place();
    if (hadRow) this.virtual.drawn.get(this.at)?.focus({ preventScroll: true });
  }

  /** Another message is in focus, here or in another view. */
  show(selected: string): void {
    const [at, was] = [this.at, this.isChosen];
    this.take(selected);
    if (at === this.at && was === this.isChosen) return;
    this.virtual.update();
    this.place();
  }

  private take(selected: string): void {
    if (!this.payload) return;
    this.at = placeOfThis(this.payload, selected);
    this.isChosen = this.at >= 0 && selected === `node:${this.payload.rows[this.at][0]}`;
  }

  /** Brings the range into sight. */
  reveal(): void {
    this.scroller.scrollTop = Math.max(0, this.range[0] * ROW - 2 * ROW);
    this.virtual.update();
  }

  private row(at: number): HTMLElement {
    const { rows } = this.payload as Payload;
    const [id, sort, words, tokens] = rows[at];
    const row = h(
      "div",
      { class: "cr", role: "option", "data-at": at, "aria-posinset": at + 1, "aria-setsize": rows.length },
      this.lane(at),
      signOf(sort),
      h("span", { class: "strong clip", title: harmless(id) }, harmless(id)),
      h("span", { class: "clip" }, h("span", { class: "vh" }, `${harmless(sort)}: `), harmless(words)),
      h("span", { class: "num" }, grouped(tokens)),
    );
    this.mark(row, at);
    return row;
  }

  private lane(at: number): HTMLElement {
    const why = this.payload?.cuts[at];
    return h("span", {
      class: why === null ? "cut" : "cut no",
      title: why === null ? "A range may begin or end here" : `No cut: ${why}`,
    });
  }

  private mark(row: HTMLElement, at: number): void {
    const inside = at >= this.range[0] && at < this.range[1];
    row.classList.toggle("in", inside);
    row.setAttribute("aria-selected", String(inside));
    row.tabIndex = at === this.at ? 0 : -1;
    if (at === this.at && this.isChosen) row.setAttribute("aria-current", "true");
    else row.removeAttribute("aria-current");
  }

  /** Puts the handles to their places, marks what is between them, and names the whole ranges. */
  private place(): void {
    const { payload, range } = this;
    const [start, end] = range;
    for (const [at, row] of this.virtual.drawn) this.mark(row, at);
    const rows = payload?.rows ?? [];
    for (const side of [0, 1] as const) {
      const handle = this.handles[side];
      const places = payload ? placesOf(payload, range, side) : [];
      const at = range[side];
      const id = rows[at]?.[0];
      handle.hidden = !places.length;
      handle.style.top = `${at * ROW - ABOVE + (side === 1 && start === end ? 2 * ABOVE : 0)}px`;
      handle.setAttribute("aria-valuemin", String(places[0] ?? 0));
      handle.setAttribute("aria-valuemax", String(places.at(-1) ?? 0));
      handle.setAttribute("aria-valuenow", String(at));
      handle.setAttribute("aria-valuetext", id === undefined ? "at the end" : `before ${harmless(id)}`);
      handle.setAttribute("aria-disabled", String(!this.isFree()));
    }
    const id = rows[this.at]?.[0] ?? "";
    const name = harmless(id.length > NAME ? `${id.slice(0, NAME - 1)}…` : id);
    this.kinds.label("above", `Above ${name}`);
    this.kinds.label("below", `Below ${name}`);
    const [kind, of] = payload?.chosen ?? ["chosen", ""];
    const moved = payload && (start !== payload.range[0] || end !== payload.range[1]);
    this.kinds.set(moved || (of && of !== id) ? "chosen" : kind);
  }

  private picked(kind: Kind): void {
    const id = this.payload?.rows[this.at]?.[0];
    if (kind !== "chosen" && (kind === "all" || id)) this.host.whole(kind, id ?? "");
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("[data-at]");
    if (row) this.goTo(Number(row.dataset.at));
  }

  private walk(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = moved(event.key, this.at, this.payload?.rows.length ?? 0, true);
    if (to === null) return;
    taken(event);
    this.goTo(to);
  }

  private goTo(at: number): void {
    [this.at, this.isChosen] = [at, true];
    this.virtual.reveal(at)?.focus({ preventScroll: true });
    this.place();
    const id = this.payload?.rows[at]?.[0];
    if (id) this.host.select(id);
  }

  private isFree(): boolean {
    return this.host.live && this.payload?.can_choose === true;
  }

  private move(side: Side, to: number | null): void {
    if (to === null || to === this.range[side]) return;
    this.range[side] = to;
    this.place();
    this.handles[side].scrollIntoView({ block: "nearest" });
  }

  private done(): void {
    clearTimeout(this.waiting);
    const { payload, range } = this;
    if (!payload || (range[0] === payload.range[0] && range[1] === payload.range[1]) || range[0] === range[1]) return;
    this.host.choose(range[0], range[1]);
  }

  private listen(side: Side): void {
    const handle = this.handles[side];
    const { signal } = this.host;
    handle.addEventListener("keydown", (event) => this.pressed(event, side), { signal });
    handle.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0 || !this.isFree()) return;
        taken(event);
        handle.focus();
        this.drag(side);
      },
      { signal },
    );
  }

  private pressed(event: KeyboardEvent, side: Side): void {
    if (!this.payload || !this.isFree() || event.altKey || event.ctrlKey || event.metaKey) return;
    const places = placesOf(this.payload, this.range, side);
    const to = moved(event.key, places.indexOf(this.range[side]), places.length, true);
    if (event.key === "Enter") this.done();
    else if (to === null) return;
    taken(event);
    if (to === null) return;
    this.move(side, places[to]);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.done(), REST);
  }

  /** Until the button is let go the handle is at the legal cut nearest to the pointer. */
  private drag(side: Side): void {
    const ending = new AbortController();
    const until = { signal: AbortSignal.any([this.host.signal, ending.signal]) };
    const follow = (event: PointerEvent) => {
      if (!this.payload) return;
      const wish = Math.round((event.clientY - this.body.getBoundingClientRect().top) / ROW);
      this.move(side, nearest(placesOf(this.payload, this.range, side), wish));
    };
    const stop = () => {
      ending.abort();
      this.done();
    };
    document.addEventListener("pointermove", follow, until);
    document.addEventListener("pointerup", stop, until);
    document.addEventListener("pointercancel", stop, until);
  }
}

function signOf(sort: string): HTMLElement {
  const role = KNOWN.includes(sort) ? sort : "user";
  return sort === "summary"
    ? h("span", { class: "src-summary" }, glyph(sort))
    : h("span", { class: `role r-${role}` }, glyph(role));
}
