// What the summary keeps: each fact with its words on both sides, chosen by state and by kind.

import { glyph, h, harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { chosenFacts, type Excerpt, type Fact, type Payload, type Report, type State } from "./payload";

const SIGNS: Record<State, string> = { lost: "failed", weakened: "warning", kept: "done" };
const STATES: State[] = ["lost", "weakened", "kept"];

export class ReportTable {
  readonly element: HTMLElement;
  private readonly sentence = h("p", { class: "said" });
  private readonly body = h("tbody");
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
    const heads = ["", "kind", "in the originals", "in the summary", ""].map((words) =>
      h("th", { scope: "col" }, words),
    );
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
      h("div", { class: "scroll" }, h("table", { class: "facts" }, h("thead", {}, h("tr", {}, heads)), this.body)),
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
    this.body.replaceChildren(...chosen.map((number) => this.row(report.facts[number], number)));
    const none = chosen.length ? "" : "No fact of this kind and state. ";
    this.more.textContent =
      none + (report.unlisted ? `${many(report.unlisted, "more fact")}: report().frame() has all.` : "");
    this.more.hidden = !this.more.textContent;
  }

  private row(fact: Fact, number: number): HTMLElement {
    const button =
      this.live &&
      fact.state !== "kept" &&
      h(
        "button",
        {
          type: "button",
          class: "btn small",
          "data-number": number,
          "aria-label": `Put back: ${harmless(fact.was[1])}`,
        },
        "Put it back",
      );
    const times = fact.mentions > 1 && h("span", { class: "muted" }, ` ${many(fact.mentions, "time")}`);
    const why = harmless(fact.reason);
    const now = fact.now
      ? [marked(fact.now, fact.state), why && h("span", { class: "why ink2" }, why)]
      : h("span", { class: "err" }, why || "nothing of it is in the summary");
    return h(
      "tr",
      { "data-state": fact.state },
      h("td", {}, h("span", { class: `state ${fact.state}` }, glyph(SIGNS[fact.state]), fact.state)),
      h("td", { class: "ink2" }, harmless(fact.kind)),
      h(
        "td",
        {},
        fact.source && h("span", { class: "muted id" }, harmless(fact.source)),
        marked(fact.was, fact.state),
        times,
      ),
      h("td", {}, now),
      h("td", { class: "do" }, button),
    );
  }
}

const title = (state: State): string => state[0].toUpperCase() + state.slice(1);

function marked([before, words, after]: Excerpt, state: State): HTMLElement {
  return h("span", { class: "ex" }, harmless(before), h("mark", { class: state }, harmless(words)), harmless(after));
}
