// Runs side by side. With a kernel behind it columns come and go; in a report the rows open all the same.

import { h } from "../_shared/dom";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped, many } from "../_shared/numbers";
import { AddForm } from "./add_form";
import { Grid, SIDE_BY_SIDE } from "./grid";
import { ledgersOf } from "./ledgers";
import { type Command, type CompareHost, hasRun, type State, type View, viewOf } from "./payload";
import own from "./widget.css";

const EMPTY =
  'Nothing to compare: pass a trace and what shall differ, Compare(trace, strategies=["sliding", "middle-out"]), or runs by name.';

const TRAITS = ["view", "texts", "opened", "ledgers", "only_differences", "selected", "error"];

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
  private readonly status = h("span", { class: "muted status", "aria-live": "polite" });
  private readonly only = h("input", { type: "checkbox" });
  private readonly ledgers = h("div", { class: "ledgers" });

  constructor({ model, signal }: Mounted) {
    this.model = model;
    this.signal = signal;
    this.state = {
      view: viewOf(String(model.get("view"))),
      texts: textsIn(model),
      live: model.get("live") === true,
      narrow: false,
      onlyDifferences: model.get("only_differences") === true,
      opened: new Set(listOf(model, "opened")),
      ledgers: new Set(listOf(model, "ledgers")),
      unfolded: new Set(),
      selected: String(model.get("selected") ?? ""),
    };
    this.grid = new Grid(this.state, this);
    this.form = new AddForm(this.state, this);
    this.element = h("div", {}, this.head(), this.form.element, this.grid.element, this.ledgers);
    this.drawAll();
    requestAnimationFrame(() => this.grid.reveal(this.state.selected)); // its place is known when it has a size
  }

  changed(names: Set<string>): void {
    const { model, state } = this;
    if (names.has("texts")) state.texts = textsIn(model);
    state.onlyDifferences = model.get("only_differences") === true;
    state.opened = new Set(listOf(model, "opened"));
    state.ledgers = new Set(listOf(model, "ledgers"));
    if (names.has("view")) {
      const before = state.view.columns.length;
      state.view = viewOf(String(model.get("view")));
      this.drawAll();
      if (state.view.columns.length > before) this.grid.toTheLast();
    } else {
      if (names.has("opened") || names.has("only_differences")) this.grid.arrange();
      if (names.has("ledgers")) this.drawLedgers();
      this.drawStatus();
    }
    this.follow();
  }

  // --- what parts ask for

  send(what: Command): void {
    this.model.send(what);
  }

  select(key: string): void {
    this.state.selected = key;
    this.grid.mark();
    save(this.model, { selected: key });
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
    this.grid.draw();
    this.ledgers.replaceChildren(...ledgersOf(this.state, this));
    this.drawStatus();
  }

  private drawLedgers(): void {
    this.grid.drawHeads();
    this.ledgers.replaceChildren(...ledgersOf(this.state, this));
  }

  /** A message that was selected elsewhere is shown here. */
  private follow(): void {
    const selected = String(this.model.get("selected") ?? "");
    if (selected === this.state.selected) return;
    this.state.selected = selected;
    if (!this.grid.reveal(selected)) this.grid.mark();
  }

  private drawStatus(): void {
    const wrong = String(this.model.get("error") ?? "");
    this.only.checked = this.state.onlyDifferences;
    this.status.replaceChildren(wrong || sentence(this.state.view));
    this.status.classList.toggle("wrong", Boolean(wrong));
  }

  private head(): HTMLElement {
    const { signal } = this;
    this.only.addEventListener(
      "change",
      () => {
        this.state.onlyDifferences = this.only.checked;
        this.grid.arrange();
        save(this.model, { only_differences: this.only.checked });
      },
      { signal },
    );
    const only = h("label", { class: "only-diff" }, this.only, "only differences");
    return h(
      "div",
      { class: "head" },
      h("h2", {}, "Compare"),
      this.status,
      h("span", { class: "sp" }),
      only,
      this.state.live && this.form.button,
    );
  }
}

const listOf = (model: Model, name: string): string[] => (model.get(name) as string[] | undefined) ?? [];

const textsIn = (model: Model): string[] =>
  (JSON.parse(String(model.get("texts") || "{}")) as { texts?: string[] }).texts ?? [];

/** What came of it: "29 of 46 messages differ, budget 2,400". */
function sentence({ columns, rows }: View): string {
  const differing = rows.filter((row) => row.differs).length;
  const runs = columns.filter(hasRun);
  const budgets = [...new Set(runs.map((column) => column.budget))];
  const known = budgets.filter((budget) => budget !== null);
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const budget = !known.length
    ? ""
    : least === most
      ? `, budget ${grouped(least)}`
      : `, budgets ${grouped(least)} to ${grouped(most)}`;
  if (runs.length < 2) return `${many(rows.length, "message")} in one run${budget}`;
  const among = columns.length > SIDE_BY_SIDE ? ` in ${runs.length} runs` : "";
  return `${grouped(differing)} of ${many(rows.length, "message")} differ${differing === 1 ? "s" : ""}${among}${budget}`;
}

export default widget("Compare", own, begin);
