// The text in the colours of one tokenizer. Only the lines in sight, and a few around them, are in the page.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { VirtualRows } from "../_shared/virtual_rows";
import { hitAt } from "./find_hits";
import { lineAt, visible } from "./line_breaks";
import type { Side, State, TokenPlace, TokenViewHost } from "./state";
import { type Cell, cells, startOf, stretchOf, tokenAt, tokensIn } from "./tokens";

export const LINE = 22; // pixels; the height of .line
const SPARE = 6 * LINE; // pixels drawn above and below what is seen
const TINTS = 4;
const MOST_PARTS = 24; // of a sign that many tokens share; more can't be told apart in its width

/** Attributes of a cell that is an option of the list. */
const OPTION = ["id", "role", "aria-label", "aria-selected"];

export class TokenPane {
  readonly element: HTMLElement;
  readonly scroller = h("div", { class: "scroll", role: "listbox", tabindex: 0 });
  private readonly sheet = h("div", { class: "sheet" });
  private readonly name = h("span", { class: "strong" });
  private readonly count = h("span", { class: "muted" });
  private readonly rows: VirtualRows;
  private readonly id = `cx-token-${Math.random().toString(36).slice(2)}`;
  private column: number | null = null; // pixels from the left, held while lines are walked

  constructor(
    private readonly state: State,
    private readonly side: Side,
    private readonly host: TokenViewHost,
  ) {
    const { signal } = host;
    this.scroller.append(this.sheet);
    this.rows = new VirtualRows({ scroller: this.scroller, body: this.sheet, spare: SPARE, absolute: true });
    const head = h("div", { class: "bar" }, this.name, this.count);
    this.element = h("section", { class: "pane" }, head, this.scroller);
    this.scroller.addEventListener("scroll", () => host.scrolled(side), { signal, passive: true });
    this.scroller.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.scroller.addEventListener("focus", () => this.came(), { signal });
    this.sheet.addEventListener("click", (event) => this.pointed(event, (place) => host.focus(place)), { signal });
    this.sheet.addEventListener("pointermove", (event) => this.pointed(event, (place) => host.hover(place)), {
      signal,
    });
    this.scroller.addEventListener("pointerleave", () => host.hover(null), { signal });
  }

  /** Pixels that a line may take. */
  get room(): number {
    return this.sheet.clientWidth;
  }

  /** Everything anew: another text, other tokens, another width. */
  draw(): void {
    const { state, side } = this;
    const { count } = state.sides[side];
    const name = state.names[side];
    this.name.textContent = harmless(name);
    const each = count ? `, ${(state.view.characters / count).toFixed(2)} characters each` : "";
    this.count.textContent = `${many(count, "token")}${each}`;
    this.scroller.setAttribute("aria-label", `${many(count, "token")} of ${harmless(name)}`);
    this.sheet.classList.toggle("plain", state.colour === "plain");
    this.rows.forget();
    this.rows.set({
      count: state.lines.length - 1,
      key: String,
      height: () => LINE,
      draw: (line) => this.line(line),
    });
    this.mark();
  }

  /** Puts the lines that came into sight into the page and takes out those that left it. */
  fill(): void {
    if (this.rows.update()) this.mark();
  }

  /** Brings a stretch of the text into sight, with a line to spare. */
  reveal(offset: number): void {
    const top = lineAt(this.state.lines, offset) * LINE;
    const { scrollTop, clientHeight } = this.scroller;
    if (top < scrollTop) this.scroller.scrollTop = top - LINE;
    else if (top + LINE > scrollTop + clientHeight) this.scroller.scrollTop = top + 2 * LINE - clientHeight;
    this.fill();
  }

  /** Shows which token is in focus and which is pointed at, here or as the same stretch by the other tokenizer. */
  mark(): void {
    const { at, over } = this.state;
    const held = this.range(at);
    const pointed = over && this.range(over);
    this.scroller.removeAttribute("aria-activedescendant");
    for (const line of this.rows.drawn.values())
      for (const cell of line.children) {
        const [first, last] = placesOf(cell as HTMLElement);
        const now = held !== null && first <= held[1] && last >= held[0];
        const own = now && at.side === this.side;
        cell.classList.toggle("at", own);
        cell.classList.toggle("also", now && !own);
        cell.classList.toggle("over", pointed !== null && first <= pointed[1] && last >= pointed[0]);
        if (own && !this.scroller.hasAttribute("aria-activedescendant")) this.announce(cell, at.token);
        else if (cell.role) for (const name of OPTION) cell.removeAttribute(name);
      }
    if (!this.scroller.hasAttribute("aria-activedescendant")) this.offerFirst();
  }

  /** A list whose focus is in the other one still has an option. */
  private offerFirst(): void {
    const first = this.sheet.querySelector<HTMLElement>("[data-first]");
    if (first) this.asOption(first, placesOf(first)[0], false);
  }

  private announce(cell: Element, token: number): void {
    this.asOption(cell, token, true);
    cell.id = this.id;
    this.scroller.setAttribute("aria-activedescendant", this.id);
  }

  private asOption(cell: Element, token: number, isSelected: boolean): void {
    const { text, sides } = this.state;
    const words = visible(text.slice(...stretchOf(text, sides[this.side], token)));
    cell.setAttribute("role", "option");
    cell.setAttribute("aria-selected", String(isSelected));
    cell.setAttribute("aria-label", `token ${grouped(token + 1)}, ${words.trim() || "blank"}`);
  }

