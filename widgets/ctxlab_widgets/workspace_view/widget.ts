// All that a workspace keeps: a list with its filters, a row at the side, and a book as a table.

import entryList from "../_shared/components/entry_list.css";
import { glyph, h, harmless } from "../_shared/dom";
import { download } from "../_shared/download";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { type Radios, radios } from "../_shared/radios";
import { jsonTrait } from "../_shared/text_tester";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { BookPane } from "./book_pane";
import { Facets } from "./facets";
import { importButton } from "./import_files";
import { ListPane } from "./list_pane";
import { options } from "./options";
import type { Page } from "./paged_rows";
import type { BookHead, Conflict, EntryRow, Imported, ListHead, ListRow, Preview } from "./payload";
import { Side } from "./side";
import own from "./widget.css";

const WAIT = 300; // milliseconds without a key before something is searched for
const TRAITS = [
  ...["listing", "rows", "preview", "book", "book_rows", "imported", "conflict", "error", "effect", "live"],
  ...["tab", "query", "mode", "order", "sort", "filters", "row"],
];
const MODES = { and: "all words", or: "any word", exact: "exact text" };
const ORDERS = { newest: "newest first", best: "best first" };
const SORTS = {
  "": "usual order",
  updated: "changed",
  created: "created",
  name: "name",
  messages: "messages",
  tokens: "tokens",
};
const KEYS: KeyList = [
  ["Up, Down", "from row to row; Home, End, Page Up, Page Down"],
  ["Space", "show the row at the side"],
  ["Enter", "open it, where something was found at the first hit"],
  ["F", "make it a favourite, or no longer one"],
  ["Delete", "move it to the trash"],
  ["/", "search"],
  ["R", "read the lists anew"],
  ["Ctrl+V", "import what is on the clipboard"],
  ["Space, Shift+Up, Down", "in a book: pick an entry, several"],
  ["Ctrl+A, Ctrl+Z, Ctrl+S", "in a book: pick all, undo, save"],
  ["Esc", "in a book: back to the list"],
];

