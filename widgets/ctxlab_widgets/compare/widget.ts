// Runs side by side. With a kernel behind it columns come and go; in a report the rows open all the same.

import { h, harmless } from "../_shared/dom";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import type { RemedyJson } from "../_shared/remedy_button";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { AddForm } from "./add_form";
import { barcodes } from "./barcode";
import { Grid } from "./grid";
import { ledgersOf } from "./ledgers";
import { type Command, type CompareHost, type State, shownColumns, viewOf } from "./payload";
import own from "./widget.css";

const EMPTY =
  'Nothing to compare: pass a trace and what shall differ, Compare(trace, strategies=["sliding", "middle-out"]), or runs by name.';

const TRAITS = [
  ...["view", "texts", "opened", "ledgers", "only_differences", "selected", "error"],
  ...["remedies", "undoable", "effect", "views"],
];

const KEYS: KeyList = [
  ["↑ ↓", "the message above, below"],
  ["← →", "the column beside; along the buttons of the heads, and the messages of the sentence"],
  ["Home End", "the first, the last message"],
  ["Enter", "open or close a message, or messages folded; add the column"],
  ["Space", "as Enter, in the table"],
  ["Esc", "close the form or this list"],
  ["Ctrl+Z", "take the last change back"],
  ["Ctrl+Shift+Z", "make it again, in a page of views"],
  ["?", "this list"],
];

function begin(at: Mounted): void {
  let shown: Compare | null = null;
  const empty = h("p", { class: "empty", hidden: true }, EMPTY);
  const frame = h("div", { class: "w" }, empty);
  at.root.append(frame);
  const draw = (changed: Set<string>) => {
    const there = Boolean(at.model.get("view"));
    empty.hidden = there;
    if (!there) {
      shown?.element.remove();
      shown = null;
    } else if (shown) shown.changed(changed);
    else {
      shown = new Compare(at);
      frame.append(shown.element);
    }
  };
  whenChanged(at, TRAITS, draw);
  draw(new Set());
}

class Compare implements CompareHost {
  readonly element: HTMLElement;
  readonly signal: AbortSignal;
  private readonly model: Model;
  private readonly state: State;
  private readonly grid: Grid;
  private readonly form: AddForm;
  private readonly only = h("input", { type: "checkbox" });
  private readonly undo = h("button", { type: "button", class: "btn", hidden: true }, "Undo");
  private readonly codes = h("div", { class: "codes", role: "group", "aria-label": "All messages of all runs" });
  private readonly jump = h("p", { class: "jump", hidden: true, "aria-live": "polite" });
  private readonly ledgers = h("div", { class: "ledgers" });
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;

  constructor(at: Mounted) {
    const { model, signal, root } = at;
    this.model = model;
    this.signal = signal;
    this.state = {
      view: viewOf(String(model.get("view"))),
      texts: textsIn(model),
      live: model.get("live") === true,
      views: listOf(model, "views"),
      remedies: remediesIn(model),
      shown: [],
      unfoldedRuns: new Set(),
      onlyDifferences: model.get("only_differences") === true,
      opened: new Set(listOf(model, "opened")),
      ledgers: new Set(listOf(model, "ledgers")),
      unfolded: new Set(),
      selected: String(model.get("selected") ?? ""),
    };
    this.grid = new Grid(this.state, this);
    this.form = new AddForm(this.state, this);
    this.head = new ViewHead("Compare", this.tools(), KEYS, at);
    this.banner = new EffectBanner(this.state.live ? () => this.back() : null, signal);
    const above = [this.head.element, this.form.element, this.banner.element, this.codes, this.jump];
    this.element = h("div", {}, above, this.grid.element, this.ledgers);
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    roving(this.head.element, () => this.links(), { signal });
    this.drawAll();
    requestAnimationFrame(() => this.begin()); // places are known when there is a size
  }

  /** The first view is the first difference, or what is selected where it is one. */
  private begin(): void {
    this.grid.toFirstDifference();
    requestAnimationFrame(() => {
      this.grid.toFirstDifference(); // open rows above it have got their heights
      this.follow();
    });
  }

  changed(names: Set<string>): void {
    const { model, state } = this;
    if (names.has("texts")) state.texts = textsIn(model);
    state.onlyDifferences = model.get("only_differences") === true;
    state.opened = new Set(listOf(model, "opened"));
    state.ledgers = new Set(listOf(model, "ledgers"));
    state.views = listOf(model, "views");
    state.remedies = remediesIn(model);
    if (names.has("view")) {
      const before = state.view.columns.map((column) => column.name);
      state.view = viewOf(String(model.get("view")));
      this.drawAll();
      const isNew = state.shown.some((i) => !before.includes(state.view.columns[i].name));
      if (isNew && state.view.columns.length > before.length) this.grid.toTheLast();
    } else {
      if (["opened", "only_differences", "remedies", "views"].some((name) => names.has(name))) this.grid.arrange();
      if (names.has("ledgers")) this.drawLedgers();
      this.drawStatus();
    }
    const isElsewhere = String(model.get("selected") ?? "") !== state.selected;
    if (isElsewhere || names.has("opened")) this.follow();
    else this.drawJump();
  }

  // --- what parts ask for

  send(what: Command): void {
    this.model.send(what);
  }