  private range(place: TokenPlace): [number, number] | null {
    const { text, sides } = this.state;
    if (!sides[place.side].count || !sides[this.side].count) return null;
    if (place.side === this.side) return [place.token, place.token];
    return tokensIn(sides[this.side], ...stretchOf(text, sides[place.side], place.token));
  }

  private line(number: number): HTMLElement {
    const { text, lines, sides, colour } = this.state;
    const [from, to] = [lines[number], lines[number + 1]];
    const element = h("div", { class: "line" });
    for (const cell of cells(text, from, to, sides[this.side])) {
      const span = h("span", { class: this.kind(cell), "data-first": cell.first, "data-last": cell.last });
      if (cell.last > cell.first && colour === "token") share(span, cell);
      this.write(span, cell.start, cell.end);
      element.append(span);
    }
    return element;
  }

  private kind({ first, last, goesOn }: Cell): string {
    if (last > first) return goesOn ? "t shared on" : "t shared";
    const { inside, joint } = this.state.sides[this.side];
    const own = !goesOn && !joint[first] && !(first > 0 && inside[first - 1]);
    return `t t${first % TINTS}${goesOn ? " on" : own ? " own" : ""}`;
  }

  /** The text of a cell, with what was looked for marked in it. */
  private write(into: HTMLElement, start: number, end: number): void {
    const { text, hits } = this.state;
    let at = start;
    for (let i = hitAt(hits, start); i < hits.length && hits[i][0] < end; i++) {
      const from = Math.max(hits[i][0], start);
      const to = Math.min(hits[i][1], end);
      if (from > at) into.append(...words(text.slice(at, from)));
      into.append(h("mark", {}, words(text.slice(from, to))));
      at = to;
    }
    if (at < end) into.append(...words(text.slice(at, end)));
  }

  // --- mouse and keys

  private pointed(event: MouseEvent, tell: (place: TokenPlace) => void): void {
    const cell = (event.target as Element).closest<HTMLElement>("[data-first]");
    if (!cell) return;
    const [first, last] = placesOf(cell);
    const box = cell.getBoundingClientRect();
    const part = Math.floor(((event.clientX - box.left) / box.width) * (last - first + 1));
    tell({ side: this.side, token: Math.min(Math.max(first + part, first), last) });
  }

  /** The token here for the one in focus: itself, or by the other tokenizer the first of its stretch. */
  private here(): TokenPlace {
    const range = this.range(this.state.at);
    return { side: this.side, token: range?.[0] ?? 0 };
  }

  /** By key; a click says itself which token it means. */
  private came(): void {
    if (this.scroller.matches(":focus-visible") && this.state.sides[this.side].count) this.host.focus(this.here());
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { token } = this.here();
    const last = this.state.sides[this.side].count - 1;
    const page = Math.max(Math.floor(this.scroller.clientHeight / LINE) - 1, 1);
    const steps: Record<string, () => number> = {
      ArrowLeft: () => token - 1,
      ArrowRight: () => token + 1,
      Home: () => 0,
      End: () => last,
      ArrowUp: () => this.across(token, -1),
      ArrowDown: () => this.across(token, 1),
      PageUp: () => this.across(token, -page),
      PageDown: () => this.across(token, page),
    };
    if (!Object.hasOwn(steps, event.key) || last < 0) return;
    taken(event);
    const vertical = /Up|Down/.test(event.key);
    if (!vertical) this.column = null;
    const column = this.column;
    this.host.focus({ side: this.side, token: Math.min(Math.max(steps[event.key](), 0), last) });
    if (vertical) this.column = column ?? this.column;
  }

  /** The token so many lines further, below or above this one. */
  private across(token: number, by: number): number {
    const { text, lines, sides } = this.state;
    const tokens = sides[this.side];
    const from = lineAt(lines, stretchOf(text, tokens, token)[0]);
    const to = Math.min(Math.max(from + by, 0), lines.length - 2);
    if (to === from) return by < 0 ? 0 : tokens.count - 1;
    this.reveal(lines[from]);
    this.column ??= middle(this.rows.drawn.get(from), token);
    this.reveal(lines[to]);
    const found = [...(this.rows.drawn.get(to)?.children ?? [])] as HTMLElement[];
    const under = found.find((cell) => cell.offsetLeft + cell.offsetWidth > this.column!) ?? found.at(-1);
    return under ? placesOf(under)[0] : tokenAt(tokens, startOf(tokens, token));
  }
}

const placesOf = ({ dataset }: HTMLElement): [number, number] => [Number(dataset.first), Number(dataset.last)];

function middle(line: HTMLElement | undefined, token: number): number {
  for (const cell of (line?.children ?? []) as Iterable<HTMLElement>) {
    const [first, last] = placesOf(cell);
    if (first <= token && token <= last) return cell.offsetLeft + cell.offsetWidth / 2;
  }
  return 0;
}

/** A text as it is shown; the sign for a line's end is quieter than the rest. */
function words(text: string): (string | HTMLElement)[] {
  if (!text.endsWith("\n")) return [visible(text)];
  const end = h("span", { class: "end" }, visible("\n"));
  return text.length > 1 ? [visible(text.slice(0, -1)), end] : [end];
}

/** Tints side by side, one for each token that has a part in a sign. */
function share(span: HTMLElement, { first, last }: Cell): void {
  const count = Math.min(last - first + 1, MOST_PARTS);
  const tints = Array.from({ length: count }, (_, i) => `var(--t${(first + i) % TINTS}) 0 ${((i + 1) * 100) / count}%`);
  span.style.setProperty("--n", String(count));
  span.style.backgroundImage = `linear-gradient(90deg, ${tints.join(", ")})`;
}
