// A recording: the context over time with its cached prefix, findings at their place, any two requests, what tools brought.

import { h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { compressionSection, placeSection } from "./below";
import { BreakMarks } from "./break_marks";
import { Chart, wordsOf } from "./chart";
import { FindingList } from "./finding_list";
import { Overview } from "./overview";
import { PairSection } from "./pair_section";
import {
  type Chosen,
  type CompressionReport,
  type DifferenceRow,
  type Findings,
  held,
  type Marks,
  type Place,
  type Series,
  type StackName,
  type View,
} from "./payload";
import { ResultTable } from "./result_table";
import { clamp, columnsOf, height, isReported, prefixOf, type Sight, usualSight, wholeOf, withPlace } from "./scene";
import own from "./widget.css";

const EMPTY = 'Nothing to show: read a recording, ctxlab.read_recording("session.jsonl"), and pass it.';
const KEYS: KeyList = [
  ["Left, Right", "in the chart: the request before, the next; Page keys go ten, Home and End to the ends"],
  ["[, ]", "the break before, the next"],
  ["Shift+Left, Right", "sets the chosen request against an earlier or later one"],
  ["Shift+click", "sets the chosen request against the one that is clicked"],
  ["+, −, Ctrl+wheel", "closer, wider; Shift+wheel moves"],
  ["in the brush", "arrows move what is in sight, with Shift its end; Page, Home and End too"],
  ["Esc", "against the one before again; then closes what is open below"],
];
const NO_MARKS: Marks = { common: [], breaks: [], compressions: [] };
const ASKED_AFTER = 70;
const SAVED_AFTER = 150;

class RecordingView {
  private readonly model: Model;
  private readonly live: boolean;
  private view: View | null = null;
  private series: Series | null = null;
  private marks: Marks = NO_MARKS;
  private chosen: Chosen | null = null;
  private kept: Record<string, Chosen> = {};
  private readonly known = new Map<string, string>();
  private at = 0;
  private base = -1;
  private sight: Sight = { first: 0, last: 0 };
  private asking: ReturnType<typeof setTimeout> | null = null;
  private saving: ReturnType<typeof setTimeout> | null = null;
  private readonly head: ViewHead;
  private readonly about = h("span", { class: "muted about" });
  private readonly agent = h("select", { "aria-label": "Agent", hidden: true });
  private readonly whatIf = h("select", { "aria-label": "What if", hidden: true });
  private readonly stack: ReturnType<typeof radios>;
  private readonly range = h("span");
  private readonly overview: Overview;
  private readonly chart: Chart;
  private readonly breaks: BreakMarks;
  private readonly facts = h("div", { class: "facts" });
  private readonly pair: PairSection;
  private readonly findings: FindingList;
  private readonly below = h("div");
  private readonly opened = h("p", { class: "opened", role: "status" });
  private readonly table: ResultTable;
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly two: HTMLElement;

  constructor(mounted: Mounted) {
    const { model, root, signal } = mounted;
    this.model = model;
    this.live = model.get("live") === true;
    const look = (sight: Sight) => this.look(sight);
    const choose = (at: number, pair: boolean) => (pair ? this.setBase(at) : this.choose(at));
    this.chart = new Chart({ signal, root, choose, look, pressed: (event) => this.inChart(event) });
    this.breaks = new BreakMarks(signal, (at) => this.choose(at));
    this.overview = new Overview({ signal, root, look });
    this.pair = new PairSection({
      live: this.live,
      signal,
      step: (by) => this.choose(this.at + by),
      against: (number) => this.setBase(number === null ? this.at - 1 : (this.series?.numbers.indexOf(number) ?? -1)),
      send: (command) => model.send(command),
    });
    this.findings = new FindingList({
      live: this.live,
      signal,
      check: () => model.send({ command: "check" }),
      open: (finding, place) => model.send({ command: "place", finding, place }),
      go: (number) => this.choose(this.series?.numbers.indexOf(number) ?? -1),
    });
    this.table = new ResultTable(signal);
    const stacked = (value: string) => this.restack(value as StackName);
    this.stack = radios("Stack by", { source: "Source", tool: "Tool", file: "File" }, stacked, signal);
    const tools = [this.about, h("span", { class: "sp" }), this.stack.element, this.agent, this.whatIf];
    this.head = new ViewHead("Recording", tools, KEYS, mounted);
    const hint = h("span", { class: "muted hide-n" }, "drag the brush; wheel with Ctrl zooms");
    const chart = h(
      "div",
      { class: "rec" },
      h("div", { class: "lab" }, this.range, h("span", { class: "sp" }), hint),
      this.overview.element,
      this.chart.element,
      this.breaks.element,
      this.facts,
    );
    this.two = h(
      "div",
      { class: "two" },
      h("div", { class: "pane" }, chart, this.pair.element, this.below, this.opened),
      h("div", { class: "side" }, this.findings.element),
    );
    root.append(h("div", { class: "w" }, this.head.element, this.two, this.table.element, this.empty));
    this.listen(root, signal);
    whenChanged(mounted, TRAITS, (changed) => this.onChange(changed));
    this.onChange(new Set(TRAITS));
  }

  private listen(root: HTMLElement, signal: AbortSignal): void {
    const { model } = this;
    for (const [name, select] of [
      ["agent", this.agent],
      ["what_if", this.whatIf],
    ] as const)
      select.addEventListener("change", () => model.send({ command: name, value: select.value }), { signal });
    root.addEventListener("keydown", (event) => this.escaped(event), { signal });
    signal.addEventListener("abort", () => {
      for (const timer of [this.asking, this.saving]) if (timer !== null) clearTimeout(timer);
    });
  }

  // --- what a person does

  private choose(at: number): void {
    const { series } = this;
    if (!series || at < 0 || at >= series.ids.length) return;
    this.at = at;
    this.base = at - 1;
    this.sight = withPlace(this.sight, at, series.ids.length);
    this.ask();
    this.drawChosen();
  }

  private setBase(base: number): void {
    const { series } = this;
    if (!series || base === this.at || base >= series.ids.length) return;
    this.base = Math.max(-1, base);
    this.ask();
    this.drawChosen();
  }

  /** Tells Python, once keys that are held down have come to rest. */
  private ask(): void {
    const { series } = this;
    if (!series || !this.live) return;
    if (this.asking !== null) clearTimeout(this.asking);
    this.asking = setTimeout(() => {
      this.asking = null;
      const base = this.base === this.at - 1 ? "" : (series.ids[this.base] ?? "");
      this.model.send({ command: "select", request: series.ids[this.at], base });
    }, ASKED_AFTER);
  }

  private look(sight: Sight): void {
    const { series } = this;
    if (!series) return;
    this.sight = clamp(sight, series.ids.length);
    this.drawChart();
    if (this.saving !== null) clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      this.saving = null;
      save(this.model, { sight: [this.sight.first, this.sight.last] });
    }, SAVED_AFTER);
  }

  private restack(stack: StackName): void {
    save(this.model, { stack });
    this.drawChart();
    this.drawFacts();
  }

  private inChart(event: KeyboardEvent): void {
    const { series, marks } = this;
    if (!series) return;
    const count = series.ids.length;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (by !== undefined && event.shiftKey) {
      taken(event);
      const to = this.base + by + (this.base + by === this.at ? Math.sign(by) : 0);
      if (to >= 0) this.setBase(to);
    } else if (by !== undefined) {
      taken(event);
      this.choose(Math.min(count - 1, Math.max(0, this.at + by)));
    } else if (event.key === "Home" || event.key === "End") {
      taken(event);
      this.choose(event.key === "Home" ? 0 : count - 1);
    } else if (event.key === "[" || event.key === "]") {
      taken(event);
      const places = marks.breaks.map(([at]) => at);
      const to = event.key === "]" ? places.find((at) => at > this.at) : places.reverse().find((at) => at < this.at);
      if (to !== undefined) this.choose(to);
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      taken(event);
      const { first, last } = this.sight;
      const grow = (event.key === "-" ? 0.2 : -0.15) * (last - first + 1);
      const wide = Math.sign(grow) * Math.max(1, Math.round(Math.abs(grow)));
      this.look(withPlace(clamp({ first: first - wide, last: last + wide }, count), this.at, count));
    }
  }

  private escaped(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !isSingle(event) || event.defaultPrevented || !this.series) return;
    if (this.base !== this.at - 1) {
      taken(event);
      this.setBase(this.at - 1);
    } else if (this.live && this.below.childElementCount) {
      taken(event);
      const what = this.model.get("compression") ? "compression" : "place";
      this.model.send({ command: "close", what });
      this.chart.element.focus({ preventScroll: true });
    }
  }

  // --- what Python holds

  /** The value of a trait that is JSON, if it is another one than before. */
  private fresh<T>(name: string): { value: T | null } | null {
    const text = String(this.model.get(name) || "");
    if (this.known.get(name) === text) return null;
    this.known.set(name, text);
    return { value: held<T>(text) };
  }

  private onChange(changed: Set<string>): void {
    const { model } = this;
    const view = this.fresh<View>("view");
    if (view) this.view = view.value;
    const series = this.fresh<Series>("series");
    if (series) this.series = series.value;
    const marks = this.fresh<Marks>("marks");
    if (marks) this.marks = marks.value ?? NO_MARKS;
    const kept = this.fresh<Record<string, Chosen>>("kept");
    if (kept) this.kept = kept.value ?? {};
    const chosen = this.fresh<Chosen>("chosen");
    if (chosen) this.chosen = chosen.value;
    const wrong = String(model.get("error") ?? "");
    const { sentence, still } = this.view ?? { sentence: "", still: "" };
    const words = wrong ? [harmless(wrong)] : [harmless(sentence), still && h("span", { class: "still" }, ` ${still}`)];
    this.head.answer(words, Boolean(wrong));
    const isEmpty = !this.view || !this.series;
    this.empty.hidden = !isEmpty;
    for (const each of [this.two, this.table.element, this.stack.element, this.about]) each.hidden = isEmpty;
    if (!this.view || !this.series) return;
    if (view) this.drawHead(this.view);
    this.agent.value = String(model.get("agent") ?? "");
    this.whatIf.value = String(model.get("what_if") ?? "");
    this.stack.set(this.stackName);
    this.follow(changed, Boolean(series));
    this.drawChosen();
    this.drawFindings();
    this.drawWhole();
    this.drawBelow();
  }

  /** Takes the request, its other one and the sight from Python, but for those that are on their way there. */
  private follow(changed: Set<string>, isNew: boolean): void {
    const { series, model } = this;
    if (!series) return;
    const count = series.ids.length;
    if ((changed.has("request") || changed.has("base") || isNew) && this.asking === null) {
      const at = series.ids.indexOf(String(model.get("request") ?? ""));
      const base = series.ids.indexOf(String(model.get("base") ?? ""));
      this.at = at < 0 ? count - 1 : at;
      this.base = base < 0 ? this.at - 1 : base;
    }
    const held = (model.get("sight") as number[] | undefined) ?? [];
    if (isNew || changed.has("sight"))
      this.sight = held.length === 2 ? clamp({ first: held[0], last: held[1] }, count) : usualSight(count, this.at);
    else if (changed.has("request")) this.sight = withPlace(this.sight, this.at, count);
  }

  private get stackName(): StackName {
    const name = String(this.model.get("stack") || "source") as StackName;
    return this.series?.stacks[name]?.length ? name : "source";
  }

  private drawHead(view: View): void {
    this.about.textContent = harmless(view.about);
    this.about.title = `${harmless(view.about)}; counted by ${harmless(view.tokenizer)}`;
    options(this.agent, view.agents);
    options(this.whatIf, view.what_ifs);
    this.agent.hidden = !this.live || view.agents.length < 2;
    this.whatIf.hidden = !this.live || view.what_ifs.length < 2;
  }

  private drawChosen(): void {
    const { series, at, base } = this;
    if (!series) return;
    this.drawChart();
    this.drawFacts();
    const id = series.ids[at];
    const found = this.live ? this.chosen : (this.kept[id] ?? null);
    const wanted = base === at - 1 ? (series.ids[at - 1] ?? "") : (series.ids[base] ?? "");
    const isLate = this.live && (!found || found.request !== id || found.base !== wanted);
    this.pair.element.hidden = !found;
    if (!found) return;
    const compression = this.marks.compressions.find((each) => each.at === at)?.id ?? "";
    this.pair.draw(
      found,
      {
        number: series.numbers[at],
        before: at > 0 ? series.numbers[at - 1] : null,
        behind: at < series.ids.length - 1 ? series.numbers[at + 1] : null,
        least: series.numbers[0],
        most: series.numbers[series.numbers.length - 1],
        compression,
      },
      isLate,
    );
    if (!isLate) this.table.draw(found.table, series.numbers[at]);
  }

  private drawChart(): void {
    const { series, marks, sight } = this;
    if (!series) return;
    const { numbers, times } = series;
    const [first, last] = [sight.first, sight.last];
    const time = times[first] && times[last] ? `, ${times[first]} to ${times[last]}` : "";
    this.range.textContent = `all ${grouped(numbers.length)}; requests ${grouped(numbers[first])}–${grouped(numbers[last])}${time}`;
    this.overview.element.hidden = numbers.length < 2;
    this.overview.draw(series, marks, sight);
    this.chart.draw({ series, marks, stack: this.stackName, sight, chosen: this.at, base: this.base });
    this.breaks.draw(series, marks, sight, this.at);
  }

  /** The tokens of the chosen request by what the stack shows, and how much of it was cached. */
  private drawFacts(): void {
    const { series, marks, at } = this;
    if (!series) return;
    const all = wholeOf(series, at);
    const prefix = prefixOf(series, marks, at);
    const isBreak = marks.breaks.some(([place]) => place === at);
    const how = isReported(series) ? "cached, reported" : "as before, counted here";
    const cached = prefix < 0 ? `${grouped(all)} tokens` : `${grouped(prefix)} of ${grouped(all)} ${how}`;
    const windows = series.windows.filter(([first, last]) => at >= first && at <= last);
    this.facts.replaceChildren(
      h(
        "span",
        { class: "strong", title: wordsOf({ series, marks }, at) },
        `${grouped(series.numbers[at])}: `,
        h("span", { class: isBreak ? "err" : "" }, cached),
      ),
      ...columnsOf(series, this.stackName)
        .filter(({ values }) => values[at])
        .map(({ sign, title, values }) =>
          h(
            "span",
            { class: `f src-${sign}` },
            h("i", { class: `sw fill src-${sign}` }),
            h("span", { class: "ink2" }, harmless(title)),
            grouped(values[at]),
          ),
        ),
      ...windows.map(([, , tokens, model]) =>
        h(
          "span",
          { class: "muted", title: harmless(model) },
          `${share(height(series, at), tokens)} of the window, ${grouped(tokens)}`,
        ),
      ),
    );
  }

  private drawFindings(): void {
    const found = this.fresh<Findings>("findings");
    if (found?.value) this.findings.draw(found.value);
    else if (found) this.findings.offer(this.view?.characters ?? 0);
  }

  private drawWhole(): void {
    const text = `${this.model.get("difference")}${this.model.get("row_text")}`;
    if (this.known.get("whole") === text) return;
    this.known.set("whole", text);
    const found = held<{ rows: DifferenceRow[]; more: number }>(this.model.get("difference"));
    const row = held<{ row: number; text: string }>(this.model.get("row_text"));
    this.pair.drawWhole(found?.rows ?? null, found?.more ?? 0, row);
  }

  private drawBelow(): void {
    const { model } = this;
    const opened = String(model.get("opened") || "");
    this.opened.textContent = harmless(opened);
    this.opened.hidden = !opened;
    const key = `${model.get("place")}${model.get("compression")}${model.get("reports")}`;
    if (this.known.get("below") === key) return;
    this.known.set("below", key);
    const place = held<Place>(model.get("place"));
    const report = held<CompressionReport>(model.get("compression"));
    const close = (what: string) => () => {
      model.send({ command: "close", what });
      this.chart.element.focus({ preventScroll: true });
    };
    this.below.replaceChildren(
      ...(place ? [placeSection(place, close("place"))] : []),
      ...(report ? [compressionSection(report, close("compression"))] : []),
      ...(this.live ? [] : (held<{ rows: CompressionReport[] }>(model.get("reports"))?.rows ?? [])).map((each) =>
        compressionSection(each, null),
      ),
    );
  }
}

function options(select: HTMLSelectElement, values: [name: string, words: string][]): void {
  select.replaceChildren(...values.map(([value, words]) => h("option", { value }, harmless(words))));
}

const share = (tokens: number, of: number): string => {
  const percent = (100 * tokens) / of;
  return `${percent < 1 ? percent.toFixed(1) : Math.round(percent)} %`;
};

const TRAITS = [
  ...["view", "series", "marks", "findings", "chosen", "difference", "row_text", "place", "compression", "kept"],
  ...["agent", "request", "base", "stack", "sight", "what_if", "opened", "error", "reports"],
];

export default widget("Recording", own, (at) => void new RecordingView(at));
