// A bar for every message in sent order, what was cut in its place, and the line between what goes and what stays.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { type Price, remedyButton } from "../_shared/remedy_button";
import { VirtualRows } from "../_shared/virtual_rows";
import { Overview } from "./overview";
import {
  type BudgetHost,
  type BudgetRow,
  BY_SOURCE,
  cost,
  isCut,
  lineAt,
  names,
  priceOf,
  type State,
  unitsBelow,
  unitsKept,
} from "./payload";

const ROW = 18; // pixels; the height of .mb
const LINE = 24; // pixels; the height of .cutline
const SPARE = 6 * ROW; // pixels drawn above and below what is seen
/** More rows than these scroll in a place of their own. */
const MANY = 60;
/** Rows that such a place shows at once. */
const SHOWN = 28;
const STATES: Record<string, string> = { k: "kept", p: "protected", s: "shortened", c: "cut" };

export class MessageList {
  readonly element = h("div", { class: "list" });
  private readonly count = h("span", { class: "muted" });
  private readonly changed = h("span", { class: "changed", "aria-live": "polite" });
  private readonly scroller = h("div", { class: "shelf" });
  private readonly tall = h("div", { class: "tall" });
  private readonly rows: HTMLElement;
  private readonly line: HTMLElement;
  private readonly lineWords = h("span", { class: "lw" });
  /** The buttons that keep a message: at the row that is pointed at or chosen, and at the cut line. */
  private readonly keepHere = h("div", { class: "keep" });
  private readonly keepBorder = h("div", { class: "keep" });
  private readonly overview: Overview;
  private readonly virtual: VirtualRows;
  /** Ids in a page with several widgets. */
  private readonly name = `tb${Math.random().toString(36).slice(2, 10)}`;
  private at = 0;
  private largest = 1;
  /** The line as it stood last; undefined before the first picture. */
  private drawnLine: number | null | undefined;

  constructor(
    private readonly state: State,
    private readonly host: BudgetHost,
  ) {
    const { signal } = host;
    this.rows = h("div", { class: "rows", role: "listbox", tabindex: 0, "aria-label": "Messages by tokens" });
    this.line = h("div", { class: "cutline" }, h("span", { class: "grip" }), this.lineWords);
    this.overview = new Overview(state, signal, (row) => this.scrollTo(row));
    this.tall.append(this.rows, this.line, this.keepHere, this.keepBorder);
    this.scroller.append(this.tall);
    this.virtual = new VirtualRows({ scroller: this.scroller, body: this.rows, spare: SPARE, absolute: true });
    const head = h("div", { class: "lh" }, this.count, h("span", { class: "sp" }), this.changed);
    this.element.append(head, this.overview.element, this.scroller);
    this.scroller.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.listen(signal);
  }

  draw(): void {
    const { state } = this;
    const { rows } = state.messages;
    const line = lineAt(state);
    this.largest = rows.reduce((most, row) => Math.max(most, cost(row)), 1);
    this.at = Math.min(this.at, Math.max(rows.length - 1, 0));
    const crowded = rows.length > MANY;
    this.scroller.classList.toggle("crowded", crowded);
    this.scroller.style.height = crowded ? `${SHOWN * ROW + LINE}px` : "";
    this.tall.style.height = `${rows.length * ROW + (line === null ? 0 : LINE)}px`;
    this.rows.hidden = !rows.length;
    this.count.textContent = this.heading();
    this.changed.textContent = harmless(state.view.changed);
    this.changed.title = harmless(state.view.changed);
    this.drawLine(line);
    this.drawKeepBorder(line);
    this.overview.draw(crowded, line);
    if (crowded) this.follow(line);
    this.drawnLine = line;
    this.virtual.forget();
    this.virtual.set({
      count: rows.length,
      key: String,
      height: () => ROW,
      gap: line === null ? null : { above: line, height: LINE },
      draw: (row) => this.row(row),
      all: !crowded,
    });
    this.drawRows();
  }

