// The list of the text's rows: only those in sight are drawn, one of them holds the keys, characters tell their life.

import { h } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import type { ProvenanceLink } from "../_shared/provenance";
import { ProvenanceCard } from "../_shared/provenance_card";
import { VirtualRows } from "../_shared/virtual_rows";
import { TextPainter, type TextState } from "./draw_text";
import { type Item, itemsOf } from "./model_text";
import type { State } from "./payload";

/** More rows than these scroll in a place of their own. */
const MANY = 200;
const SPARE = 500; // pixels drawn above and below what is seen
const SOON = 40; // milliseconds until the tokens of rows that came into sight are asked for
const LINE = 18;

export interface TextHost {
  send(message: unknown): void;
  select(key: string): void;
  signal: AbortSignal;
}

export class TextList {
  readonly element = h("div", { class: "sent", hidden: true });
  private readonly body = h("div", { role: "group", "aria-label": "The text that the model reads" });
  private readonly virtual: VirtualRows;
  private readonly card: ProvenanceCard;
  private readonly painter: TextPainter;
  private items: Item[] = [];
  private at = "";
  private width = 0;
  private printing = false;
  private isDrawing = false;
  private wanted = new Set<number>();
  private asked = new Set<number>();
  private soon = 0;
  /** Row in which the hit is that was found last. */
  found = "";

