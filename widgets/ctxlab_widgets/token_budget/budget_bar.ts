// The window as one bar by source, with the handle that sets the budget.

import { h } from "../_shared/dom";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { textWidths } from "../_shared/text_width";
import { type BudgetHost, BY_SOURCE, cutCount, handleAt, range, type State } from "./payload";
import { captions, type Placed, placed, scaleEnd, type Tick, ticks } from "./scale";

const KEYS: Record<string, number> = {
  ArrowRight: 16,
  ArrowUp: 16,
  ArrowLeft: -16,
  ArrowDown: -16,
  PageUp: 256,
  PageDown: -256,
};

export class BudgetBar {
  readonly element = h("div", { class: "win" });
  private readonly bar = h("div", { class: "bar0" });
  private readonly group = h("div", { role: "group", "aria-label": "Window by source" });
  private readonly first = h("span", { class: "cap" });
  private readonly second = h("span", { class: "cap" });
  private readonly edge = h("i", { class: "edge" });
  private readonly over = h("i", { class: "over" });
  private readonly axis = h("div", { class: "axis", "aria-hidden": "true" });
  private readonly hand: HTMLElement;
  private readonly segments = new Map<string, HTMLElement>();
  private end = 0;
  private width = 0;

  constructor(
    private readonly state: State,
    private readonly host: BudgetHost,
  ) {
    const { signal } = host;
    this.hand = h("div", {
      class: "hand",
      ...(state.live ? { role: "slider", tabindex: 0, "aria-label": "Budget in tokens", "aria-valuemin": 1 } : {}),
    });
    this.bar.append(this.group, this.over, this.edge, this.hand);
    this.element.append(h("div", { class: "caps" }, this.first, this.second), this.bar, this.axis);
    this.points(signal);
    if (state.live) this.moves(signal);
    const watch = new ResizeObserver(() => {
      if (this.element.clientWidth !== this.width) this.draw(false);
    });
    watch.observe(this.element);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  draw(held: boolean): void {
    const { view } = this.state;
    const handle = handleAt(this.state);
    const window = view.budget === null ? null : view.budget + view.reserve;
    this.end = scaleEnd({ segments: view.segments, window, handle, before: this.end, held });
    this.width = this.element.clientWidth;
    this.element.classList.toggle("held", held);
    this.draws(placed(view.segments));
    this.hand.style.left = this.part(handle);
    this.hand.classList.toggle("none", view.wanted === null && this.state.held === null);
    const { most } = range(this.state);
    this.says({
      "aria-valuemax": Math.max(most, handle),
      "aria-valuenow": handle,
      "aria-valuetext": this.words(handle),
    });
    this.edge.hidden = window === null;
    this.edge.style.left = this.part(window ?? 0);
    const beyond = view.refused !== "" && handle < view.sent;
    this.over.hidden = !beyond;
    this.over.style.left = this.part(handle);
    this.over.style.width = this.part(Math.max(0, view.sent - handle));
    this.captions(handle, window);
    this.axis.replaceChildren(...ticks(this.end, this.width, textWidths(this.axis)).map((tick) => this.tick(tick)));
  }

  /** What is pinned and what is pointed at stand out. */
  mark(): void {
    const { pinned, pointed } = this.state;
    for (const [look, each] of this.segments) {
      each.setAttribute("aria-pressed", String(pinned === BY_SOURCE + look));
      each.classList.toggle("at", pointed === BY_SOURCE + look);
    }
  }

  private part(tokens: number): string {
    return `${(100 * Math.min(tokens, this.end)) / this.end}%`;
  }

  private words(handle: number): string {
    const { view } = this.state;
    if (view.budget === null && this.state.held === null)
      return `${view.to_come ? "not cut yet" : "no budget"}, ${grouped(view.sent)} tokens are sent`;
    const free = view.budget === null ? 0 : view.budget - view.sent;
    const room = view.refused ? "too small" : `${grouped(free)} free, ${many(cutCount(view), "message")} cut`;
    return `${grouped(handle)} tokens, ${room}`;
  }

  private says(values: Record<string, string | number>): void {
    if (!this.state.live) return;
    for (const [name, value] of Object.entries(values)) this.hand.setAttribute(name, String(value));
  }

  private draws(all: Placed[]): void {
    const had = document.activeElement;
    for (const [look, each] of this.segments)
      if (!all.some((segment) => segment.look === look)) {
        each.remove();
        this.segments.delete(look);
      }
    for (const { look, name, tokens, start, end } of all) {
      const each = this.segments.get(look) ?? h("button", { type: "button", class: `seg fill src-${look}` });
      if (!this.segments.has(look)) {
        this.segments.set(look, each);
        each.dataset.look = look;
        each.tabIndex = -1;
      }
      each.setAttribute("aria-label", `${name}, ${grouped(tokens)} tokens`);
      const from = Math.min(start, this.end);
      const to = Math.min(end, this.end);
      each.style.left = this.part(from);
      each.style.width = `max(1px, calc(${(100 * (to - from)) / this.end}% - 1px))`;
      each.classList.toggle("runs-on", end > this.end);
    }
    const order = all.map(({ look }) => this.segments.get(look) as HTMLElement);
    if (order.some((each, i) => this.group.children[i] !== each)) {
      this.group.replaceChildren(...order);
      if (had instanceof HTMLElement && order.includes(had)) had.focus({ preventScroll: true });
    }
    if (order.length && !order.some((each) => each.tabIndex === 0)) onlyStop(order, 0);
    this.mark();
  }

  private captions(handle: number, window: number | null): void {
    const { view, held } = this.state;
    const cut = view.segments.find(([, look]) => look === "cut")?.[2] ?? 0;
    const total = view.segments.reduce((sum, [, , tokens]) => sum + tokens, 0);
    const none = view.wanted === null && held === null;
    this.first.replaceChildren(
      ...(none
        ? [view.to_come ? "not cut yet" : `no budget set${this.state.live ? ", drag to try one" : ""}`]
        : ["budget ", h("b", {}, grouped(handle))]),
    );
    const parts: (string | Node)[] = [];
    if (window !== null && view.reserve)
      parts.push(h("span", { class: "wide" }, cut ? "window ends; " : "window ends"));
    if (cut) parts.push("did not fit ", h("b", {}, grouped(cut)), total > this.end ? " \u2192" : "");
    this.second.replaceChildren(...parts);
    const at = (tokens: number) => (this.width * Math.min(tokens, this.end)) / this.end;
    const [one, two] = captions({
      handle: at(handle),
      edge: at(window ?? 0),
      width: this.width,
      first: this.first.offsetWidth,
      second: parts.length ? this.second.offsetWidth : 0,
    });
    this.first.style.left = `${one ?? 0}px`;
    this.second.style.left = `${two ?? 0}px`;
    this.second.classList.toggle("away", two === null);
  }

  private tick({ at, flipped }: Tick): HTMLElement {
    const each = h("span", { class: flipped ? "flip" : "" }, grouped(at));
    each.style.left = this.part(at);
    return each;
  }

  // --- what a person does

  private points(signal: AbortSignal): void {
    const { host, group } = this;
    const lookOf = (event: Event) => (event.target as HTMLElement).closest<HTMLElement>("[data-look]")?.dataset.look;
    const all = () => [...group.children] as HTMLElement[];
    const point = (event: Event) => host.point(BY_SOURCE + (lookOf(event) ?? ""));
    group.addEventListener("pointerover", point, { signal });
    group.addEventListener("pointerleave", () => host.point(""), { signal });
    group.addEventListener("focusin", point, { signal });
    group.addEventListener("focusout", () => host.point(""), { signal });
    group.addEventListener(
      "click",
      (event) => {
        const look = lookOf(event);
        if (!look) return;
        onlyStop(
          all(),
          all().findIndex((each) => each.dataset.look === look),
        );
        host.pin(BY_SOURCE + look);
      },
      { signal },
    );
    group.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Escape") return;
        taken(event);
        host.pin("");
      },
      { signal },
    );
    roving(group, all, { signal });
  }

  private moves(signal: AbortSignal): void {
    const { hand, host } = this;
    let grabbed: number | null = null;
    hand.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        hand.focus({ preventScroll: true });
        hand.setPointerCapture(event.pointerId);
        const box = hand.getBoundingClientRect();
        grabbed = event.clientX - (box.left + box.width / 2);
        host.begin();
      },
      { signal },
    );
    hand.addEventListener(
      "pointermove",
      (event) => {
        if (grabbed === null) return;
        const box = this.bar.getBoundingClientRect();
        const share = (event.clientX - grabbed - box.left) / Math.max(box.width, 1);
        this.goTo(Math.min(this.end, share * this.end));
      },
      { signal },
    );
    const release = () => {
      if (grabbed === null) return;
      grabbed = null;
      host.end();
    };
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      hand.addEventListener(name, release, { signal });
    hand.addEventListener("blur", () => host.end(), { signal });
    hand.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { least, most } = range(this.state);
    const by = KEYS[event.key];
    if (by === undefined && event.key !== "Home" && event.key !== "End") return;
    taken(event);
    this.host.begin(false);
    this.goTo(by !== undefined ? handleAt(this.state) + by : event.key === "Home" ? least : most);
  }

  private goTo(tokens: number): void {
    this.host.slide({ command: "budget", tokens: Math.max(1, Math.round(tokens)) });
  }
}
