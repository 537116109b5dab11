// The messages of the path, and two handles that choose a range between legal cuts.

import { glyph, h, harmless } from "../_shared/dom";
import { moved, taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { nearest, type Payload, placesOf, type Side } from "./payload";

const KNOWN = ["system", "user", "assistant", "tool"];
const NAMES = ["Start of the range", "End of the range"];
/** Time after the last key before the range is asked for: the keys between are on their way. */
const REST = 300;

interface Host {
  live: boolean;
  signal: AbortSignal;
  /** The range was chosen: positions of the first message and of that behind the last. */
  choose(start: number, end: number): void;
}

export class RangeList {
  readonly element: HTMLElement;
  private readonly list = h("div", { class: "rows", role: "list" });
  private readonly handles: HTMLButtonElement[];
  private payload: Payload | null = null;
  private rows: HTMLElement[] = [];
  private range: [number, number] = [0, 0];
  private waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: Host) {
    this.handles = NAMES.map((name) =>
      h("button", { type: "button", class: "hand", role: "slider", "aria-label": name }),
    );
    for (const side of [0, 1] as const) this.listen(side);
    const title = h("div", { class: "lh" }, h("h3", {}, "Range"), h("span", { class: "muted" }, "notches: legal cuts"));
    this.element = h("div", { class: "l" }, title, this.list);
    host.signal.addEventListener("abort", () => clearTimeout(this.waiting));
  }

  draw(payload: Payload): void {
    clearTimeout(this.waiting);
    const at = this.handles.indexOf(document.activeElement as HTMLButtonElement);
    this.payload = payload;
    this.range = [...payload.range];
    this.list.setAttribute("aria-label", `${many(payload.rows.length, "message")} of the path`);
    this.rows = payload.rows.map(([id, sort, words, tokens], i) =>
      h(
        "div",
        { class: "cr", role: "listitem" },
        this.lane(i),
        signOf(sort),
        h("span", { class: "strong clip", title: harmless(id) }, harmless(id)),
        h("span", { class: "clip" }, h("span", { class: "vh" }, `${harmless(sort)}: `), harmless(words)),
        h("span", { class: "num" }, grouped(tokens)),
      ),
    );
    const end = h(
      "div",
      { class: "cr end", role: "listitem" },
      this.lane(payload.rows.length),
      h("span"),
      h("span", { class: "muted" }, "end"),
    );
    this.rows.push(end);
    const [before, after] = payload.unlisted;
    const more = (n: number, which: string) =>
      n > 0 &&
      h(
        "p",
        { class: "muted more" },
        `${many(n, `${which} message`)} not listed: first= and last= of compress() name any.`,
      );
    this.list.replaceChildren(...h("div", {}, more(before, "older"), this.rows, more(after, "newer")).childNodes);
    this.place();
    if (at >= 0) this.handles[at].focus({ preventScroll: true });
  }

  /** Brings the range into sight. */
  reveal(): void {
    const row = this.rows[this.range[0]];
    if (row) this.list.scrollTop = row.offsetTop - this.list.offsetTop - 48;
  }

  private lane(at: number): HTMLElement {
    const why = this.payload?.cuts[at];
    return h("span", {
      class: why === null ? "cut" : "cut no",
      title: why === null ? "A range may begin or end here" : `No cut: ${why}`,
    });
  }

  /** Puts the handles to their places and marks what is between them. */
  private place(): void {
    const [start, end] = this.range;
    for (const [i, row] of this.rows.entries()) {
      const inside = i >= start && i < end;
      row.classList.toggle("in", inside);
      if (inside) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    const rows = this.payload?.rows ?? [];
    for (const side of [0, 1] as const) {
      const handle = this.handles[side];
      const places = this.payload ? placesOf(this.payload, this.range, side) : [];
      const at = this.range[side];
      const id = rows[at]?.[0];
      handle.hidden = !places.length;
      handle.classList.toggle("under", side === 1 && start === end);
      handle.setAttribute("aria-valuemin", String(places[0] ?? 0));
      handle.setAttribute("aria-valuemax", String(places.at(-1) ?? 0));
      handle.setAttribute("aria-valuenow", String(at));
      handle.setAttribute("aria-valuetext", id === undefined ? "at the end" : `before ${harmless(id)}`);
      handle.setAttribute("aria-disabled", String(!this.isFree()));
      const lane = this.rows[at]?.firstElementChild;
      if (lane && handle.parentElement !== lane) lane.append(handle);
    }
  }

  private isFree(): boolean {
    return this.host.live && this.payload?.can_choose === true;
  }

  private move(side: Side, to: number | null): void {
    if (to === null || to === this.range[side]) return;
    const handle = this.handles[side];
    const had = document.activeElement === handle;
    this.range[side] = to;
    this.place();
    if (had) handle.focus({ preventScroll: true });
    this.rows[to]?.scrollIntoView({ block: "nearest" });
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
      const wish = this.rows.filter(
        (row) => row.getBoundingClientRect().top + row.offsetHeight / 2 < event.clientY,
      ).length;
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
