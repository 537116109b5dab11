// The column heads: a run's name, its window as a thin bar, what can be done with it, and what it comes to.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { onlyStop } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { price } from "../_shared/remedy_button";
import { type Column, type CompareHost, hasRun, type RunColumn, type State } from "./payload";

/** The rows of heads; all bars have one scale. `more` is the button that leads to columns out of sight. */
export function columnHeads(state: State, host: CompareHost, more: HTMLElement): HTMLElement[] {
  const { columns } = state.view;
  const scale = Math.max(1, ...columns.map((column) => (hasRun(column) ? width(column) : 0)));
  const corner = h("div", { class: "cc cc0 muted", role: "columnheader" }, more, h("span", {}, "message"));
  const cells = state.shown.map((i) => head(state, host, i, scale));
  const row = h("div", { class: "cr heads", role: "row", "aria-rowindex": 1 }, corner, cells);
  onlyStop(
    [...row.querySelectorAll("button")].filter((each) => each !== more),
    0,
  );
  return [row, ...totalRows(state)];
}

function head(state: State, host: CompareHost, i: number, scale: number): HTMLElement {
  const column = state.view.columns[i];
  const isBase = i === 0 && column.name !== "base";
  return h(
    "div",
    { class: "cc", role: "columnheader", "data-column": i },
    h("div", { class: "in1" }, name(column), isBase && h("span", { class: "tag hide-n" }, "base")),
    hasRun(column) ? bar(column, scale) : failure(column.error),
    hasRun(column) && equals(state, host, column),
    actions(state, host, column, i),
  );
}

/** The runs that do the same with every message: in this column, or unfolded beside it. */
function equals(state: State, host: CompareHost, column: RunColumn): Child {
  if (column.same) return h("div", { class: "eq" }, `identical to ${harmless(column.same)}`);
  const own = state.view.columns.filter((each) => hasRun(each) && each.same === column.name);
  if (!own.length) return null;
  const open = state.unfoldedRuns.has(column.name);
  const names = own.map((each) => harmless(each.name)).join(", ");
  const words = open ? "fold identical" : `identical: ${names}`;
  const title = `${names}: identical to ${harmless(column.name)}, in what is sent and in what is cut`;
  const attributes = { type: "button", class: "do eq", "aria-expanded": String(open), title };
  const button = h("button", attributes, words);
  button.addEventListener("click", () => host.toggleEqual(column.name), { signal: host.signal });
  return button;
}

const width = (column: RunColumn): number => column.bar.reduce((n, [, tokens]) => n + tokens, 0);

function name(column: Column): HTMLElement {
  const words = harmless(column.name);
  return h(
    "span",
    { class: "nm strong", title: hasRun(column) ? `${words}: ${harmless(column.about)}` : words },
    words,
  );
}

function bar(column: RunColumn, scale: number): HTMLElement {
  const words = column.bar.map(([, tokens, source]) => `${source} ${grouped(tokens)}`).join(", ");
  const parts = column.bar.map(([look, tokens, source]) => {
    const part = h("i", { class: `fill src-${look}`, title: `${source} ${grouped(tokens)}` });
    part.style.flex = `${tokens} 0 0`;
    return part;
  });
  const whole = h("div", { class: "sm", role: "img", "aria-label": words || "nothing is sent" }, parts);
  whole.style.width = `${(100 * width(column)) / scale}%`;
  return whole;
}

const failure = (error: string): HTMLElement =>
  h("p", { class: "fail", title: harmless(error) }, glyph("failed"), h("span", {}, harmless(error)));

function actions(state: State, host: CompareHost, column: Column, i: number): HTMLElement {
  const make = (words: Child, label: string, act: () => void, more = {}) => {
    const button = h("button", { type: "button", class: "do", "aria-label": label, title: label, ...more }, words);
    button.addEventListener("click", act, { signal: host.signal });
    return button;
  };
  const own = harmless(column.name);
  const out: HTMLElement[] = [];
  if (hasRun(column)) {
    const pressed = { "aria-pressed": String(state.ledgers.has(column.name)), "data-ledger": column.name };
    out.push(make("ledger", `Ledger of ${own}`, () => host.toggleLedger(column.name), pressed));
  }
  if (state.live && i > 0) {
    const { name } = column;
    const words = [h("span", { class: "hide-n" }, "make "), "base"];
    if (hasRun(column)) out.push(make(words, `make base: ${own}`, () => host.send({ command: "base", name })));
    out.push(make(glyph("failed"), `Remove ${own}`, () => host.send({ command: "remove", name })));
  }
  return h("div", { class: "acts" }, out);
}

interface Total {
  label: string;
  of(column: RunColumn): number;
  /** Said beside the number where there is room, and on hover. */
  more?(column: RunColumn): string;
  isOver?(column: RunColumn): boolean;
}

const TOTALS: Total[] = [
  {
    label: "tokens",
    of: (column) => column.tokens,
    more: ({ free, budget }) => (free === null ? "no budget" : `of ${grouped(budget ?? 0)}, ${grouped(free)} free`),
    isOver: ({ free }) => (free ?? 0) < 0,
  },
  { label: "messages", of: (column) => column.messages },
  { label: "cut", of: ({ cut }) => cut[0], more: ({ cut }) => (cut[0] ? many(cut[1], "token") : "") },
  { label: "shortened", of: (column) => column.shortened },
  { label: "user turns", of: (column) => column.kept, more: turns },
];

function turns({ turns, summaries }: RunColumn): string {
  const words = `of ${grouped(turns)}`;
  if (!summaries) return words;
  return `${words} + ${summaries > 1 ? `${grouped(summaries)} summaries` : "summary"}`;
}

/** What each run comes to, and how far that is from the base. */
function totalRows(state: State): HTMLElement[] {
  const columns = state.view.columns;
  const shown = TOTALS.filter(({ label, of }) => label !== "shortened" || columns.some((c) => hasRun(c) && of(c) > 0));
  return shown.map((total, i) =>
    h(
      "div",
      { class: "cr total", role: "row", "aria-rowindex": i + 2 },
      h("div", { class: "cc cc0 muted", role: "rowheader" }, total.label),
      state.shown.map((at) => cell(total, columns[at], at ? columns[0] : null)),
    ),
  );
}

function cell(total: Total, column: Column, base: Column | null): HTMLElement {
  if (!hasRun(column)) return h("div", { class: "cc num", role: "gridcell" });
  const own = total.of(column);
  const more = total.more?.(column) ?? "";
  const delta = base && hasRun(base) && own !== total.of(base) ? price(own - total.of(base)) : "";
  const look = `cc num${total.isOver?.(column) ? " over" : ""}`;
  const title = [`${grouped(own)} ${more}`.trim(), delta && `${delta} beside the base`].filter(Boolean).join(", ");
  return h(
    "div",
    { class: look, role: "gridcell", title },
    h("span", { class: "strong" }, grouped(own)),
    more && h("span", { class: "opt muted" }, ` ${more}`),
    delta && h("span", { class: "delta ink2" }, delta),
  );
}
