// A knowledge base: entries, below those that are open their pieces, and a field to ask it.

import entryList from "../_shared/components/entry_list.css";
import { glyph, h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { grouped, many } from "../_shared/numbers";
import { jsonTrait } from "../_shared/text_tester";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { VirtualRows } from "../_shared/virtual_rows";
import { type Page, PagedRows } from "../workspace_view/paged_rows";
import own from "./widget.css";

const ROW = 46; // of an entry before it is drawn, in pixels
const PIECE = 64;
const SPARE = 300;
const JUMP = 10;
const TRAITS = ["listing", "rows", "query", "at", "error", "live"];
const KEYS: KeyList = [
  ["/", "ask the base"],
  ["Up, Down", "from row to row; Home, End, Page Up, Page Down"],
  ["Right, Left", "show the pieces of an entry, hide them"],
  ["Enter", "the same in turn"],
];

interface Head {
  generation: number;
  answer: string;
  count: number;
  description: string;
  losses: string[];
}

interface BaseRow {
  key: string;
  on: boolean;
  characters: number;
  title?: string;
  words?: string;
  source?: string;
  kind?: string;
  pieces?: number;
  tags?: string[];
  open?: boolean;
  number?: number;
  place?: string;
  text?: string;
}

class KnowledgeBaseView {
  private readonly model: Model;
  private readonly signal: AbortSignal;
  private readonly live: boolean;
  private readonly query = h("input", {
    type: "search",
    class: "field q",
    placeholder: "Ask the base as a message would",
    "aria-label": "Query",
  });
  private readonly head: ViewHead;
  private readonly told = h("div", { class: "told" });
  private readonly body = h("div", { class: "entries", role: "treegrid", tabindex: 0, "aria-label": "Entries" });
  private readonly inside = h("div", { role: "rowgroup" });
  private readonly nothing = h("p", { class: "empty", hidden: true }, "The base has no entry.");
  private readonly virtual: VirtualRows;
  private readonly rowsOf: PagedRows<BaseRow>;
  private readonly prefix = `cx-${Math.random().toString(36).slice(2)}`;
  private active = 0;
  private count = 0;
  private generation = -1;
  /** Whether the active row is still to come: how far to scroll isn't known before. */
  private isComing = false;

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.live = model.get("live") === true;
    this.rowsOf = new PagedRows((start) => this.send({ command: "rows", start }));
    const ask = h("button", { type: "button", class: "btn" }, "Ask");
    ask.addEventListener("click", () => this.ask(), { signal });
    this.head = new ViewHead(
      "Knowledge base",
      this.live ? [this.query, ask, h("span", { class: "sp" })] : [],
      KEYS,
      at,
    );
    this.body.append(this.inside);
    this.virtual = new VirtualRows({ scroller: this.body, body: this.inside, spare: SPARE });
    const columns = h(
      "div",
      { class: "er eh", "aria-hidden": "true" },
      ["entry", "from", "pieces", "characters"].map((name, i) => h("span", { class: i > 1 ? "num" : null }, name)),
    );
    root.append(h("div", { class: "w" }, this.head.element, this.told, columns, this.body, this.nothing));
    this.listen(root);
    whenChanged(at, TRAITS, (changed) => this.draw(changed));
    this.draw(new Set(TRAITS));
  }

  private send(command: object): void {
    if (this.live) this.model.send(command);
  }

  private ask(): void {
    this.send({ command: "ask", text: this.query.value });
  }

  private listen(root: HTMLElement): void {
    const { signal } = this;
    this.query.addEventListener(
      "keydown",
      (event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") {
          taken(event);
          this.ask();
        } else if (event.key === "Escape" && this.query.value) {
          taken(event);
          this.query.value = "";
          this.ask();
        } else if (event.key === "ArrowDown") {
          taken(event);
          this.body.focus();
        }
      },
      { signal },
    );
    root.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "/" || !isSingle(event)) return;
        taken(event);
        this.query.focus();
      },
      { signal },
    );
    this.body.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.body.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    const watch = new ResizeObserver(() => this.scrolled());
    watch.observe(this.body);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  private draw(changed: Set<string>): void {
    const { model } = this;
    const head = jsonTrait<Head>(model, "listing");
    if (!head) return;
    const error = String(model.get("error") ?? "");
    this.head.answer(harmless(error || head.answer), error !== "");
    if (document.activeElement !== this.query) this.query.value = String(model.get("query") ?? "");
    if (changed.has("listing")) this.told.replaceChildren(...tell(head));
    const page = jsonTrait<Page<BaseRow>>(model, "rows");
    if (head.generation !== this.generation) {
      this.generation = head.generation;
      this.count = head.count;
      this.rowsOf.reset();
      this.virtual.forget();
      this.body.setAttribute("aria-rowcount", String(head.count));
      this.body.hidden = !head.count;
      this.nothing.hidden = head.count > 0;
    }
    if (page && (changed.has("rows") || changed.has("listing"))) this.take(page);
    if (changed.has("at")) this.go(Number(model.get("at") ?? 0));
  }

  private take(page: Page<BaseRow>): void {
    this.rowsOf.take(page);
    this.virtual.set({
      count: this.count,
      key: (i) => this.rowsOf.at(i)?.key ?? `\u0000${i}`,
      height: (i) => (this.rowsOf.at(i)?.number === undefined ? ROW : PIECE),
      measured: (i) => this.rowsOf.at(i) !== undefined,
      draw: (i) => drawRow(this.rowsOf.at(i)),
      number: (element, i) => {
        element.id = `${this.prefix}-${i}`;
        element.dataset.row = String(i);
        element.setAttribute("aria-rowindex", String(i + 1));
      },
    });
    this.scrolled();
    if (this.isComing && this.rowsOf.at(this.active)) this.go(this.active);
  }

  private scrolled(): void {
    if (this.signal.aborted) return;
    this.virtual.update();
    this.rowsOf.want(...this.virtual.range);
    for (const [row, element] of this.virtual.drawn) element.classList.toggle("at", row === this.active);
    const here = this.virtual.drawn.get(this.active);
    if (here) this.body.setAttribute("aria-activedescendant", here.id);
    else this.body.removeAttribute("aria-activedescendant");
  }

  private go(to: number): void {
    this.active = Math.max(Math.min(to, this.count - 1), 0);
    this.isComing = this.rowsOf.at(this.active) === undefined;
    this.virtual.reveal(this.active);
    this.scrolled();
  }

  /** Shows or hides the pieces of the entry of a row, which may be that of one of its pieces. */
  private open(row: BaseRow, open: boolean): void {
    this.send({ command: "open", entry: Number(row.key.split(".")[0]), open });
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || !this.count) return;
    const ways: Record<string, number> = {
      ArrowUp: this.active - 1,
      ArrowDown: this.active + 1,
      PageUp: this.active - JUMP,
      PageDown: this.active + JUMP,
      Home: 0,
      End: this.count - 1,
    };
    const row = this.rowsOf.at(this.active);
    if (event.key in ways) {
      taken(event);
      this.go(ways[event.key]);
    } else if (row && event.key === "ArrowRight" && row.open === false) {
      taken(event);
      this.open(row, true);
    } else if (row && event.key === "ArrowLeft" && row.open !== false) {
      taken(event);
      if (row.number !== undefined) this.active -= row.number;
      this.open(row, false);
    } else if (row && event.key === "Enter" && row.number === undefined) {
      taken(event);
      this.open(row, !row.open);
    }
  }

  private clicked(event: MouseEvent): void {
    const selection = document.getSelection();
    if (selection && !selection.isCollapsed && this.body.contains(selection.anchorNode)) return;
    const element = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    if (!element) return;
    this.active = Number(element.dataset.row);
    const row = this.rowsOf.at(this.active);
    this.scrolled();
    if (row && row.number === undefined) this.open(row, !row.open);
  }
}

