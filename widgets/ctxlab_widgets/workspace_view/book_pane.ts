// A book as a table: entries are filtered, picked and changed together; Python holds the book.

import { h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { VirtualRows } from "../_shared/virtual_rows";
import { BulkChange } from "./bulk_change";
import { options } from "./options";
import { type Page, PagedRows } from "./paged_rows";
import type { BookHead, EntryRow } from "./payload";

const ROW = 37;
const SPARE = 300;
const PAGE = 10;
const WAIT = 300; // milliseconds without a key before entries are searched
const NUMBERS = new Set(["order", "depth", "chance"]);
const COLUMNS = ["", "entry, keys", "on", "order", "depth", "position", "group", "chance"];

export interface BookHost {
  signal: AbortSignal;
  send(command: object): void;
}

export class BookPane {
  private readonly title = h("h3", {});
  private readonly group = h("select", { "aria-label": "Group" });
  private readonly position = h("select", { "aria-label": "Position" });
  private readonly find = h("input", {
    type: "search",
    class: "field",
    placeholder: "Find",
    "aria-label": "Find entries",
  });
  private readonly picked = h("span", { class: "ink2 picked", role: "status" });
  private readonly bulk: BulkChange;
  private readonly undo = this.button("Undo", () => this.host.send({ command: "undo_entries" }), "Ctrl+Z");
  private readonly save = this.button(
    "Save",
    () => this.host.send({ command: "save", on_conflict: "raise" }),
    "Ctrl+S",
  );
  private readonly back = this.button("\u2039 Books", () => this.host.send({ command: "close_book" }), "Esc");
  private readonly body = h("div", { class: "entries", role: "grid", tabindex: 0, "aria-multiselectable": "true" });
  private readonly inside = h("div", { role: "rowgroup" });
  private readonly virtual: VirtualRows;
  private readonly rowsOf: PagedRows<EntryRow>;
  readonly element: HTMLElement;
  private head: BookHead | null = null;
  private active = 0;
  private waiting = 0;
  private readonly prefix = `cx-${Math.random().toString(36).slice(2)}`;

  constructor(private readonly host: BookHost) {
    const { signal } = host;
    this.rowsOf = new PagedRows((start) => host.send({ command: "entries", start }));
    this.bulk = new BulkChange((field, value) => host.send({ command: "change_entries", field, value }), signal);
    const all = this.button("Pick all", () => this.pickAll(true), "Ctrl+A");
    const none = this.button("None", () => this.pickAll(false));
    this.element = h(
      "div",
      { class: "book", hidden: true },
      h(
        "div",
        { class: "bar" },
        this.back,
        this.title,
        this.group,
        this.position,
        this.find,
        h("span", { class: "sp" }),
        this.undo,
        this.save,
      ),
      h("div", { class: "bar" }, all, none, this.picked, this.bulk.element),
      h(
        "div",
        { class: "er eh", "aria-hidden": "true" },
        COLUMNS.map((name) => h("span", { class: NUMBERS.has(name) ? "num" : null }, name)),
      ),
      this.body,
    );
    this.body.append(this.inside);
    this.virtual = new VirtualRows({ scroller: this.body, body: this.inside, spare: SPARE });
    this.listen(signal);
  }

  private listen(signal: AbortSignal): void {
    for (const select of [this.group, this.position])
      select.addEventListener("change", () => this.filter(), { signal });
    this.find.addEventListener("input", () => this.typed(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
    this.body.addEventListener("scroll", () => this.scrolled(), { signal, passive: true });
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** `wasInside` says that somebody was in the list when the book opened. */
  draw(head: BookHead | null, page: Page<EntryRow> | null, wasInside: boolean): void {
    const other = head?.id !== this.head?.id || head?.total !== this.head?.total;
    const had = this.head !== null;
    this.head = head;
    this.element.hidden = !head;
    if (!head) return;
    if (other) this.active = Math.min(this.active, Math.max(0, head.total - 1));
    this.title.textContent = harmless(head.name);
    options(this.group, ["", ...head.groups.map((name) => `group:${name}`)], head.filter.group, (name) =>
      name ? name.slice(6) : "all groups",
    );
    options(this.position, ["", ...head.positions], head.filter.position, (name) => name || "all positions");
    if (!this.waiting && document.activeElement !== this.find) this.find.value = head.filter.find;
    const counts = `${grouped(head.picked)} of ${grouped(head.total)} picked`;
    this.picked.textContent = head.said ? `${counts}; ${harmless(head.said)}` : counts;
    this.bulk.draw(head.positions, head.picked);
    this.undo.disabled = !head.undo;
    this.save.disabled = !head.changed;
    this.body.setAttribute("aria-label", `Entries of ${harmless(head.name)}`);
    this.body.setAttribute("aria-rowcount", String(head.total));
    this.rowsOf.reset();
    this.virtual.forget();
    if (page) this.rowsOf.take(page);
    this.lay(head.total);
    if (!had && wasInside) this.body.focus({ preventScroll: true });
  }

  private lay(count: number): void {
    this.virtual.set({
      count,
      key: (i) => this.rowsOf.at(i)?.key ?? `\u0000${i}`,
      height: () => ROW,
      measured: (i) => this.rowsOf.at(i) !== undefined,
      draw: (i) => drawEntry(this.rowsOf.at(i)),
      number: (element, i) => {
        element.id = `${this.prefix}-${i}`;
        element.dataset.row = String(i);
        element.setAttribute("aria-rowindex", String(i + 1));
      },
    });
    this.scrolled();
  }

  private scrolled(): void {
    if (!this.head || this.host.signal.aborted) return;
    this.virtual.update();
    this.rowsOf.want(...this.virtual.range);
    for (const [row, element] of this.virtual.drawn) element.classList.toggle("at", row === this.active);
    const here = this.virtual.drawn.get(this.active);
    if (here) this.body.setAttribute("aria-activedescendant", here.id);
    else this.body.removeAttribute("aria-activedescendant");
  }

  private typed(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.waiting = 0;
      this.filter();
    }, WAIT);
  }

  private filter(): void {
    const [group, position, find] = [this.group.value, this.position.value, this.find.value];
    this.host.send({ command: "filter_entries", group, position, find });
  }

  private pickAll(on: boolean): void {
    this.host.send({ command: "pick_all", on });
  }

  private pick(from: number, to: number, on?: boolean): void {
    const rows = Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => this.rowsOf.at(Math.min(from, to) + i));
    const known = rows.filter((row) => row !== undefined);
    const first = known[0];
    if (first) this.host.send({ command: "pick_entries", keys: known.map((row) => row.key), on: on ?? !first.picked });
  }

  private clicked(event: MouseEvent): void {
    const element = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    if (!element) return;
    const row = Number(element.dataset.row);
    if (event.shiftKey) this.pick(this.active, row, true);
    else this.pick(row, row);
    this.active = row;
    this.scrolled();
  }

  private pressed(event: KeyboardEvent): void {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      const typing = (event.target as HTMLElement).matches("input");
      const acts: Record<string, HTMLButtonElement | (() => void)> = { s: this.save };
      if (!typing) Object.assign(acts, { z: this.undo, a: () => this.pickAll(true) });
      const act = acts[key];
      if (!act || event.shiftKey) return;
      taken(event);
      if (typeof act === "function") act();
      else act.click();
    } else if (key === "Escape" && isSingle(event)) {
      taken(event);
      this.back.click();
    } else if (event.target === this.body) this.walked(event);
  }

  private walked(event: KeyboardEvent): void {
    const last = (this.head?.total ?? 0) - 1;
    if (last < 0) return;
    const ways: Record<string, number> = {
      ArrowUp: this.active - 1,
      ArrowDown: this.active + 1,
      PageUp: this.active - PAGE,
      PageDown: this.active + PAGE,
      Home: 0,
      End: last,
    };
    if (event.key === " ") {
      taken(event);
      this.pick(this.active, this.active);
    } else if (event.key in ways) {
      taken(event);
      const from = this.active;
      this.active = Math.min(Math.max(ways[event.key], 0), last);
      if (event.shiftKey) this.pick(from, this.active, true);
      this.virtual.reveal(this.active);
      this.scrolled();
    }
  }

  private button(words: string, act: () => void, keys = ""): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn", title: keys || null }, words);
    button.addEventListener("click", () => !button.disabled && act());
    return button;
  }
}

