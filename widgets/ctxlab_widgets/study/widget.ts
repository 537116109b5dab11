// A study: what may be claimed in one sentence, scores against costs, and a table down to the single case.

import sidePanel from "../_shared/components/side_panel.css";
import { glyph, h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { type KeyList, ViewHead } from "../_shared/view_head";
import type { Cases, Choices, Picked, View } from "./payload";
import { Plot } from "./plot";
import { caseTable, pickedSection, restsSection } from "./side";
import { VariantTable } from "./table";
import own from "./widget.css";

const EMPTY =
  "Nothing to show: run a study with scorers, " +
  'ctxlab.Study(cases, variants, budgets=[2048], scorers=["evidence"]).run(), and pass its result.';
const KEYS: KeyList = [
  ["Up, Down, Home, End", "the variant before, the next, the first, the last; in the plot Left and Right too"],
  ["Enter, Space", "picks a variant, or puts it back; two picked ones are compared"],
  ["P", "compares all variants with this one: it becomes the baseline"],
  ["B", "puts a variant into the chosen ones, or takes it out"],
  ["Esc", "takes the rectangle away, then what is picked"],
];

class Study {
  private readonly model: Model;
  private readonly live: boolean;
  private view: View | null = null;
  private known = "";
  private drawnCases = "";
  private readonly head: ViewHead;
  private readonly plot: Plot;
  private readonly table: VariantTable;
  private readonly budget = h("select", { "aria-label": "Budget" });
  private readonly kind = h("select", { "aria-label": "Kind of case" });
  private readonly score = h("select", { "aria-label": "Score" });
  private readonly baseline = h("select", { "aria-label": "Baseline" });
  private readonly cost = h("select", { "aria-label": "Cost", class: "cost" });
  private readonly copy = h(
    "button",
    { type: "button", class: "btn", title: "As Markdown, with its notes" },
    "Copy table",
  );
  private readonly copied = h("span", { class: "muted", role: "status" });
  private readonly brushed = h("span", { class: "muted" });
  private readonly loud = h("div", { class: "loud" });
  private readonly side = h("div", { class: "side" });
  private readonly cases = h("div", { class: "below" });
  private readonly opened = h("p", { class: "opened", role: "status" });
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly two: HTMLElement;
  private choices: Choices = { budgets: [], kinds: [], scores: [], baselines: [], costs: [] };

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.live = model.get("live") === true;
    const host = {
      live: this.live,
      signal,
      pick: (variant: string) => model.send({ command: "pick", variant }),
      pin: (variant: string) => model.send({ command: "baseline", value: variant }),
      choose: (variant: string) => this.toggle(variant),
      brushed: (variants: string[]) => this.choose(variants),
    };
    this.plot = new Plot(host);
    this.table = new VariantTable(host);
    const tools = [
      h("span", { class: "sp" }),
      this.budget,
      this.kind,
      this.score,
      this.baseline,
      this.copied,
      this.copy,
    ];
    this.head = new ViewHead("Study", tools, KEYS, at);
    const legend = h("span", {}, "frontier filled, dominated ones hollow");
    this.two = h(
      "div",
      { class: "two" },
      h("div", { class: "par" }, h("div", { class: "lab" }, legend, this.brushed, this.cost), this.plot.element),
      this.side,
    );
    root.append(
      h(
        "div",
        { class: "w" },
        this.head.element,
        this.loud,
        this.two,
        this.cases,
        this.opened,
        this.table.element,
        this.empty,
      ),
    );
    this.listen(root, signal);
    whenChanged(at, TRAITS, (changed) => this.onChange(changed));
    this.onChange(new Set(TRAITS));
  }

  private listen(root: HTMLElement, signal: AbortSignal): void {
    const { model } = this;
    this.budget.addEventListener(
      "change",
      () => model.send({ command: "budget", value: this.choices.budgets[this.budget.selectedIndex]?.[0] ?? null }),
      { signal },
    );
    for (const [name, select] of [
      ["kind", this.kind],
      ["score", this.score],
      ["baseline", this.baseline],
      ["cost", this.cost],
    ] as const)
      select.addEventListener("change", () => model.send({ command: name, value: select.value }), { signal });
    this.copy.addEventListener("click", () => model.send({ command: "copy" }), { signal });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    const onText = (content: { copied?: string }) => {
      if (typeof content.copied === "string") void this.toClipboard(content.copied);
    };
    model.on("msg:custom", onText);
    signal.addEventListener("abort", () => model.off("msg:custom", onText));
  }

  private async toClipboard(text: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = "Table copied";
    } catch {
      this.copied.textContent = "This page may not use the clipboard";
    }
  }

  // --- what a person does

  private get chosen(): string[] {
    return (this.model.get("chosen") as string[] | undefined) ?? [];
  }

  private get picked(): string[] {
    return (this.model.get("picked") as string[] | undefined) ?? [];
  }

  private choose(variants: string[]): void {
    save(this.model, { chosen: variants });
  }

  private toggle(variant: string): void {
    const { chosen } = this;
    this.plot.unbrush();
    this.choose(chosen.includes(variant) ? chosen.filter((each) => each !== variant) : [...chosen, variant]);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !isSingle(event) || event.defaultPrevented) return;
    if (this.chosen.length) {
      taken(event);
      this.plot.unbrush();
      this.choose([]);
    } else if (this.picked.length && this.live) {
      taken(event);
      this.model.send({ command: "unpick" });
    }
  }

  // --- what Python holds

  private onChange(changed: Set<string>): void {
    const { model } = this;
    const text = String(model.get("view") || "");
    if (text !== this.known) {
      this.view = text ? (JSON.parse(text) as View) : null;
      this.known = text;
      this.copied.textContent = "";
    }
    const view = this.view;
    const wrong = String(model.get("error") ?? "");
    this.head.answer(harmless(wrong || view?.sentence || ""), Boolean(wrong));
    for (const each of [this.two, this.table.element, this.budget, this.kind, this.score, this.baseline, this.copy])
      each.hidden = !view;
    for (const each of [this.budget, this.kind, this.score, this.baseline, this.copy, this.cost])
      each.hidden ||= !this.live;
    this.empty.hidden = Boolean(view);
    if (!view) return;
    this.drawChoices();
    if (["view", "picked", "chosen"].some((name) => changed.has(name))) this.drawRows(view);
    if (changed.has("view") || changed.has("pair") || changed.has("listed")) this.drawSide(view);
    this.drawCases();
  }

  private drawChoices(): void {
    const { model } = this;
    this.choices = JSON.parse(String(model.get("choices") || "null")) ?? this.choices;
    const { budgets, kinds, scores, baselines, costs } = this.choices;
    const budget = model.get("budget") as number | null;
    options(this.budget, budgets, budget === null ? "" : String(budget));
    options(this.kind, kinds, String(model.get("kind") ?? ""));
    this.kind.hidden = !this.live || !kinds.length;
    options(this.score, scores, String(model.get("score") ?? ""));
    options(this.baseline, baselines, String(model.get("baseline") ?? ""));
    options(this.cost, costs, String(model.get("cost") ?? ""));
    this.cost.hidden = !this.live || costs.length < 2;
  }

  private drawRows(view: View): void {
    const chosen = new Set(this.chosen);
    this.plot.draw(view, this.picked, chosen);
    this.table.draw(view, this.picked, chosen);
    const count = chosen.size ? `${chosen.size} of ${view.rows.length} chosen; ` : "";
    this.brushed.textContent = `${count}whiskers ${view.level}`;
    this.loud.hidden = !view.loud.length;
    this.loud.replaceChildren(
      ...view.loud.map((note) => h("p", { class: "strong" }, glyph("warning"), h("span", {}, harmless(note)))),
    );
  }

  private drawSide(view: View): void {
    const { model } = this;
    const pair = String(model.get("pair") || "");
    const focus = this.side.contains(document.activeElement) ? document.activeElement?.textContent : null;
    const open = this.side.querySelector("details")?.open ?? false;
    const sections = [
      pickedSection(pair ? (JSON.parse(pair) as Picked) : null, model.get("listed") === true, {
        live: this.live,
        unpick: () => model.send({ command: "unpick" }),
        compare: () => model.send({ command: "compare" }),
        listCases: () => model.send({ command: "cases" }),
      }),
      restsSection(view),
    ];
    this.side.replaceChildren(...sections);
    const notes = this.side.querySelector("details");
    if (notes) notes.open = open;
    if (focus) [...this.side.querySelectorAll("button")].find((each) => each.textContent === focus)?.focus();
  }

  private drawCases(): void {
    const { model } = this;
    const opened = String(model.get("opened") || "");
    this.opened.textContent = harmless(opened);
    this.opened.hidden = !opened;
    const text = String(model.get("cases") || "");
    const selected = {
      case: String(model.get("selected_case") ?? ""),
      variant: String(model.get("selected_variant") ?? ""),
    };
    const key = JSON.stringify([text, selected]);
    this.cases.hidden = !text;
    if (this.drawnCases === key) return;
    this.drawnCases = key;
    const top = this.cases.querySelector(".scroll")?.scrollTop ?? 0;
    const focus = this.cases.contains(document.activeElement) ? document.activeElement?.ariaLabel : null;
    if (!text) {
      this.cases.replaceChildren();
      return;
    }
    const table = caseTable(JSON.parse(text) as Cases, model.get("can_build") === true, selected, {
      live: this.live,
      signal: this.at.signal,
      open: (row, variant) => model.send({ command: "open", case: row.case, variant, seed: row.seed }),
      compare: (row) => model.send({ command: "compare_case", case: row.case, seed: row.seed }),
    });
    this.cases.replaceChildren(table);
    const scroll = this.cases.querySelector(".scroll");
    if (scroll) scroll.scrollTop = top;
    if (focus) [...this.cases.querySelectorAll("button")].find((each) => each.ariaLabel === focus)?.focus();
  }
}

function options(select: HTMLSelectElement, values: readonly (readonly [unknown, string])[], chosen: string): void {
  const key = JSON.stringify(values);
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(
      ...values.map(([value, words]) => h("option", { value: value === null ? "" : String(value) }, harmless(words))),
    );
  }
  select.value = chosen;
}

const TRAITS = [
  ...["view", "choices", "budget", "kind", "score", "baseline", "cost", "picked", "chosen", "pair", "cases", "listed"],
  ...["selected_case", "selected_variant", "opened", "can_build", "error"],
];

export default widget("Study", sidePanel + own, (at) => void new Study(at));
