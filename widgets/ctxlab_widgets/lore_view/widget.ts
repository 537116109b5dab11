// What became of every entry of the lore, and a text to try books against.

import { glyph, h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { Frame, jsonTrait, StatusLine, TextField } from "../_shared/text_tester";
import { Grid } from "./entry_table";
import { chosen, type Detail, type EntryRow, KINDS, named, type View } from "./rows";
import own from "./widget.css";

const EMPTY =
  'Nothing to show: pass a run with a book, LoreView(trace), or a book and a text, LoreView(book, "a text").';
const TRAITS = ["view", "details", "text", "kind", "find", "opened", "selected", "error", "live"];

const begin = (at: Mounted): void => void new LoreView(at);

class LoreView {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private view: View | null = null;
  private details: Record<string, Detail> = {};
  private readonly frame = new Frame();
  private readonly books = h("span", { class: "muted books" });
  private readonly status = new StatusLine();
  private readonly tried = h("div", { class: "tried", role: "status" });
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

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.text = new TextField(at, "Text to scan", 3);
    this.typing = h("div", { class: "typing" }, h("span", { class: "ink2" }, "Text"), this.text.element);
    this.grid = new Grid(this);
    this.kinds = radios("Show", KINDS, (kind) => this.choose({ kind }), signal);
    root.append(this.frame.element);
    this.listen(root);
    this.read();
    this.draw();
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

  // --- changes

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, TRAITS, (changed) => this.onChange(changed));
    this.find.addEventListener("input", () => this.choose({ find: this.find.value }), { signal });
    root.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "/" || !isSingle(event)) return;
        taken(event);
        this.find.focus();
      },
      { signal },
    );
  }

  private onChange(changed: Set<string>): void {
    const has = (...names: string[]) => names.some((name) => changed.has(name));
    const before = this.view;
    if (has("view", "details")) this.read();
    if (has("view", "kind", "find", "live") || (has("error") && !this.view)) this.draw(before);
    else {
      this.drawStatus();
      if (has("text")) this.text.update();
      if (has("opened", "details")) this.grid.show(String(this.model.get("opened")));
    }
    if (has("selected")) {
      const inside = this.frame.element.contains(document.activeElement);
      this.grid.select(String(this.model.get("selected")), !inside);
    }
  }

  private read(): void {
    this.view = jsonTrait<View>(this.model, "view");
    this.details = jsonTrait<Record<string, Detail>>(this.model, "details") ?? {};
  }

  private choose(values: Record<string, string>): void {
    save(this.model, values);
  }

  // --- drawing

  private draw(before: View | null = null): void {
    const { view } = this;
    if (!view || view.empty !== undefined) {
      this.frame.showEmpty(view?.empty ?? EMPTY);
      return;
    }
    this.frame.showParts(() => this.parts());
    this.books.textContent = harmless(view.books);
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
    this.drawTried(view, before);
    this.notes.replaceChildren(...view.notes.map((note) => h("li", {}, glyph("warning"), harmless(note))));
    this.notes.hidden = !view.notes.length;
    const rows = chosen(view.rows, kind, find);
    this.grid.draw(
      rows,
      String(this.model.get("opened") ?? ""),
      String(this.model.get("selected") ?? ""),
      this.nothing(kind, find),
    );
    this.drawStatus(rows);
  }

  private parts(): HTMLElement[] {
    const head = h(
      "div",
      { class: "head" },
      h("h2", {}, "Lore"),
      this.books,
      this.kinds.element,
      this.find,
      h("span", { class: "sp" }),
      this.status.element,
    );
    return [head, this.tried, this.typing, this.grid.element, this.notes];
  }

  private nothing(kind: string, find: string): string {
    if (find) return `No entry has “${harmless(find)}” in its title or keys.`;
    return kind === "all"
      ? "The books have no entries."
      : `No entry is ${KINDS[kind as EntryRow["kind"]].toLowerCase()}.`;
  }

  /** The result, or why the last thing asked for was not done. */
  private drawStatus(rows?: EntryRow[]): void {
    const summary = this.view?.summary ?? "";
    const found = rows && this.model.get("find") ? `${grouped(rows.length)} found, ` : "";
    this.status.show(String(this.model.get("error") ?? ""), `${found}${summary}`);
  }

  private drawTried(view: View, before: View | null): void {
    const { tried } = view;
    const had = this.tried.contains(document.activeElement);
    this.tried.hidden = !tried;
    if (!tried) {
      this.tried.replaceChildren();
      if (had || (before?.tried && document.activeElement === document.body)) this.grid.focus();
      return;
    }
    const back = h("button", { type: "button", class: "btn" }, glyph("back"), "Back");
    back.addEventListener("click", () => this.model.send({ command: "back" }), { signal: this.signal });
    if (!this.live) back.setAttribute("aria-disabled", "true");
    const did = [
      tried.came.length && `fires now: ${named(tried.came)}`,
      tried.went.length && `no longer: ${named(tried.went)}`,
    ].filter(Boolean);
    this.tried.replaceChildren(
      glyph("edited"),
      h(
        "span",
        { class: "words" },
        h("b", {}, harmless(tried.title)),
        ` tried with: ${harmless(tried.change)}. `,
        harmless(did.length ? `${did.join("; ")}.` : "nothing else fires."),
        tried.alone && " Only the scan was made again; the run is as it was.",
      ),
      back,
    );
  }
}

export default widget("Lore decisions", own, begin);