  /** Many rows begin at the cut; where the line was in sight it stays in sight. */
  private follow(line: number | null): void {
    if (line === null || line === this.drawnLine) return;
    const { scrollTop, clientHeight } = this.scroller;
    const seen = (at: number) => at * ROW >= scrollTop && at * ROW + LINE <= scrollTop + clientHeight;
    if (this.drawnLine === undefined || (this.drawnLine !== null && seen(this.drawnLine) && !seen(line)))
      this.scroller.scrollTop = line * ROW - clientHeight / 2;
  }

  /** What is pointed at, pinned or selected stands out; nothing else changes. */
  mark(): void {
    const { pinned, pointed, selected, messages } = this.state;
    const source = (pointed || pinned).startsWith(BY_SOURCE) ? (pointed || pinned).slice(BY_SOURCE.length) : "";
    for (const each of this.rows.querySelectorAll<HTMLElement>("[data-row]")) {
      const row = messages.rows[Number(each.dataset.row)];
      if (!row) continue;
      const cut = each.classList.contains("is-cut");
      each.classList.toggle("of", source !== "" && (cut ? source === "cut" : row[3].some(([look]) => look === source)));
      each.classList.toggle("pin", row[0] === pinned);
      each.setAttribute("aria-selected", String(names(selected, row)));
      each.classList.toggle("at", Number(each.dataset.row) === this.at);
    }
    this.drawKeep();
  }

  private heading(): string {
    const { rows } = this.state.messages;
    const { states, messages } = this.state.view;
    const sent = states.length - (states.split("c").length - 1);
    const words = `${many(rows.length, "message")}, in the order in which ${rows.length === 1 ? "it is" : "they are"} sent`;
    return sent > messages ? `${words}; ${grouped(sent)} that stay are joined into ${grouped(messages)}` : words;
  }

  /** At a cut message that is pointed at, or else chosen, the button that keeps it. */
  private drawKeep(): void {
    const { state } = this;
    const { pointed, pinned, selected, messages, remedies, view } = state;
    const at = [pointed, pinned, selected]
      .filter(Boolean)
      .map((key) => messages.rows.findIndex((row) => names(key, row)));
    const may = state.live && !view.refused;
    const row = may ? (at.find((each) => each >= 0 && isCut(view, each)) ?? -1) : -1;
    const key = messages.rows[row]?.[0] ?? "";
    const price = priceOf(state, row);
    const remedy =
      remedies.get(key) ??
      (price === null ? undefined : { text: "", label: "Keep it", price: ofBudget(price), able: true });
    const button = row >= 0 ? remedyButton(remedy, state.live, () => this.keepMessage(key)) : null;
    this.keepHere.hidden = button === null;
    this.keepHere.style.top = `${this.virtual.offsets.top(Math.max(row, 0))}px`;
    if (this.keepHere.dataset.of === `${key} ${button?.textContent}`) return;
    this.keepHere.dataset.of = `${key} ${button?.textContent}`;
    this.keepHere.replaceChildren(...(button ? [button] : []));
  }

  /** The button goes with the message that it keeps; the focus stays in the list. */
  private keepMessage(key: string): void {
    this.rows.focus({ preventScroll: true });
    this.host.keep(key);
  }

  private drawKeepBorder(line: number | null): void {
    const { state } = this;
    const { border } = state.view;
    const row =
      border && line !== null && !state.view.refused
        ? state.messages.rows.findIndex(([key]) => key === border.key)
        : -1;
    const price = priceOf(state, row);
    const label = `Keep ${harmless(border?.name ?? "")}`;
    const remedy = price === null ? undefined : { text: "", label, price: ofBudget(price), able: true };
    const button = remedyButton(remedy, state.live, () => this.keepMessage(border?.key ?? ""));
    this.keepBorder.hidden = button === null;
    this.keepBorder.style.top = `${(line ?? 0) * ROW + (LINE - ROW) / 2}px`;
    this.keepBorder.replaceChildren(...(button ? [button] : []));
  }

  /** Brings a message into sight inside the list, never by moving the page. */
  reveal(key: string): void {
    const at = this.state.messages.rows.findIndex((row) => names(key, row));
    if (at < 0) return;
    this.at = at;
    const top = this.virtual.offsets.top(at);
    const { scrollTop, clientHeight } = this.scroller;
    if (this.scroller.classList.contains("crowded") && (top < scrollTop || top + ROW > scrollTop + clientHeight))
      this.scroller.scrollTop = top - clientHeight / 2;
    this.drawRows();
  }

