// What became of every entry of the lore, and a text to try books against.

import decisionRows from "../_shared/components/decision_rows.css";
import { glyph, h, harmless } from "../_shared/dom";
import { EffectBanner } from "../_shared/effect_banner";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import type { Price } from "../_shared/remedy_button";
import { Frame, jsonTrait, TextField } from "../_shared/text_tester";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { Grid } from "./entry_table";
import { type AnswerPart, chosen, type Detail, type EntryRow, KINDS, type View } from "./rows";
import own from "./widget.css";

const EMPTY =
  'Nothing to show: pass a run with a book, LoreView(trace), or a book and a text, LoreView(book, "a text").';
const TRAITS = [
  ...["view", "details", "text", "kind", "find", "opened", "selected", "error", "live"],
  ...["prices", "effect", "views"],
];
const KEYS: KeyList = [
  ["Arrows", "from entry to entry, and from column to column"],
  ["Home, End", "first and last column; with Ctrl the first and last entry"],
  ["Page Up, Down", "ten entries"],
  ["Enter", "open the entry, or close it"],
  ["T", "try the nearest change"],
  ["Esc", "close the entry that is open"],
  ["/", "find in titles and keys"],
  ["Ctrl+Z", "take back what was tried"],
];
const AT_ONCE = 8; // prices asked for in one go

const begin = (at: Mounted): void => void new LoreView(at);