  select(key: string): void {
    this.state.selected = key;
    this.grid.mark();
    this.jump.hidden = true;
    save(this.model, { selected: key });
  }

  /** A message that was asked for here: its row comes out of whatever hides it. */
  show(key: string): void {
    const row = this.state.view.rows.find((each) => each.key === key);
    if (row && !row.differs && this.state.onlyDifferences) this.setOnly(false);
    this.grid.unfold(key);
    if (!this.grid.reveal(key)) return;
    this.grid.element.focus({ preventScroll: true });
    this.select(key);
  }

  toggleEqual(name: string): void {
    const { unfoldedRuns } = this.state;
    if (!unfoldedRuns.delete(name)) unfoldedRuns.add(name);
    this.drawTable();
  }

  private back(): void {
    this.send({ command: this.state.views.length ? "page_undo" : "undo" });
  }

  private setOnly(only: boolean): void {
    this.only.checked = only;
    this.state.onlyDifferences = only;
    this.grid.arrange();
    this.drawJump();
    save(this.model, { only_differences: only });
  }

  private pressed(event: KeyboardEvent): void {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.altKey;
    if (!isUndo || !this.state.live || (event.target as HTMLElement).matches("input:not([type=checkbox])")) return;
    taken(event);
    if (!event.shiftKey) this.back();
    else if (this.state.views.length) this.send({ command: "page_redo" });
  }

  toggleRow(key: string): void {
    const { opened } = this.state;
    if (!opened.delete(key)) opened.add(key);
    this.grid.arrange();
    save(this.model, { opened: [...opened] });
  }

  toggleLedger(name: string): void {
    const { ledgers } = this.state;
    if (!ledgers.delete(name)) ledgers.add(name);
    const inside = this.ledgers.contains(document.activeElement);
    this.drawLedgers();
    if (inside) this.grid.focusLedger(name);
    save(this.model, { ledgers: [...ledgers] });
  }

  // --- drawing

  private drawAll(): void {
    this.only.checked = this.state.onlyDifferences;
    this.form.draw();
    this.drawTable();
    this.ledgers.replaceChildren(...ledgersOf(this.state, this));
    this.drawStatus();
  }

  private drawTable(): void {
    const { state } = this;
    state.shown = shownColumns(state.view, state.unfoldedRuns);
    this.codes.replaceChildren(...barcodes(state, this));
    this.grid.draw();
  }

  private drawLedgers(): void {
    this.grid.drawHeads();
    this.ledgers.replaceChildren(...ledgersOf(this.state, this));
  }

  /** A message that was selected elsewhere is marked here, and brought into sight where nothing hides it. */
  private follow(): void {
    this.state.selected = String(this.model.get("selected") ?? "");
    if (!this.grid.reveal(this.state.selected)) this.grid.mark();
    this.drawJump();
  }

  /** What is selected is folded away: nothing unfolds by itself, there is a way to it. */
  private drawJump(): void {
    const { state } = this;
    const row = state.view.rows.find((each) => each.key === state.selected);
    this.jump.hidden = !row || this.grid.holds(state.selected);
    if (!row || this.jump.hidden) return;
    const show = h("button", { type: "button", class: "lk" }, "Show it");
    show.addEventListener("click", () => this.show(row.key), { signal: this.signal });
    const words = row.differs ? "is folded with others" : "is the same in all runs";
    this.jump.replaceChildren(`Selected: “${harmless(row.words)}” ${words}. `, show);
  }

  private drawStatus(): void {
    const { model, state } = this;
    const wrong = String(model.get("error") ?? "");
    this.only.checked = state.onlyDifferences;
    this.banner.draw((model.get("effect") as Partial<Effect> | undefined) ?? {});
    this.undo.hidden = !state.live || state.views.length > 0 || !model.get("undoable");
    this.head.answer(wrong ? harmless(wrong) : state.view.answer.map(([words, key]) => this.part(words, key)), !!wrong);
    onlyStop(this.links(), 0);
  }

  /** The messages that the sentence names: one tab stop. */
  private links(): HTMLElement[] {
    return [...this.head.element.querySelectorAll<HTMLElement>(".answer button")];
  }

  private part(words: string, key: string): Node | string {
    if (!key) return harmless(words);
    const button = h("button", { type: "button", class: "lk" }, harmless(words));
    button.addEventListener("click", () => this.show(key), { signal: this.signal });
    return button;
  }

  private tools(): (HTMLElement | false)[] {
    const { signal } = this;
    this.only.addEventListener("change", () => this.setOnly(this.only.checked), { signal });
    this.undo.addEventListener("click", () => this.back(), { signal });
    const only = h("label", { class: "only-diff" }, this.only, "only differences");
    return [h("span", { class: "sp" }), this.undo, only, this.state.live && this.form.button];
  }
}

const listOf = (model: Model, name: string): string[] => (model.get(name) as string[] | undefined) ?? [];

const textsIn = (model: Model): string[] =>
  (JSON.parse(String(model.get("texts") || "{}")) as { texts?: string[] }).texts ?? [];

const remediesIn = (model: Model): Record<string, RemedyJson> =>
  JSON.parse(String(model.get("remedies") || "{}")) as Record<string, RemedyJson>;

export default widget("Compare", own, begin);