  private scrollTo(row: number): void {
    this.scroller.scrollTop = this.virtual.offsets.top(row) - this.scroller.clientHeight / 2;
  }

  private scrolled(): void {
    this.drawRows();
  }

  private drawRows(): void {
    this.virtual.update();
    const [first, last] = this.virtual.range;
    this.overview.markRange(first, last);
    const active = this.at >= first && this.at < last ? this.id(this.at) : null;
    if (active) this.rows.setAttribute("aria-activedescendant", active);
    else this.rows.removeAttribute("aria-activedescendant");
    this.mark();
  }

  private id = (row: number): string => `${this.name}-${row}`;

  private row(at: number): HTMLElement {
    const { view, messages } = this.state;
    const row = messages.rows[at];
    const [key, words, look] = row;
    const tokens = cost(row);
    const cut = isCut(view, at);
    const sign = view.marks[at] === "+" ? "+" : view.marks[at] === "-" ? "\u2212" : "";
    const falls = sign === "+" ? ", comes in" : sign ? ", falls out" : "";
    const bars = cut
      ? [h("i", { class: "fill src-cut" })]
      : row[3].map(([each]) => h("i", { class: `fill src-${each}` }));
    const parts = cut ? [tokens] : row[3].map(([, n]) => n);
    for (const [i, bar] of bars.entries()) bar.style.width = `${(100 * parts[i]) / this.largest}%`;
    return h(
      "div",
      {
        class: `mb${cut ? " is-cut" : ""}${sign ? (sign === "+" ? " in" : " out") : ""}`,
        role: "option",
        id: this.id(at),
        "data-key": key,
        "data-row": at,
        title: harmless(key),
        "aria-setsize": messages.rows.length,
        "aria-posinset": at + 1,
      },
      h("span", { class: `sg src-${cut ? "cut" : look}` }, glyph(cut ? "cut" : look)),
      h("span", { class: "nm" }, harmless(words)),
      h("span", { class: "tr" }, bars),
      h("span", { class: "sign", "aria-hidden": "true" }, sign),
      h(
        "span",
        { class: "num" },
        grouped(tokens),
        h("span", { class: "vh" }, ` tokens, ${STATES[view.states[at]]}${falls}`),
      ),
    );
  }

  // --- the cut

  private drawLine(line: number | null): void {
    const { state } = this;
    const { view, messages } = state;
    this.line.hidden = line === null;
    this.line.style.top = `${(line ?? 0) * ROW}px`;
    const kept = unitsKept(state);
    const border = view.border;
    const words = border
      ? `${harmless(border.name)} needed ${grouped(border.needed)}, left ${grouped(border.left)}`
      : "nothing";
    this.lineWords.replaceChildren(h("b", {}, "cut"), ` ${words}`);
    const moves = state.live && view.by_units && line !== null;
    this.line.classList.toggle("moves", moves);
    const units = messages.ladder.length - 1;
    const attributes: Record<string, string | number> = {
      role: "slider",
      tabindex: 0,
      "aria-orientation": "vertical",
      "aria-label": "Messages, or calls with their results, that stay",
      "aria-valuemin": 0,
      "aria-valuemax": units,
      "aria-valuenow": kept,
      "aria-valuetext": `${grouped(kept)} of ${grouped(units)} stay; cut: ${words}`,
    };
    for (const [name, value] of Object.entries(attributes))
      if (moves) this.line.setAttribute(name, String(value));
      else this.line.removeAttribute(name);
  }

  private keep(units: number): void {
    const most = this.state.messages.ladder.length - 1;
    const to = Math.min(Math.max(units, 0), most);
    this.host.slide({ command: "keep", units: to });
  }