/** The words about the base, and what could not be read of its files. */
function tell(head: Head): HTMLElement[] {
  const out: HTMLElement[] = [];
  if (head.description) out.push(h("p", { class: "about ink2" }, harmless(head.description)));
  if (head.losses.length) {
    const losses = head.losses.map((loss) => h("li", {}, harmless(loss)));
    const words = `${many(head.losses.length, "thing")} could not be read`;
    out.push(
      h("div", { class: "effect" }, glyph("warning"), h("details", {}, h("summary", {}, words), h("ul", {}, losses))),
    );
  }
  return out;
}

function drawRow(row: BaseRow | undefined): HTMLElement {
  if (!row) return h("div", { class: "er", role: "row", "aria-busy": true }, h("span", { role: "gridcell" }, "\u2026"));
  return row.number === undefined ? drawEntry(row) : drawPiece(row);
}

function drawEntry(row: BaseRow): HTMLElement {
  const tags = (row.tags ?? []).map((tag) => h("span", { class: "tag" }, harmless(tag)));
  const from = row.source || (row.kind === "chat" ? "a conversation" : "its own text");
  return h(
    "div",
    {
      class: `er${row.on ? "" : " off"}`,
      role: "row",
      "aria-level": 1,
      "aria-expanded": String(row.open === true),
    },
    h(
      "span",
      { role: "rowheader", class: "who" },
      h(
        "span",
        { class: "l1" },
        h("span", { class: "fold", "aria-hidden": "true" }, row.open ? "\u25be" : "\u25b8"),
        h("span", { class: "nm src-knowledge" }, glyph("knowledge")),
        h("span", { class: "strong" }, harmless(row.title ?? "")),
        !row.on && h("span", { class: "tag" }, "off"),
        tags,
      ),
      h("span", { class: "ex" }, harmless(row.words ?? "")),
    ),
    h("span", { role: "gridcell", class: "from", title: harmless(from) }, harmless(from)),
    h("span", { role: "gridcell", class: "num", "data-label": "pieces" }, grouped(row.pieces ?? 0)),
    h("span", { role: "gridcell", class: "num", "data-label": "characters" }, grouped(row.characters)),
  );
}

const drawPiece = (row: BaseRow): HTMLElement =>
  h(
    "div",
    { class: `er piece${row.on ? "" : " off"}`, role: "row", "aria-level": 2 },
    h(
      "span",
      { role: "rowheader", class: "place" },
      h("b", {}, `piece ${grouped(row.number ?? 0)}`),
      row.place && harmless(row.place),
    ),
    h("span", { role: "gridcell", class: "text" }, harmless(row.text ?? "")),
    h("span", { role: "gridcell", class: "num", "data-label": "characters" }, grouped(row.characters)),
  );

const begin = (at: Mounted): void => void new KnowledgeBaseView(at);

export default widget("Knowledge base", entryList + own, begin);