function drawEntry(row: EntryRow | undefined): HTMLElement {
  if (!row) return h("div", { class: "er", role: "row", "aria-busy": true }, h("span", { role: "gridcell" }, "\u2026"));
  const cell = (label: string, value: string | number | null, kind = "") =>
    h(
      "span",
      { role: "gridcell", class: kind, "data-label": label, "aria-label": `${label} ${value ?? "no number"}` },
      value ?? "\u2013",
    );
  return h(
    "div",
    {
      class: `er${row.on ? "" : " off"}${row.changed ? " changed" : ""}`,
      role: "row",
      "aria-selected": String(row.picked),
    },
    h(
      "span",
      { role: "gridcell", class: "box", "aria-label": row.picked ? "picked" : "not picked" },
      row.picked ? "\u2611" : "\u2610",
    ),
    h(
      "span",
      { role: "rowheader", class: "who" },
      h("span", { class: "strong" }, harmless(row.title)),
      h("span", { class: "sub mono" }, harmless(row.constant ? "always" : row.keys)),
    ),
    cell("on", row.on ? "on" : "off"),
    cell("order", row.order, "num"),
    cell("depth", row.depth, "num"),
    cell("position", row.position),
    cell("group", harmless(row.group), row.group ? "" : "none"),
    cell("chance", row.probability === null ? null : `${row.probability} %`, "num"),
  );
}
