// The elements of the table's rows: a message, a fold of alike ones, and the texts of an open row.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Cell, CompareHost, ComparisonRow, State } from "./payload";
import { rowDetail } from "./row_detail";
import { cellLabel, foldCell, type Item, isSent, note } from "./rows";

export function rowElement(state: State, row: ComparisonRow): HTMLElement {
  const open = state.opened.has(row.key);
  const short = row.key.replace(/^node:/, "");
  const isHistory = row.look === "history";
  const sign = isHistory
    ? h("span", { class: `sg r-${row.role}` }, glyph(row.role))
    : h("span", { class: `sg src-${row.look}` }, glyph(row.look));
  const id = isHistory && short.length <= SAYABLE && h("span", { class: "ink2" }, harmless(short), " ");
  const label = h("span", { class: "x" }, id, harmless(row.words));
  const title = `${harmless(row.key)}, ${row.role}: ${harmless(row.words)}`;
  const head = h(
    "div",
    { class: "cc cc0", role: "rowheader", title, "aria-expanded": String(open) },
    h("div", { class: "in1" }, sign, label, h("span", { class: "off" })),
  );
  const look = `cr it${open ? " is-open" : ""}`;
  const cells = state.shown.map((i) => cellElement(row.cells[i], row.cells[0], i));
  return h("div", { class: look, role: "row", "data-key": row.key }, head, cells);
}

/** Longer ids say nothing to a person; the title has them. */
const SAYABLE = 12;

export function foldElement(state: State, item: Item & { kind: "fold" }): HTMLElement {
  const { rows } = item;
  const base = foldCell(rows, 0);
  const mark = h("span", { class: `mk${item.open ? " down" : ""}`, "aria-hidden": "true" }, "›");
  const [count, rest] = item.words.split(/(?=,)/);
  const words = h("span", { class: "x" }, count, h("span", { class: "hide-n" }, rest));
  const label = h("div", { class: "in1" }, mark, words, h("span", { class: "off" }));
  const head = h(
    "div",
    { class: "cc cc0", role: "rowheader", title: item.words, "aria-expanded": String(item.open) },
    label,
  );
  const cells = state.shown.map((i) => cellElement(i ? foldCell(rows, i) : base, base, i));
  return h("div", { class: "cr it fold", role: "row", "data-fold": rows[0].key }, head, cells);
}

export function textsElement(state: State, host: CompareHost, row: ComparisonRow): HTMLElement {
  const facts = h(
    "div",
    { class: "cc0 facts", role: "rowheader" },
    h("code", {}, harmless(row.key)),
    h("span", { class: "ink2" }, `${row.role}${row.look === "history" ? "" : `, ${row.look}`}`),
    jumps(state, host, row),
  );
  return h("div", { class: "cr texts", role: "row" }, facts, rowDetail(state, host, row));
}

const JUMPS: [view: string, words: string, isFor: (key: string) => boolean][] = [
  ["steps", "Open in Steps", () => true],
  ["budget", "Open in Budget", () => true],
  ["lore", "Open in Lore", (key) => key.startsWith("lore:")],
];

function jumps(state: State, host: CompareHost, { key }: ComparisonRow): HTMLElement[] {
  if (!state.live) return [];
  return JUMPS.filter(([view, , isFor]) => state.views.includes(view) && isFor(key)).map(([view, words]) => {
    const button = h("button", { type: "button", class: "lk" }, words);
    button.addEventListener("click", () => host.send({ command: "open_view", view, key }));
    return button;
  });
}

function cellElement(cell: Cell | null, base: Cell | null, column: number): HTMLElement {
  if (!cell) return h("div", { class: "cc is-none", role: "gridcell" }, h("span", { class: "vh" }, "no run"));
  const { look, sign, word } = cellLabel(cell, column ? base : null);
  const sent = isSent(cell);
  const told = cell.state === "cut" ? `${cell.cause}, ${many(cell.tokens, "token")}` : cell.cause;
  const same = look === "same" && !word && h("span", { class: "vh" }, sent ? "as the base" : "not here");
  const line = h(
    "div",
    { class: "in1" },
    sign && h("span", { class: "sn", "aria-hidden": "true" }, sign),
    same,
    word ? h("span", { class: "x" }, word) : !sent && !same && h("span", { class: "vh" }, "not here"),
    sent && note(cell) && h("span", { class: "nb0" }, harmless(note(cell))),
    h("span", { class: "sp" }),
    sent && h("span", {}, grouped(cell.tokens)),
  );
  return h("div", { class: `cc is-${look}`, role: "gridcell", title: harmless(told) || null }, line);
}