class WorkspaceView {
  private readonly model: Model;
  private readonly signal: AbortSignal;
  private readonly live: boolean;
  private readonly query = h("input", {
    type: "search",
    class: "field q",
    placeholder: "Search",
    "aria-label": "Search the workspace",
  });
  private readonly mode = h("select", { "aria-label": "Words to find" });
  private readonly order = h("select", { "aria-label": "Order" });
  private readonly head: ViewHead;
  private readonly tabs = h("div", { class: "tabs" });
  private kinds: Radios | null = null;
  private readonly facets: Facets;
  private readonly list: ListPane;
  private readonly side: Side;
  private readonly book: BookPane;
  private readonly banner: EffectBanner;
  private readonly told = h("div", { class: "told" });
  private readonly three: HTMLElement;
  private waiting = 0;
  private generation = -1;
  private kind = "";

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.live = model.get("live") === true;
    const send = (command: object) => this.send(command);
    const refuse = (words: string) => this.head.answer(harmless(words), true);
    const door = importButton({
      root,
      signal,
      file: (name, data) => this.model.send({ command: "add", name }, undefined, [data]),
      text: (text) => send({ command: "paste", text }),
      refuse,
    });
    this.head = new ViewHead(
      "Workspace",
      [
        this.query,
        this.mode,
        this.order,
        h("span", { class: "sp" }),
        this.live && door,
        this.live && this.newSession(),
      ],
      KEYS,
      at,
    );
    this.facets = new Facets((facet, choice) => send({ command: "filter", facet, choice }), signal);
    this.list = new ListPane(
      {
        ask: (start) => send({ command: "rows", start }),
        preview: (id) => send({ command: "preview", id }),
        open: (id, node) => this.open(id, node),
        favour: (id, favourite) => send({ command: "favour", id, favourite }),
        remove: (id) => send({ command: "delete", id }),
      },
      signal,
    );
    this.side = new Side({ live: this.live, signal, send });
    this.book = new BookPane({ signal, send });
    this.banner = new EffectBanner(this.live ? () => this.undelete() : null, signal, "Restore");
    this.three = h("div", { class: "wsp" }, this.facets.element, this.list.element, this.side.element);
    const parts = [this.head.element, this.banner.element, this.told, this.tabs, this.three, this.book.element];
    root.append(h("div", { class: "w" }, parts));
    this.listen(root);
    const onFile = (content: { file?: string }, buffers: DataView[]) => {
      if (content.file && buffers.length) download(content.file, buffers[0]);
    };
    model.on("msg:custom", onFile);
    signal.addEventListener("abort", () => model.off("msg:custom", onFile));
    whenChanged(at, TRAITS, (changed) => this.draw(changed));
    this.draw(new Set(TRAITS));
  }

  private send(command: object): void {
    if (this.live) this.model.send(command);
  }

  private newSession(): HTMLElement {
    const button = h("button", { type: "button", class: "btn" }, "New session");
    button.addEventListener("click", () => this.send({ command: "new_session", agent: "" }), { signal: this.signal });
    return button;
  }

  private listen(root: HTMLElement): void {
    const { signal } = this;
    this.query.addEventListener("input", () => this.later(), { signal });
    this.query.addEventListener("keydown", (event) => this.pressedInQuery(event), { signal });
    this.mode.addEventListener("change", () => this.search(), { signal });
    this.order.addEventListener("change", () => this.ordered(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
    root.addEventListener(
      "keydown",
      (event) => {
        if (!isSingle(event)) return;
        if (event.key === "/") {
          taken(event);
          this.query.focus();
        } else if (event.key === "r" && !this.model.get("book")) {
          taken(event);
          this.send({ command: "refresh" });
        }
      },
      { signal },
    );
  }

  private pressedInQuery(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      taken(event);
      this.search();
    } else if (event.key === "Escape" && this.query.value) {
      taken(event);
      this.query.value = "";
      this.search();
    } else if (event.key === "ArrowDown") {
      taken(event);
      this.list.focus();
    }
  }

  /** What is typed is searched for when a moment passes without a key. */
  private later(): void {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.search(), WAIT);
  }

  private search(): void {
    clearTimeout(this.waiting);
    this.waiting = 0;
    const order = this.order.value in ORDERS ? this.order.value : this.model.get("order");
    this.send({ command: "search", query: this.query.value, mode: this.mode.value, order });
  }

  private ordered(): void {
    if (this.model.get("query")) this.search();
    else if (this.order.value) this.send({ command: "sort", order: this.order.value });
  }

  private open(id: string, node: string): void {
    const inTrash = (this.model.get("filters") as Record<string, string>).place === "trash";
    this.send(inTrash ? { command: "preview", id } : { command: "open", id, view: "", node });
  }

  private undelete(): void {
    const { id } = this.model.get("effect") as { id?: string };
    if (id) this.send({ command: "restore", id });
  }

  private draw(changed: Set<string>): void {
    const { model } = this;
    const head = jsonTrait<ListHead>(model, "listing");
    if (!head) return;
    this.drawHead(head);
    this.banner.draw(model.get("effect") as Partial<Effect>);
    this.told.replaceChildren(...this.tell(head));
    const page = jsonTrait<Page<ListRow>>(model, "rows");
    if (head.generation !== this.generation || model.get("tab") !== this.kind) this.begin(head);
    if (page && (changed.has("rows") || changed.has("listing"))) this.list.take(page);
    const preview = jsonTrait<Preview>(model, "preview");
    this.list.show(String(model.get("row") ?? ""));
    const folders = (head.facets.place ?? []).map(([name]) => name).filter((name) => name.startsWith("folder:"));
    if (changed.has("preview") || changed.has("listing"))
      this.side.draw(
        preview,
        folders.map((name) => name.slice(7)),
      );
    const book = jsonTrait<BookHead>(model, "book");
    const active = document.activeElement;
    const wasInside = this.three.contains(active) || this.book.element.contains(active);
    const wasOpen = !this.book.element.hidden;
    this.three.hidden = this.tabs.hidden = book !== null;
    if (changed.has("book") || changed.has("book_rows"))
      this.book.draw(book, jsonTrait<Page<EntryRow>>(model, "book_rows"), wasInside);
    if (wasOpen && !book && wasInside) this.list.focus();
  }

  /** Another list, from its first row where it is one of other things. */
  private begin(head: ListHead): void {
    const { model } = this;
    const kind = String(model.get("tab"));
    const label = head.tabs.find((tab) => tab.name === kind)?.label ?? kind;
    if (kind !== this.kind || head.count === 0) this.list.toTop();
    this.generation = head.generation;
    this.kind = kind;
    const searched = String(model.get("query") ?? "");
    const nothing = searched
      ? "Nothing was found; other words, or “any word”, find more."
      : kind === "knowledge_bases"
        ? "No knowledge bases here; Import… makes one of a PDF, of Markdown or of any other text."
        : `No ${label.toLowerCase()} here; Import… brings some.`;
    const inTrash = (model.get("filters") as Record<string, string>).place === "trash";
    this.list.reset(head.count, kind, label, nothing, inTrash);
    this.facets.draw(head.facets, model.get("filters") as Record<string, string>);
  }

  private drawHead(head: ListHead): void {
    const { model } = this;
    const error = String(model.get("error") ?? "");
    this.head.answer(harmless(error || this.bookInWords() || head.answer), error !== "");
    const query = String(model.get("query") ?? "");
    if (!this.waiting && document.activeElement !== this.query) this.query.value = query;
    options(this.mode, Object.keys(MODES), String(model.get("mode")), (name) => MODES[name as keyof typeof MODES]);
    const words: Record<string, string> = query ? ORDERS : SORTS;
    options(this.order, Object.keys(words), String(model.get(query ? "order" : "sort")), (name) => words[name]);
    this.kinds ??= this.makeTabs(head);
    for (const { name, label, count } of head.tabs) this.kinds.label(name, `${label} ${grouped(count)}`);
    this.kinds.set(String(model.get("tab")));
  }

  private bookInWords(): string {
    const book = jsonTrait<BookHead>(this.model, "book");
    if (!book) return "";
    const entries = `${grouped(book.entries)} ${book.entries === 1 ? "entry" : "entries"}`;
    return `${book.name}: ${entries}${book.changed ? ", changed and not saved" : ""}.`;
  }

  private makeTabs(head: ListHead): Radios {
    const labels = Object.fromEntries(head.tabs.map(({ name, label }) => [name, label]));
    const made = radios("Kind", labels, (tab) => this.send({ command: "tab", tab }), this.signal);
    this.tabs.append(made.element);
    return made;
  }

  /** What there is to be told besides: a session that isn't saved, what another saved, what was imported. */
  private tell(head: ListHead): HTMLElement[] {
    const out: HTMLElement[] = [];
    const conflict = jsonTrait<Conflict>(this.model, "conflict");
    const imported = jsonTrait<Imported>(this.model, "imported");
    const bar = (kind: string, words: string, ...ways: HTMLElement[]) =>
      h(
        "div",
        { class: `effect ${kind}`, role: "status" },
        glyph(kind === "info" ? "info" : "warning"),
        h("span", {}, harmless(words)),
        ...ways,
      );
    if (conflict)
      out.push(
        bar(
          "conflict",
          conflict.text,
          ...(conflict.can_merge ? [this.way("Keep both", { command: "save", on_conflict: "merge" })] : []),
          this.way("Keep mine", { command: "save", on_conflict: "overwrite" }, "The other goes to the trash"),
          this.way("Take theirs", { command: "take_theirs" }, "What was changed here is dropped"),
        ),
      );
    else if (head.is_unsaved)
      out.push(
        bar(
          "info",
          `${head.unsaved} is not saved as it is now.`,
          ...(head.asked
            ? [
                this.way("Save and go on", { ...head.asked, unsaved: "save" }),
                this.way("Go on without saving", { ...head.asked, unsaved: "drop" }, "What was changed is dropped"),
              ]
            : [this.way("Save", { command: "save", on_conflict: "raise" })]),
        ),
      );
    if (imported) out.push(this.lossesOf(imported));
    if (head.notes.length) out.push(bar("warning", head.notes.slice(0, 3).join("; ")));
    return out;
  }

  private way(words: string, command: object, title = ""): HTMLElement {
    const button = h("button", { type: "button", class: "btn small", title: title || null }, words);
    button.addEventListener("click", () => this.send(command), { signal: this.signal });
    return button;
  }

  private lossesOf({ text, losses }: Imported): HTMLElement {
    const list = h(
      "details",
      {},
      h("summary", {}, `${grouped(losses.length)} ${losses.length === 1 ? "loss" : "losses"}`),
      h(
        "ul",
        {},
        losses.map((loss) => h("li", {}, harmless(loss))),
      ),
    );
    return h(
      "div",
      { class: "effect info", role: "status" },
      glyph("info"),
      h("span", {}, harmless(text)),
      losses.length > 0 && list,
    );
  }
}

const begin = (at: Mounted): void => void new WorkspaceView(at);

export default widget("Workspace", entryList + own, begin);
