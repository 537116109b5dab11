// The list: one tab stop, of which only the rows in sight are in the page.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { VirtualRows } from "../_shared/virtual_rows";
import { type Page, PagedRows } from "./paged_rows";
import { type ListRow, partsInWords, type Snippet } from "./payload";
import { sparkline } from "./sparkline";

const ROW = 30; // a row before it is drawn, in pixels
const NARROW = 620; // pixels up to which a row has two lines
const SECOND = 18;
const SNIPPET = 17;
const SPARE = 300;
const PAGE = 10;
const LOADING = "\u2026";
const COLUMNS: Record<string, [name: string, words: string][]> = {
  sessions: [
    ["l1", "session"],
    ["sp0", "characters a message"],
    ["pt", "messages"],
    ["br", "branches"],
    ["dt", "changed"],
  ],
  trash: [
    ["l1", "name"],
    ["pt", ""],
    ["dt", "since"],
  ],
  others: [
    ["l1", "name"],
    ["pt", "in it"],
    ["dt", "changed"],
  ],
};

export interface ListHost {
  ask(start: number): void;
  preview(id: string): void;
  open(id: string, node: string): void;
  favour(id: string, favourite: boolean): void;
  remove(id: string): void;
}

export class ListPane {
  readonly body = h("div", { class: "wlist", role: "listbox", tabindex: 0, "aria-label": "Values" });
  private readonly rowsOf: PagedRows<ListRow>;
  private readonly virtual: VirtualRows;
  private readonly inside = h("div", { role: "presentation" });
  private readonly nothing = h("p", { class: "empty", hidden: true });
  private readonly columns = h("div", { class: "wr wh", "aria-hidden": "true" });
  readonly element = h("div", { class: "pane" }, this.columns, this.body, this.nothing);
  private count = 0;
  private kind = "";
  private shown = "";
  private active = 0;
  /** Whether the active row is still to come: how far to scroll isn't known before. */
  private isComing = false;
  private readonly prefix = `cx-${Math.random().toString(36).slice(2)}`;

  constructor(
    private readonly host: ListHost,
    private readonly signal: AbortSignal,
  ) {
    this.rowsOf = new PagedRows((start) => host.ask(start));
    this.body.append(this.inside);
    this.virtual = new VirtualRows({ scroller: this.body, body: this.inside, spare: SPARE });
    this.body.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.body.addEventListener("dblclick", (event) => this.openAt(event), { signal });
    const watch = new ResizeObserver(() => this.scrolled());
    watch.observe(this.body);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  /** Another list, of which no row is known yet. */
  reset(count: number, kind: string, label: string, nothing: string, inTrash: boolean): void {
    this.count = count;
    this.kind = inTrash ? "trash" : kind;
    this.rowsOf.reset();
    this.virtual.forget();
    this.active = Math.min(this.active, Math.max(0, count - 1));
    this.body.setAttribute("aria-label", label);
    this.body.hidden = this.columns.hidden = !count;
    this.element.classList.toggle("of-sessions", kind === "sessions" && !inTrash);
    this.columns.replaceChildren(
      ...(inTrash ? COLUMNS.trash : (COLUMNS[kind] ?? COLUMNS.others)).map(([name, words]) =>
        h("span", { class: name }, words),
      ),
    );
    this.nothing.hidden = count > 0;
    this.nothing.textContent = nothing;
  }

  take(page: Page<ListRow>): void {
    this.rowsOf.take(page);
    const kind = this.kind;
    const count = this.count;
    this.virtual.set({
      count,
      key: (i) => this.rowsOf.at(i)?.id ?? `\u0000${i}`,
      height: (i) => this.rowHeight + SNIPPET * lines(this.rowsOf.at(i)),
      measured: (i) => this.rowsOf.at(i) !== undefined,
      draw: (i) => drawRow(this.rowsOf.at(i), kind),
      number: (element, i) => this.number(element, i),
    });
    this.scrolled();
    if (this.isComing && this.rowsOf.at(this.active)) this.go(this.active);
  }

  /** The row that the side shows. */
  show(id: string): void {
    this.shown = id;
    const place = this.rowsOf.find((row) => row.id === id);
    if (place >= 0) this.active = place;
    this.mark();
  }

  focus(): void {
    this.body.focus();
  }

  /** The first row comes into sight, as with another list. */
  toTop(): void {
    this.active = 0;
    this.body.scrollTop = 0;
  }

  private get rowHeight(): number {
    return ROW + (this.element.clientWidth <= NARROW ? SECOND : 0);
  }

  private number(element: HTMLElement, row: number): void {
    element.id = `${this.prefix}-${row}`;
    element.dataset.row = String(row);
    element.setAttribute("aria-posinset", String(row + 1));
    element.setAttribute("aria-setsize", String(this.count));
  }

  private scrolled(): void {
    if (this.signal.aborted) return;
    this.virtual.update();
    this.rowsOf.want(...this.virtual.range);
    this.mark();
  }

  private mark(): void {
    for (const [row, element] of this.virtual.drawn) {
      element.setAttribute("aria-selected", String(this.shown !== "" && this.rowsOf.at(row)?.id === this.shown));
      element.classList.toggle("at", row === this.active);
    }
    const here = this.virtual.drawn.get(this.active);
    if (here) this.body.setAttribute("aria-activedescendant", here.id);
    else this.body.removeAttribute("aria-activedescendant");
  }

  private go(to: number): void {
    this.active = Math.min(Math.max(to, 0), this.count - 1);
    this.isComing = this.rowsOf.at(this.active) === undefined;
    this.virtual.reveal(this.active);
    this.scrolled();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.count) return;
    const ways: Record<string, number> = {
      ArrowUp: this.active - 1,
      ArrowDown: this.active + 1,
      PageUp: this.active - PAGE,
      PageDown: this.active + PAGE,
      Home: 0,
      End: this.count - 1,
    };
    if (event.key in ways) {
      taken(event);
      this.go(ways[event.key]);
      return;
    }
    const row = this.rowsOf.at(this.active);
    if (!row) return;
    const acts: Record<string, () => void> = {
      Enter: () => this.host.open(row.id, row.snippets?.[0]?.node ?? ""),
      " ": () => this.host.preview(row.id),
      f: () => this.host.favour(row.id, !row.favourite),
      Delete: () => this.host.remove(row.id),
    };
    const act = acts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    taken(event);
    act();
  }

