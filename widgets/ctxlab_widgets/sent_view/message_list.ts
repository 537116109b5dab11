// The list of what is sent: only the rows in sight are drawn, one of them holds the keys, words tell their life.

import { toggleReasons } from "../_shared/attachment_chip";
import { h } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import type { ProvenanceLink } from "../_shared/provenance";
import { ProvenanceCard } from "../_shared/provenance_card";
import { VirtualRows } from "../_shared/virtual_rows";
import { RowPainter } from "./draw_rows";
import type { Part, State } from "./payload";
import { foldOf, keyOf, type Row, rowsOf, shows } from "./rows";

/** More rows than these scroll in a place of their own. */
const MANY = 200;
const SPARE = 500; // pixels drawn above and below what is seen
const SOON = 40; // milliseconds until the prices of ghosts that came into sight are asked for
const LINE = 20;

export interface ListHost {
  send(message: unknown): void;
  select(key: string): void;
  signal: AbortSignal;
}

export class MessageList {
  readonly element = h("div", { class: "sent" });
  private readonly body = h("div", { role: "group", "aria-label": "Messages as the model reads them" });
  private readonly virtual: VirtualRows;
  private readonly card: ProvenanceCard;
  private readonly painter: RowPainter;
  private rows: Row[] = [];
  private at = "";
  private width = 0;
  private printing = false;
  private isDrawing = false;
  /** Whether a pointer is down, and the message that it went down on. */
  private isDown = false;
  private chosen = "";
  private asked = new Set<string>();
  private wanted = new Set<string>();
  private soon = 0;
  /** Key of the part in which the hit is that was found last. */
  found = "";