  constructor(
    private readonly state: State,
    private readonly shown: () => TextState | null,
    private readonly host: TextHost,
  ) {
    const { signal } = host;
    const some = () => shown() as TextState;
    this.element.append(this.body);
    this.painter = new TextPainter(state, some, (key) => host.send({ command: "apply_remedy", key }));
    this.virtual = new VirtualRows({ scroller: this.element, body: this.body, spare: SPARE });
    this.card = new ProvenanceCard({
      tables: () => state.tables,
      signal,
      links: (stretches) => this.links(stretches),
      changed: () => this.virtual.update(),
    });
    this.card.listen(this.body);
    this.element.addEventListener("scroll", () => this.look(), { signal, passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("focusin", (event) => this.came(event), { signal });
    for (const [event, on] of [
      ["beforeprint", true],
      ["afterprint", false],
    ] as const)
      window.addEventListener(event, () => this.print(on), { signal });
    const watch = new ResizeObserver(() => this.resized());
    watch.observe(this.element);
    signal.addEventListener("abort", () => {
      watch.disconnect();
      clearTimeout(this.soon);
    });
  }

  /** Everything anew. The row that holds the keys is the same where it is still there. */
  draw(): void {
    const shown = this.shown();
    const focused = this.body.contains(document.activeElement);
    this.card.close();
    this.items = shown ? itemsOf(shown.text, this.state.messages, this.state.open) : [];
    if (!this.items.some(({ id }) => id === this.at)) this.at = this.items[0]?.id ?? "";
    this.virtual.forget();
    this.lay();
    if (!focused) return;
    this.isDrawing = true; // nobody chose this message: it has the focus again
    this.focus(this.index());
    this.isDrawing = false;
  }

  /** Another text, or other tokens: they are asked for anew. */
  forget(): void {
    this.asked = new Set();
  }

  /** Tokens of these rows have come: they are drawn again, whatever else stays. */
  tokensCame(rows: Iterable<number>): void {
    for (const row of rows) this.virtual.forget(`t:${row}`);
    this.lay();
  }

  remediesCame(): void {
    for (const [i, element] of this.virtual.drawn) {
      const item = this.items[i];
      const place = element.querySelector(".keep");
      if (item.kind === "gone" && place)
        place.replaceChildren(...h("div", {}, this.painter.remedy(item.gone.key)).childNodes);
    }
    this.mark();
  }

  private lay(): void {
    const { items } = this;
    const all = items.length <= MANY || this.printing;
    this.element.classList.toggle("crowded", !all);
    this.virtual.set({
      count: items.length,
      key: (i) => items[i].id,
      height: (i) => this.guess(items[i]),
      measured: () => true,
      draw: (i) => this.painter.item(items[i]),
      number: (element, i) => {
        element.dataset.id = items[i].id;
        if (element.localName !== "article") return;
        element.setAttribute("aria-posinset", String(i + 1));
        element.setAttribute("aria-setsize", String(items.length));
      },
      stays: () => this.index(),
      all,
    });
    this.mark();
  }

  private look(): void {
    if (this.virtual.update()) this.mark();
  }

  /** Height of a row that was not drawn yet, from its words. */
  private guess(item: Item): number {
    if (item.kind !== "row") return item.kind === "gone" ? 32 : 24;
    const { texts, spans } = this.state.tables;
    let characters = 0;
    for (const [, mine] of (this.shown() as TextState).text.rows[item.row][1])
      for (const i of mine) characters += texts[spans[i][0]].length;
    return 12 + LINE * (1 + Math.ceil(Math.min(characters, 1200) / 100));
  }

  // --- the row that holds the keys, the message that is selected

  private index(): number {
    return this.items.findIndex(({ id }) => id === this.at);
  }

  private keysOf(item: Item): string[] {
    if (item.kind === "gone") return [item.gone.key];
    if (item.kind === "fold") return [];
    const message = this.state.messages[(this.shown() as TextState).text.rows[item.row][0]];
    return message?.parts.map(({ key }) => key) ?? [];
  }

  private focus(i: number): void {
    const element = this.virtual.reveal(i);
    if (!element) return;
    this.at = this.items[i].id;
    this.mark();
    element.focus({ preventScroll: this.element.classList.contains("crowded") });
  }

  /** Marks what is selected and which row Tab reaches, and asks for the tokens of rows that came. */
  mark(): void {
    const { selected } = this.state;
    for (const [i, element] of this.virtual.drawn) {
      const item = this.items[i];
      const holds = item.id === this.at;
      element.tabIndex = holds ? 0 : -1;
      if (selected && this.keysOf(item).includes(selected)) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
      element.classList.toggle("found", this.found !== "" && item.id === this.found);
      for (const each of element.querySelectorAll<HTMLElement>(".keep button")) each.tabIndex = holds ? 0 : -1;
      if (item.kind === "row") this.want(item.row);
    }
    this.virtual.update();
  }

  /** Brings a row, or what is of a message, into sight, out of a fold too. False where it isn't here. */
  reveal(wanted: { id?: string; key?: string }, mayScrollPage: boolean, hit = -1): boolean {
    const { key, id } = wanted;
    const fold = this.items.find((item) => item.kind === "fold" && item.gone.some((gone) => gone.key === key));
    if (fold) {
      this.state.open.add(fold.id);
      this.draw();
    }
    const is = (item: Item) => item.id === id || (key !== undefined && this.keysOf(item).includes(key));
    const i = this.items.findIndex(is);
    if (i < 0) return false;
    this.at = this.items[i].id;
    const element = this.virtual.reveal(i);
    this.mark();
    if (mayScrollPage) (element?.querySelectorAll("mark")[hit] ?? element)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  private came(event: FocusEvent): void {
    const element = (event.target as HTMLElement).closest<HTMLElement>("[data-id]");
    const item = this.items.find(({ id }) => id === element?.dataset.id);
    if (!item) return;
    this.at = item.id;
    const keys = this.keysOf(item);
    if (keys.length && !this.isDrawing && !keys.includes(this.state.selected)) this.host.select(keys[0]);
    this.mark();
  }

  private clicked(event: MouseEvent): void {
    const button = (event.target as Element).closest<HTMLElement>("[data-fold],[data-whole]");
    if (!button) return;
    const { fold, whole } = button.dataset;
    const row = button.closest<HTMLElement>("[data-id]")?.dataset.id;
    const at = this.items.findIndex(({ id }) => id === row);
    this.state.open.add(fold ?? whole ?? "");
    this.draw();
    if (at >= 0) this.focus(at);
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!isSingle(event) || target.dataset.id === undefined) return;
    const at = this.index();
    const last = this.items.length - 1;
    const moves: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
    const to = moves[event.key];
    const item = this.items[at];
    if (to !== undefined) {
      taken(event);
      if (to >= 0 && to <= last) this.focus(to);
    } else if (event.key === "Enter" && target.localName === "article") {
      taken(event);
      this.card.enter(target);
    } else if (event.key.toLowerCase() === "k" && item?.kind === "gone") {
      taken(event);
      if (this.state.live && this.state.remedies.get(item.gone.key)?.able)
        this.host.send({ command: "apply_remedy", key: item.gone.key });
    }
  }

  /** What else is known of characters: the message whose role, calls or thoughts they are. */
  private links([first]: HTMLElement[]): ProvenanceLink[] {
    const row = first.closest<HTMLElement>("article.m")?.dataset.row;
    const message = row === undefined ? undefined : (this.shown() as TextState).text.rows[Number(row)]?.[0];
    const title = first.classList.contains("own") ? first.title : "";
    if (message === undefined || message < 0 || !title.startsWith("the role")) return [];
    const who = `message ${message + 1}`;
    return [{ source: "", what: "its role", who, before: null, text: "", reason: "as the template writes it" }];
  }

  // --- tokens

  private want(row: number): void {
    const shown = this.shown();
    if (!shown?.cut || !this.state.live || this.asked.has(row) || shown.tokens.has(row)) return;
    this.asked.add(row);
    this.wanted.add(row);
    if (this.soon) return;
    this.soon = window.setTimeout(() => {
      this.soon = 0;
      this.host.send({ command: "tokens", rows: [...this.wanted] });
      this.wanted = new Set();
    }, SOON);
  }

  // --- size

  private resized(): void {
    const { clientWidth } = this.element;
    if (!clientWidth || clientWidth === this.width) return;
    const isFirst = !this.width;
    this.width = clientWidth;
    if (!this.element.classList.contains("crowded")) return;
    if (!isFirst && !this.card.isOpen) this.virtual.forget();
    this.lay();
  }

  /** On paper every row is there. */
  private print(on: boolean): void {
    this.printing = on;
    this.lay();
  }
}
