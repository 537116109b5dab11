// Below the body: what two vendors' requests have at different places, and what only one of them has.

import { h, harmless } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import { size, usd } from "./payload";

export interface Difference {
  kind: "moved" | "renamed" | "changed" | "added" | "dropped" | "same";
  what: string;
  first: string;
  second: string;
  tokens: number;
}

interface Totals {
  tokens: number;
  bytes: number;
  input_usd: number | null;
  cached_usd: number | null;
  most_usd: number | null;
}

export interface Comparison {
  titles: [string, string];
  names: [string, string];
  summary: string;
  rows: Difference[];
  same: Difference[];
  totals: [Totals, Totals];
}

const SIGNS: Record<string, string> = {
  moved: "\u2192",
  renamed: "\u2260",
  changed: "~",
  added: "+",
  dropped: "\u00d7",
  same: "=",
};

export interface ComparisonHost {
  close(): void;
  swap(): void;
  live: boolean;
}

export class ComparisonTable {
  readonly element = h("section", { class: "cmp", "aria-label": "Requests compared", hidden: true });
  private readonly only = h("input", { type: "checkbox" });
  private shown: Comparison | null = null;

  constructor(private readonly host: ComparisonHost) {
    this.only.checked = true;
    this.only.addEventListener("change", () => this.shown && this.draw(this.shown));
  }

  draw(comparison: Comparison | null): void {
    this.shown = comparison;
    this.element.hidden = !comparison;
    if (!comparison) {
      this.element.replaceChildren();
      return;
    }
    const { names, rows, same, summary } = comparison;
    const all = this.only.checked ? rows : [...rows, ...same];
    this.element.replaceChildren(
      h(
        "div",
        { class: "cmph" },
        h("h3", {}, `${names[0]} against ${names[1]}`),
        h("span", { class: "sp" }),
        h("label", { class: "check" }, this.only, "only differences"),
        this.host.live && this.button("Swap", "", () => this.host.swap()),
        this.host.live && this.button("Close", " quiet", () => this.host.close()),
      ),
      h("p", { class: "strong", "aria-live": "polite" }, harmless(summary[0].toUpperCase() + summary.slice(1))),
      table(comparison, all),
    );
  }

  private button(words: string, cls: string, act: () => void): HTMLElement {
    const button = h("button", { type: "button", class: `btn${cls}` }, words);
    button.addEventListener("click", act);
    return button;
  }
}

function table({ titles, names, totals }: Comparison, rows: Difference[]): HTMLElement {
  const heads = ["what", titles[0], "tokens", titles[1]];
  return h(
    "table",
    { class: "vd" },
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map((words, i) => h("th", { class: i === 2 ? "num" : null, scope: "col" }, harmless(words))),
      ),
    ),
    h(
      "tbody",
      {},
      rows.map((row) => difference(row, names)),
    ),
    h("tfoot", {}, totalRows(totals, names)),
  );
}

function difference({ kind, what, first, second, tokens }: Difference, names: [string, string]): HTMLElement {
  const state = kind === "dropped" ? "gone" : kind === "same" ? "" : "chg";
  return h(
    "tr",
    { class: state },
    h(
      "td",
      {},
      h("span", { class: "sign strong", "aria-hidden": "true" }, SIGNS[kind]),
      h("span", { class: "strong" }, harmless(what)),
      ` `,
      h("span", { class: "muted" }, kind),
    ),
    h("td", { "data-l": names[0] }, h("code", {}, harmless(first))),
    h("td", { class: `num${tokens ? "" : " none"}` }, tokens ? grouped(tokens) : ""),
    h("td", { "data-l": names[1] }, h("code", {}, harmless(second))),
  );
}

function totalRows(totals: [Totals, Totals], names: [string, string]): HTMLElement[] {
  const price = (value: number | null): string => (value === null ? "not known" : usd(value));
  const rows: [string, (each: Totals) => string][] = [
    ["tokens in", (each) => grouped(each.tokens)],
    ["body", (each) => size(each.bytes)],
    ["in, this time", (each) => price(each.input_usd)],
    ["at most", (each) => price(each.most_usd)],
  ];
  return rows.map(([name, value]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", class: "muted" }, name),
      h("td", { "data-l": names[0] }, value(totals[0])),
      h("td", { class: "none" }),
      h("td", { "data-l": names[1] }, value(totals[1])),
    ),
  );
}