  constructor(
    private readonly state: State,
    private readonly host: ListHost,
  ) {
    const { signal } = host;
    this.element.append(this.body);
    this.painter = new RowPainter(state, {
      keep: (key) => host.send({ command: "apply_remedy", key }),
      open: (view, key) => host.send({ command: "open_view", view, key }),
      resized: () => void this.virtual.update(),
    });
    this.virtual = new VirtualRows({ scroller: this.element, body: this.body, spare: SPARE });
    this.card = new ProvenanceCard({
      tables: () => state.tables,
      signal,
      links: (stretches) => this.links(stretches),
      buttons: (stretches) => this.ways(stretches),
      changed: () => this.virtual.update(),
    });
    this.card.listen(this.body);
    this.element.addEventListener("scroll", () => this.look(), { signal, passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("focusin", (event) => this.came(event), { signal });
    this.body.addEventListener("pointerdown", () => this.pressedDown(), { signal });
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
    const { state } = this;
    const focused = this.body.contains(document.activeElement);
    this.card.close();
    this.rows = rowsOf({ ...state, bare: (part) => this.isBare(part) });
    if (!this.rows.some((row) => row.id === this.at)) this.at = this.rows[0]?.id ?? "";
    this.virtual.forget();
    this.lay();
    if (!focused) return;
    this.isDrawing = true; // nobody chose this message: it has the focus again
    this.focus(this.index());
    this.isDrawing = false;
  }

  /** A run with other messages: prices are asked for anew. */
  forget(): void {
    this.asked = new Set();
  }

  private lay(): void {
    const { rows } = this;
    const all = rows.length <= MANY || this.printing;
    this.element.classList.toggle("crowded", !all);
    this.virtual.set({
      count: rows.length,
      key: (row) => rows[row].id,
      height: (row) => this.guess(rows[row]),
      measured: () => true,
      draw: (row) => this.painter.row(rows[row]),
      number: (element, row) => {
        element.dataset.id = rows[row].id;
        if (element.localName !== "article") return;
        element.setAttribute("aria-posinset", String(row + 1));
        element.setAttribute("aria-setsize", String(rows.length));
      },
      stays: () => this.index(),
      all,
    });
    this.mark();
  }

  private look(): void {
    if (this.virtual.update()) this.mark();
  }

  /** Height of a row that was not drawn yet, from the length of its words. */
  private guess(row: Row): number {
    if (row.kind !== "part" && row.kind !== "raw") return row.kind === "ghost" ? 32 : 24;
    const { tables, messages } = this.state;
    const { parts } = messages[row.message];
    const of = row.kind === "part" ? [parts[row.part]] : parts;
    let characters = 0;
    for (const part of of) for (const i of part.spans) characters += tables.texts[tables.spans[i][0]].length;
    const lines = Math.max(1, Math.ceil(Math.min(characters, 1200) / 110));
    return 12 + LINE * lines + (row.kind === "raw" || row.part === 0 ? 17 : 0);
  }

  private isBare(part: Part): boolean {
    const { tables, hits, selected } = this.state;
    const changed = part.spans.some(
      (i) => tables.spans[i][4].length > 0 && !tables.spans[i][1].match(/^(macro|variable)$/),
    );
    return changed || hits.has(part.key) || (selected !== "" && part.key === selected);
  }

  // --- the row that holds the keys, the one that is selected

  private index(): number {
    return this.rows.findIndex((row) => row.id === this.at);
  }

  private focus(row: number): void {
    const element = this.virtual.reveal(row);
    if (!element) return;
    this.at = this.rows[row].id;
    this.mark();
    element.focus({ preventScroll: this.element.classList.contains("crowded") });
  }

  /** Marks what is selected and which row Tab reaches, and asks for the prices of ghosts that came. */
  mark(): void {
    const { messages, selected } = this.state;
    for (const [i, element] of this.virtual.drawn) {
      const row = this.rows[i];
      const is = shows(row, messages, selected);
      const holds = row.id === this.at;
      if (row.kind !== "sum") element.tabIndex = holds ? 0 : -1;
      if (is) element.setAttribute("aria-current", "true");
      else element.removeAttribute("aria-current");
      element.classList.toggle("found", this.found !== "" && shows(row, messages, this.found));
      const ways = element.querySelector(":scope > .bd .ways");
      if (ways && is !== ways.childElementCount > 0) ways.replaceChildren(...(is ? this.waysOf(row) : []));
      for (const each of element.querySelectorAll<HTMLElement>(".ways button, .keep button"))
        each.tabIndex = holds ? 0 : -1;
      if (row.kind === "ghost" && row.ghost.fitsNot) this.want(row.ghost.key);
    }
    this.virtual.update();
  }

  private waysOf(row: Row): HTMLElement[] {
    if (row.kind === "ghost") return this.painter.ways(row.ghost.key, row.ghost.source);
    if (row.kind !== "part") return [];
    const part = this.state.messages[row.message].parts[row.part];
    return this.painter.ways(part.key, part.source);
  }

  /**
   * Brings a message into sight, out of a fold too, and of what is found in it the words with this number; of the page
   * only when `mayScrollPage`. False where it isn't here.
   */
  reveal(key: string, mayScrollPage: boolean, hit = -1): boolean {
    const { state } = this;
    const hiding = foldOf(this.rows, state.messages, key);
    if (hiding !== undefined) {
      state.open.add(hiding);
      this.draw();
    }
    const row = this.rows.findIndex((each) => shows(each, state.messages, key));
    if (row < 0) return false;
    this.at = this.rows[row].id;
    const element = this.virtual.reveal(row);
    this.mark();
    if (mayScrollPage) (element?.querySelectorAll("mark")[hit] ?? element)?.scrollIntoView({ block: "nearest" });
    return true;
  }

  /** While a pointer is down nothing moves: else the click that follows would meet another row. */
  private pressedDown(): void {
    this.isDown = true;
    const up = () => {
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", up);
      setTimeout(() => {
        this.isDown = false;
        if (this.chosen) this.host.select(this.chosen);
        this.chosen = "";
      });
    };
    window.addEventListener("pointerup", up, { signal: this.host.signal });
    window.addEventListener("pointercancel", up, { signal: this.host.signal });
  }

  private choose(key: string): void {
    if (this.isDown) this.chosen = key;
    else this.host.select(key);
  }

  private came(event: FocusEvent): void {
    const element = (event.target as HTMLElement).closest<HTMLElement>("[data-id]");
    const row = this.rows.find((each) => each.id === element?.dataset.id);
    if (!row || row.kind === "sum") return;
    this.at = row.id;
    const key = keyOf(row, this.state.messages);
    if (key && !this.isDrawing && !shows(row, this.state.messages, this.state.selected)) this.choose(key);
    this.mark();
  }

  private clicked(event: MouseEvent): void {
    const button = (event.target as Element).closest<HTMLElement>("[data-fold],[data-whole]");
    if (!button) return;
    const { fold, whole } = button.dataset;
    const row = button.closest<HTMLElement>("[data-id]")?.dataset.id;
    const at = this.rows.findIndex((each) => each.id === row);
    this.state.open.add(fold ?? whole ?? "");
    this.draw();
    if (at >= 0) this.focus(at);
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!isSingle(event) || target.dataset.id === undefined) return;
    const at = this.index();
    const last = this.rows.findLastIndex((row) => row.kind !== "sum");
    const moves: Record<string, number> = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: last };
    const to = moves[event.key];
    const row = this.rows[at];
    if (to !== undefined) {
      taken(event);
      if (to >= 0 && to <= last) this.focus(to);
    } else if (event.key === "Enter" && target.localName === "article") {
      taken(event);
      this.card.enter(target);
    } else if (event.key.toLowerCase() === "f" && toggleReasons(target)) {
      taken(event);
    } else if (
      event.key.toLowerCase() === "k" &&
      row?.kind === "ghost" &&
      this.state.remedies.get(row.ghost.key)?.able
    ) {
      taken(event);
      if (this.state.live) this.host.send({ command: "apply_remedy", key: row.ghost.key });
    }
  }

