// The column heads: a run's name, its window as a thin bar, and what can be done with it; below, the totals.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { onlyStop } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { type Column, type CompareHost, hasRun, type RunColumn, type State } from "./payload";

/** The row of heads; all bars have one scale. */
export function columnHeads(state: State, host: CompareHost): HTMLElement {
  const { columns } = state.view;
  const scale = Math.max(1, ...columns.map((column) => (hasRun(column) ? width(column) : 0)));
  const corner = h("div", { class: "cc cc0 muted", role: "columnheader" }, "message");
  const cells = columns.map((column, i) =>
    h(
      "div",
      { class: "cc", role: "columnheader", "data-column": i },
      h(
        "div",
        { class: "in1" },
        name(column),
        i === 0 && column.name !== "base" && h("span", { class: "tag hide-n" }, "base"),
      ),
      hasRun(column) ? bar(column, scale) : failure(column.error),
      actions(state, host, column, i),
    ),
  );
  const row = h("div", { class: "cr heads", role: "row", "aria-rowindex": 1 }, corner, cells);
  const buttons = [...row.querySelectorAll("button")];
  onlyStop(buttons, 0);
  return row;
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
    if (hasRun(column)) out.push(make(words, `Make ${own} the base`, () => host.send({ command: "base", name })));
    out.push(make(glyph("failed"), `Remove ${own}`, () => host.send({ command: "remove", name })));
  }
  return h("div", { class: "acts" }, out);
}

/** A number, and what is left out of it where there is no room. */
type Figure = [number: string, more?: string];

/** What each run comes to. */
export function totalRows(state: State): HTMLElement[] {
  const { columns } = state.view;
  const shortened = columns.some((column) => hasRun(column) && column.shortened > 0);
  const lines: [string, (column: RunColumn) => Figure][] = [
    ["sent", (column) => [grouped(column.tokens)]],
    ["free", (column) => [column.free === null ? "no budget" : grouped(column.free)]],
    ["messages", (column) => [grouped(column.messages)]],
    ["user turns kept", turns],
    ["cut", cut],
  ];
  if (shortened) lines.push(["shortened", (column) => [grouped(column.shortened)]]);
  return lines.map(([label, figure], i) =>
    h(
      "div",
      { class: i ? "cr" : "cr first-total", role: "row" },
      h("div", { class: "cc cc0 muted", role: "rowheader" }, label),
      columns.map((column) => total(label, column, figure)),
    ),
  );
}

function total(label: string, column: Column, figure: (column: RunColumn) => Figure): HTMLElement {
  const over = label === "free" && hasRun(column) && (column.free ?? 0) < 0;
  const [number, more] = hasRun(column) ? figure(column) : ["–"];
  const look = `cc num${label === "sent" ? " strong" : ""}${over ? " over" : ""}`;
  const rest = more && h("span", { class: "opt" }, more);
  return h("div", { class: look, role: "gridcell", title: `${number}${more ?? ""}` }, number, rest);
}

function turns({ kept, turns, summaries }: RunColumn): Figure {
  const words = `${grouped(kept)} of ${grouped(turns)}`;
  if (!summaries) return [words];
  return [words, ` + ${summaries > 1 ? `${grouped(summaries)} summaries` : "summary"}`];
}

function cut({ cut: [messages, tokens] }: RunColumn): Figure {
  return messages ? [grouped(messages), ` (${many(tokens, "token")})`] : ["0"];
}