  private rowAt(event: Event): ListRow | undefined {
    const element = (event.target as HTMLElement).closest<HTMLElement>(".wr");
    if (!element) return undefined;
    this.active = Number(element.dataset.row);
    return this.rowsOf.at(this.active);
  }

  private clicked(event: MouseEvent): void {
    const row = this.rowAt(event);
    this.mark();
    if (row) this.host.preview(row.id);
  }

  private openAt(event: MouseEvent): void {
    const row = this.rowAt(event);
    const node = (event.target as HTMLElement).closest<HTMLElement>("[data-node]")?.dataset.node;
    if (row) this.host.open(row.id, node ?? row.snippets?.[0]?.node ?? "");
  }
}

const lines = (row: ListRow | undefined): number =>
  row?.snippets ? row.snippets.length + ((row.hits ?? 0) > row.snippets.length ? 1 : 0) : 0;

function drawRow(row: ListRow | undefined, kind: string): HTMLElement {
  if (!row) return h("div", { class: "wr", role: "option", "aria-selected": "false", "aria-busy": true }, LOADING);
  const more = (row.hits ?? 0) - (row.snippets?.length ?? 0);
  return h(
    "div",
    { class: "wr", role: "option", "aria-selected": "false" },
    h(
      "span",
      { class: "l1" },
      row.favourite && h("span", { class: "star", role: "img", "aria-label": "favourite" }, "\u2605"),
      h("span", { class: "strong", title: harmless(row.id) }, harmless(row.name ?? row.id)),
      row.sub && h("span", { class: "muted sub" }, harmless(row.sub)),
      (row.tags ?? []).map((tag) => h("span", { class: "tag" }, harmless(tag))),
    ),
    kind === "sessions" && h("span", { class: "sp0" }, row.lengths && sparkline(row.lengths)),
    h("span", { class: "pt" }, row.parts === undefined ? "" : partsInWords(kind, row.parts)),
    kind === "sessions" &&
      h(
        "span",
        { class: "br" },
        row.branches ? `${grouped(row.branches)} ${row.branches === 1 ? "leaf" : "leaves"}` : "",
      ),
    h("span", { class: "dt", title: row.date ?? null }, (row.date ?? "").slice(0, 10)),
    row.problem && h("span", { class: "hl" }, glyph("warning"), harmless(row.problem)),
    row.snippets && h("span", { class: "sn" }, row.snippets.map(drawSnippet), more > 0 && moreHere(more)),
  );
}

const moreHere = (more: number): HTMLElement[] => [
  h("span"),
  h("span", { class: "muted" }, `${grouped(more)} more here`),
];

/** Where a hit is, and its words. */
export function drawSnippet(snippet: Snippet): HTMLElement[] {
  const words = snippet.pieces.map((piece, i) => (i % 2 ? h("mark", {}, harmless(piece)) : harmless(piece)));
  return [
    h("span", { class: "id", "data-node": snippet.node }, harmless(snippet.at)),
    h("span", { class: "words", "data-node": snippet.node }, ...words),
  ];
}
