// A run's ledger: step by step and rule by rule, what came in, what went and what is left.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { type CompareHost, hasRun, type LedgerEntry, type RunColumn, type State } from "./payload";

const TITLES = ["step", "rule", "in", "added", "cut", "saved", "out", "balance"];
/** On a narrow page what came in, what goes out and the balance between them is enough. */
const LOOKS = ["", "", "num", "num hide-n", "num hide-n", "num hide-n", "num", "num"];

export function ledgersOf(state: State, host: CompareHost): HTMLElement[] {
  const shown = state.view.columns.filter((column) => hasRun(column) && state.ledgers.has(column.name)) as RunColumn[];
  return shown.map((column) => ledgerOf(column, host));
}

function ledgerOf(column: RunColumn, host: CompareHost): HTMLElement {
  const name = harmless(column.name);
  const close = h(
    "button",
    { type: "button", class: "btn quiet", "aria-label": `Close the ledger of ${name}` },
    glyph("failed"),
  );
  close.addEventListener("click", () => host.toggleLedger(column.name), { signal: host.signal });
  const titles = TITLES.map((title, i) => h("th", { scope: "col", class: LOOKS[i] }, title));
  const table = h(
    "table",
    {},
    h("thead", {}, h("tr", {}, titles)),
    h(
      "tbody",
      {},
      column.ledger.map((entry, i) => entryOf(entry, column.ledger[i - 1])),
    ),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row" }, "sent"),
        LOOKS.slice(1, 6).map((look) => h("td", { class: look })),
        h("td", { class: "num strong" }, grouped(column.tokens)),
        h("td", {}),
      ),
    ),
  );
  const head = h(
    "div",
    { class: "lh" },
    h("h3", {}, "Ledger of ", name),
    h("span", { class: "muted" }, many(column.tokens, "token"), " sent"),
    h("span", { class: "sp" }),
    close,
  );
  return h(
    "section",
    { class: "ledger", "aria-label": `Ledger of ${name}` },
    head,
    h("div", { class: "lt", tabindex: 0, role: "group", "aria-label": "Steps and rules" }, table),
  );
}

function entryOf([step, rule, came, added, cut, saved, out]: LedgerEntry, above: LedgerEntry | undefined): HTMLElement {
  const again = above?.[0] === step;
  const number = (n: number, i: number) => h("td", { class: LOOKS[i + 2] }, n ? signed(n).replace("+", "") : "");
  return h(
    "tr",
    { class: again ? "" : "first" },
    h("th", { scope: "row" }, again ? h("span", { class: "vh" }, harmless(step)) : harmless(step)),
    h("td", { class: rule ? "" : "muted" }, harmless(rule) || "untouched"),
    [came, added, cut, saved, out].map(number),
    h("td", { class: "num" }, out === came ? "" : signed(out - came)),
  );
}

export const signed = (n: number): string => (n > 0 ? `+${grouped(n)}` : n < 0 ? `−${grouped(-n)}` : "0");