  // --- the life of words

  private partOf([first]: HTMLElement[]): { part: Part; message: number; at: number } | null {
    const { message, part } = first.closest<HTMLElement>("article.m")?.dataset ?? {};
    if (message === undefined || part === undefined) return null;
    const [number, at] = [Number(message), Number(part)];
    return { part: this.state.messages[number].parts[at], message: number, at };
  }

  private links(stretches: HTMLElement[]): ProvenanceLink[] {
    const of = this.partOf(stretches);
    if (!of) return [];
    const { parts } = this.state.messages[of.message];
    const link = (what: string, who: string, reason: string) => ({
      source: "",
      what,
      who,
      before: null,
      text: "",
      reason,
    });
    return [
      ...(of.part.how ? [link(of.part.source === "history" ? "sent" : "placed", of.part.name, of.part.how)] : []),
      ...(parts.length > 1
        ? [link("joined", `message ${of.message + 1}`, `part ${of.at + 1} of ${parts.length}`)]
        : []),
    ];
  }

  private ways(stretches: HTMLElement[]): HTMLElement[] {
    const of = this.partOf(stretches);
    return of ? this.painter.ways(of.part.key, of.part.source).slice(0, 2) : [];
  }

  // --- prices

  /** What keeps the cut messages has come, or is another. */
  remediesCame(): void {
    for (const [i, element] of this.virtual.drawn) {
      const row = this.rows[i];
      const place = element.querySelector(".keep");
      if (row.kind === "ghost" && place)
        place.replaceChildren(...h("div", {}, this.painter.remedy(row.ghost)).childNodes);
    }
    this.mark();
  }

  private want(key: string): void {
    if (!this.state.live || this.asked.has(key) || this.state.remedies.has(key)) return;
    this.asked.add(key);
    this.wanted.add(key);
    if (this.soon) return;
    this.soon = window.setTimeout(() => {
      this.soon = 0;
      this.host.send({ command: "prices", keys: [...this.wanted] });
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