class LoreView {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private view: View | null = null;
  private details: Record<string, Detail> = {};
  private readonly frame = new Frame();
  private readonly books = h("span", { class: "muted books" });
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;
  private readonly notes = h("ul", { class: "lnotes" });
  private readonly text: TextField;
  private readonly typing: HTMLElement;
  private readonly find = h("input", {
    type: "search",
    class: "find",
    "aria-label": "Find in titles and keys",
    placeholder: "Find",
  });
  private readonly kinds;
  private readonly grid: Grid;
  private rows: EntryRow[] = [];
  private found = 0;
  private waiting = ""; // the keys whose prices were asked for last

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.text = new TextField(at, "Text to scan", 3);
    this.typing = h("div", { class: "typing" }, h("span", { class: "ink2" }, "Text"), this.text.element);
    this.grid = new Grid(this);
    this.kinds = radios("Show", KINDS, (kind) => this.choose({ kind }), signal);
    this.head = new ViewHead("Lore", [this.books, this.kinds.element, this.find], KEYS, at);
    this.banner = new EffectBanner(() => this.back(), signal);
    root.append(this.frame.element);
    this.listen(root);
    this.read();
    this.draw();
    if (this.live && this.opened) this.grid.revealKey(this.opened);
  }

  private get opened(): string {
    return String(this.model.get("opened") ?? "");
  }

  get live(): boolean {
    return this.model.get("live") === true;
  }

  get several(): boolean {
    return this.view?.several ?? false;
  }

  // --- what the table asks for

  detail(key: string): Detail | null {
    return this.details[key] ?? null;
  }

  pick(key: string): void {
    const opened = this.model.get("opened") === key ? "" : key;
    save(this.model, { opened, selected: key });
  }

  close(): void {
    save(this.model, { opened: "" });
  }

  tryChange(key: string): void {
    this.model.send({ command: "try_change", key });
  }

  price(key: string): Price | null | undefined {
    const tokens = (this.model.get("prices") as Record<string, number | null> | undefined)?.[key];
    return typeof tokens === "number" ? { tokens, of: this.view?.in_run ? "prompt" : "lore" } : tokens;
  }

  /** Asks for the prices of what is drawn, a few at a time. */
  drawn(rows: EntryRow[]): void {
    this.rows = rows;
    this.askForPrices();
  }

  private askForPrices(): void {
    if (!this.live) return;
    const hasButton = (row: EntryRow) => row.change || (row.key === this.opened && this.details[row.key]?.change);
    const missing = this.rows.filter((row) => hasButton(row) && this.price(row.key) === undefined);
    const keys = missing.slice(0, AT_ONCE).map((row) => row.key);
    const asked = keys.join("\n");
    if (!keys.length || asked === this.waiting) return;
    this.waiting = asked;
    this.model.send({ command: "prices", keys });
  }

  /** Takes back what was tried: here, or in the page that has one undo for all its views. */
  private back(): void {
    if (this.live) this.model.send({ command: this.inPage && !this.view?.own_back ? "page_undo" : "back" });
  }

  private get inPage(): boolean {
    return ((this.model.get("views") as string[] | undefined) ?? []).length > 0;
  }

  private get effect(): { label?: string; text?: string } {
    return (this.model.get("effect") as { label?: string; text?: string } | undefined) ?? {};
  }

  // --- changes

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, TRAITS, (changed) => this.onChange(changed));
    this.find.addEventListener("input", () => this.choose({ find: this.find.value }), { signal });
    root.addEventListener(
      "keydown",
      (event) => {
        const inField = (event.target as HTMLElement).matches("input, textarea, select");
        const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
        if (isUndo && !inField && !event.altKey) {
          taken(event);
          if (this.effect.text || this.inPage) this.back();
        } else if (event.key === "/" && isSingle(event)) {
          taken(event);
          this.find.focus();
        }
      },
      { signal },
    );
  }

  private onChange(changed: Set<string>): void {
    const has = (...names: string[]) => names.some((name) => changed.has(name));
    const inside = this.frame.element.contains(document.activeElement);
    if (has("view", "details")) this.read();
    if (has("prices", "view", "error")) this.waiting = "";
    if (has("view", "kind", "find", "live") || (has("error") && !this.view)) this.draw();
    else {
      this.drawAnswer();
      if (has("text")) this.text.update();
      if (has("opened", "details")) this.grid.show(this.opened);
      if (has("prices")) this.grid.drawPrices();
    }
    if (has("effect")) this.banner.draw(this.effect);
    if (has("prices")) this.askForPrices();
    if (has("selected")) this.grid.select(String(this.model.get("selected")), !inside);
    if (has("opened") && this.opened && !inside) this.grid.revealKey(this.opened);
  }

  private read(): void {
    this.view = jsonTrait<View>(this.model, "view");
    this.details = jsonTrait<Record<string, Detail>>(this.model, "details") ?? {};
  }

  private choose(values: Record<string, string>): void {
    save(this.model, values);
  }

  // --- drawing

  private draw(): void {
    const { view } = this;
    if (!view || view.empty !== undefined) {
      this.frame.showEmpty(view?.empty ?? EMPTY);
      return;
    }
    this.frame.showParts(() => this.parts());
    this.books.textContent = harmless(`${view.books}, scan depth ${view.depth}`);
    this.books.title = harmless(view.books);
    this.typing.hidden = !view.typed;
    this.text.element.disabled = !this.live;
    this.text.update();
    const kind = String(this.model.get("kind") ?? "all");
    for (const [name, word] of Object.entries(KINDS))
      this.kinds.label(name, `${word} ${grouped(view.counts[name as keyof typeof KINDS])}`);
    this.kinds.set(kind);
    const find = String(this.model.get("find") ?? "");
    if (this.find.value !== find && document.activeElement !== this.find) this.find.value = find;
    this.banner.draw(this.effect);
    this.notes.replaceChildren(...view.notes.map((note) => h("li", {}, glyph("warning"), harmless(note))));
    this.notes.hidden = !view.notes.length;
    const rows = chosen(view.rows, kind, find);
    this.grid.draw(
      rows,
      String(this.model.get("opened") ?? ""),
      String(this.model.get("selected") ?? ""),
      this.nothing(kind, find),
    );
    this.found = rows.length;
    this.drawAnswer();
  }

  private parts(): HTMLElement[] {
    return [this.head.element, this.banner.element, this.typing, this.grid.element, this.notes];
  }

  private nothing(kind: string, find: string): string {
    if (find) return `No entry has “${harmless(find)}” in its title or keys.`;
    return kind === "all"
      ? "The books have no entries."
      : `No entry is ${KINDS[kind as EntryRow["kind"]].toLowerCase()}.`;
  }

  /** The result, or why the last thing asked for was not done. */
  private drawAnswer(): void {
    const error = String(this.model.get("error") ?? "");
    if (error) {
      this.head.answer(harmless(error), true);
      return;
    }
    const found = this.model.get("find") ? `${grouped(this.found)} found; ` : "";
    this.head.answer([found, (this.view?.answer ?? []).map((part) => this.answerPart(part)), "."]);
  }

  private answerPart([words, leads, to]: AnswerPart): Node | string {
    if (!leads) return harmless(words);
    const link = h("button", { type: "button", class: "lk" }, harmless(words));
    const { signal } = this;
    if (leads === "kind") link.addEventListener("click", () => this.choose({ kind: to, find: "" }), { signal });
    else link.addEventListener("click", () => this.goTo(to), { signal });
    return link;
  }

  /** Opens an entry's row, wherever the filters have left it. */
  private goTo(key: string): void {
    this.choose({ kind: "all", find: "", opened: key, selected: key });
    this.grid.revealKey(key);
  }
}

export default widget("Lore decisions", decisionRows + own, begin);