  private listen(signal: AbortSignal): void {
    const { rows, line, host } = this;
    const keyAt = (event: Event) => (event.target as HTMLElement).closest<HTMLElement>("[data-key]");
    rows.addEventListener("pointerover", (event) => host.point(keyAt(event)?.dataset.key ?? ""), { signal });
    this.tall.addEventListener("pointerleave", () => host.point(""), { signal });
    rows.addEventListener("focus", () => this.entered(), { signal });
    rows.addEventListener("blur", (event) => this.keepHere.contains(event.relatedTarget as Node) || host.point(""), {
      signal,
    });
    rows.addEventListener(
      "click",
      (event) => {
        const row = keyAt(event);
        if (row) this.choose(Number(row.dataset.row));
      },
      { signal },
    );
    rows.addEventListener("keydown", (event) => this.pressed(event), { signal });
    line.addEventListener("keydown", (event) => this.pressedOnLine(event), { signal });
    line.addEventListener("blur", () => host.end(), { signal });
    this.dragLine(signal);
  }

  private dragLine(signal: AbortSignal): void {
    const { line, host } = this;
    let requested: number | null = null;
    line.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0 || !line.classList.contains("moves")) return;
        event.preventDefault();
        line.focus({ preventScroll: true });
        line.setPointerCapture(event.pointerId);
        requested = unitsKept(this.state);
        host.begin();
      },
      { signal },
    );
    line.addEventListener(
      "pointermove",
      (event) => {
        if (requested === null) return;
        const box = this.scroller.getBoundingClientRect();
        if (event.clientY < box.top) this.scroller.scrollTop -= ROW;
        else if (event.clientY > box.bottom) this.scroller.scrollTop += ROW;
        const y = event.clientY - this.tall.getBoundingClientRect().top;
        const { rows } = this.state.messages;
        const cut = lineAt(this.state);
        const under = cut !== null && y >= cut * ROW + LINE;
        const over = cut !== null && y < cut * ROW;
        if (!under && !over) return;
        const to = unitsBelow(rows, this.virtual.offsets.at(y + (over ? ROW / 2 : -ROW / 2)) + (under ? 1 : 0));
        if (to === requested) return;
        requested = to;
        this.keep(to);
      },
      { signal },
    );
    const release = () => {
      if (requested === null) return;
      requested = null;
      host.end();
    };
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      line.addEventListener(name, release, { signal });
  }

  private pressedOnLine(event: KeyboardEvent): void {
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    taken(event);
    this.host.begin(false);
    this.keep(unitsKept(this.state) + by);
  }

  // --- the keys

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const last = this.state.messages.rows.length - 1;
    const to: Record<string, number> = {
      ArrowUp: this.at - 1,
      ArrowDown: this.at + 1,
      PageUp: this.at - SHOWN,
      PageDown: this.at + SHOWN,
      Home: 0,
      End: last,
    };
    const chosen = event.key === "Enter" || event.key === " ";
    const keeps = event.key.toLowerCase() === "k" && this.state.live && isCut(this.state.view, this.at);
    if (!chosen && !keeps && event.key !== "Escape" && !(event.key in to)) return;
    taken(event);
    if (keeps) {
      this.host.keep(this.state.messages.rows[this.at][0]);
      return;
    }
    if (event.key === "Escape") {
      this.host.point("");
      this.host.pin("");
    } else if (chosen) this.choose(this.at);
    else this.walk(Math.min(Math.max(to[event.key], 0), last));
  }

  /** The keys begin where somebody looks. */
  private entered(): void {
    const { scrollTop, clientHeight } = this.scroller;
    const top = this.virtual.offsets.top(this.at);
    if (!this.scroller.classList.contains("crowded") || (top >= scrollTop && top + ROW <= scrollTop + clientHeight))
      return;
    this.at = this.virtual.offsets.at(scrollTop + ROW - 1);
    this.drawRows();
  }

  private walk(at: number): void {
    const row: BudgetRow | undefined = this.state.messages.rows[at];
    if (!row) return;
    this.reveal(row[0]);
    this.host.point(row[0]);
  }

  private choose(at: number): void {
    const row: BudgetRow | undefined = this.state.messages.rows[at];
    if (!row) return;
    this.at = at;
    this.host.select(row[0]);
    this.host.pin(row[0]);
  }
}

const ofBudget = (tokens: number): Price => ({ tokens, of: "budget" });
