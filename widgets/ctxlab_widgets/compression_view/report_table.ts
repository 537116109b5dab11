// What the summary keeps: each fact with its words on both sides, chosen by state and by kind; of many those in sight.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { priceWords } from "../_shared/remedy_button";
import { VirtualRows } from "../_shared/virtual_rows";
import { chosenFacts, type Excerpt, type Fact, type Payload, type Report, type State } from "./payload";

const HEADS = ["", "kind", "in the originals", "in the summary"];
const SIGNS: Record<State, string> = { lost: "failed", weakened: "warning", kept: "done" };
const STATES: State[] = ["lost", "weakened", "kept"];

/** Up to so many rows are all in the page. */
const FEW = 60;
const SPARE = 400;
/** Pixels of a row, a guess until it is drawn. */
const ROW = 46;

export class ReportTable {
  readonly element: HTMLElement;
  private readonly sentence = h("p", { class: "said" });
  private readonly body = h("div", { role: "rowgroup" });
  private readonly top: HTMLElement;
  private readonly virtual: VirtualRows;
  private width = 0;
  private readonly kinds = h("select", { "aria-label": "Kind of fact" });
  private readonly states;
  private readonly more = h("p", { class: "muted more" });
  private report: Report | null = null;
  private state = "";

  constructor(
    private readonly live: boolean,
    signal: AbortSignal,
    putBack: (number: number) => void,
  ) {
    const labels = { "": "All", ...Object.fromEntries(STATES.map((state) => [state, title(state)])) };
    this.states = radios("State", labels, (state) => this.choose(state), signal);
    this.states.set("");
    this.kinds.addEventListener("change", () => this.list(), { signal });
    this.body.addEventListener(
      "click",
      (event) => {
        const button = (event.target as Element).closest<HTMLElement>("[data-number]");
        if (button) putBack(Number(button.dataset.number));
      },
      { signal },
    );
    const heads = HEADS.map((words) => h("span", { role: "columnheader", "aria-label": words || "state" }, words));
    this.top = h("div", { class: "fact top", role: "row" }, heads);
    const table = h("div", { class: "facts", role: "table", "aria-label": "Facts" }, this.top, this.body);
    const scroller = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Facts, scrolled" }, table);
    this.virtual = new VirtualRows({
      scroller,
      body: this.body,
      spare: SPARE,
      covered: () => this.top.offsetHeight,
    });
    scroller.addEventListener("scroll", () => this.virtual.update(), { signal, passive: true });
    const watch = new ResizeObserver(() => this.resized(scroller.clientWidth));
    watch.observe(scroller);
    signal.addEventListener("abort", () => watch.disconnect());
    this.element = h(
      "section",
      { class: "report", "aria-label": "What the summary keeps" },
      h(
        "div",
        { class: "bar" },
        h("h3", {}, "What it keeps"),
        h("span", { class: "sp" }),
        this.kinds,
        this.states.element,
      ),
      this.sentence,
      scroller,
      this.more,
    );
  }

  draw({ report }: Payload): void {
    this.report = report;
    this.element.hidden = !report;
    if (!report) return;
    this.sentence.replaceChildren(h("b", {}, report.sentence), ` ${report.ceiling}`);
    this.states.label("", `All ${STATES.reduce((sum, state) => sum + report.totals[state], 0)}`);
    for (const state of STATES) this.states.label(state, `${title(state)} ${report.totals[state]}`);
    const had = this.kinds.value;
    const options = Object.entries(report.kinds).map(([kind, n]) =>
      h("option", { value: kind }, `${harmless(kind)}, ${n}`),
    );
    this.kinds.replaceChildren(h("option", { value: "" }, "every kind"), ...options);
    this.kinds.value = had in report.kinds ? had : "";
    this.list();
  }

  private choose(state: string): void {
    this.state = state;
    this.list();
  }

  private list(): void {
    const report = this.report;
    if (!report) return;
    const chosen = chosenFacts(report.facts, this.state, this.kinds.value);
    const had = this.body.contains(document.activeElement);
    this.virtual.forget();
    this.virtual.set({
      count: chosen.length,
      key: (at) => String(chosen[at]),
      height: () => ROW,
      measured: () => true,
      all: chosen.length <= FEW,
      draw: (at) => this.row(report.facts[chosen[at]], chosen[at], at),
    });
    if (had && !this.body.contains(document.activeElement)) this.body.querySelector("button")?.focus();
    const none = chosen.length ? "" : "No fact of this kind and state. ";
    this.more.textContent =
      none + (report.unlisted ? `${many(report.unlisted, "more fact")}: report().frame() has all.` : "");
    this.more.hidden = !this.more.textContent;
  }

  /** Rows of another width have other heights. */
  private resized(width: number): void {
    if (width === this.width) return;
    this.width = width;
    if (this.report && !this.element.hidden) this.list();
  }

  private row(fact: Fact, number: number, at: number): HTMLElement {
    const button =
      this.live &&
      fact.state !== "kept" &&
      h(
        "button",
        {
          type: "button",
          class: "btn small",
          "data-number": number,
          "aria-label": `${putBackWords(fact)}: ${harmless(fact.was[1])}`,
        },
        putBackWords(fact),
      );
    const times = fact.mentions > 1 && h("span", { class: "muted" }, ` ${many(fact.mentions, "time")}`);
    const why = harmless(fact.reason);
    const now = fact.now
      ? [marked(fact.now, fact.state), why && h("span", { class: "why ink2" }, why)]
      : h("span", { class: "err" }, why || "nothing of it is in the summary");
    const cell = (sort: string, ...words: Child[]) => h("div", { class: sort || null, role: "cell" }, ...words);
    return h(
      "div",
      { class: "fact", role: "row", "data-state": fact.state, "aria-rowindex": at + 2 },
      cell("", h("span", { class: `state ${fact.state}` }, glyph(SIGNS[fact.state]), fact.state)),
      cell("kind ink2", harmless(fact.kind)),
      cell(
        "",
        fact.source && h("span", { class: "muted id" }, harmless(fact.source)),
        marked(fact.was, fact.state),
        times,
      ),
      cell("", now),
      cell("do", button),
    );
  }
}

/** What the button says that adds a fact to the summary, with its price. */
export const putBackWords = (fact: Fact): string =>
  `Put it back${priceWords(fact.price === null ? null : { tokens: fact.price, of: "summary" })}`;

const title = (state: State): string => state[0].toUpperCase() + state.slice(1);

function marked([before, words, after]: Excerpt, state: State): HTMLElement {
  return h("span", { class: "ex" }, harmless(before), h("mark", { class: state }, harmless(words)), harmless(after));
}
