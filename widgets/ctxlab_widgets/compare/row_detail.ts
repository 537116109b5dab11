// The detail of an open row: for every run the cause and the text, compared with those of the base.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { ends } from "../_shared/one_difference";
import { remedyButton } from "../_shared/remedy_button";
import type { Cell, CompareHost, ComparisonRow, State } from "./payload";
import { cellLabel, isSent } from "./rows";
import { type DiffPart, wordDiff } from "./word_diff";

const WHOLE = 1500; // characters at either end of a text that is shown by itself
const AROUND = 120; // the same beside a change

export function rowDetail(state: State, host: CompareHost, row: ComparisonRow): HTMLElement[] {
  const held = row.cells.findIndex((cell) => cell !== null && cell.text >= 0);
  return state.shown.map((i) => {
    const cell = row.cells[i];
    const { name } = state.view.columns[i];
    const body = cell ? shown(state, row, i, cell, held) : [h("p", { class: "muted" }, "no run")];
    const heading = h("div", { class: "who strong" }, harmless(name));
    const keep = i === 0 && cell?.state === "cut" && remedy(state, host, row.key);
    return h("div", { class: "tx1", role: "gridcell", "data-column": i }, heading, body, keep);
  });
}

/** What would keep it in the base, as a button with its price. */
const remedy = (state: State, host: CompareHost, key: string): Child =>
  remedyButton(state.remedies[key], state.live, () => host.send({ command: "apply_remedy", key }));

function shown(state: State, row: ComparisonRow, i: number, cell: Cell, held: number): Child[] {
  const { sign, word } = cellLabel(cell, i ? row.cells[0] : null);
  const tokens = cell.state === "not there" ? "" : many(cell.tokens, "token");
  const state_ = h("div", { class: "st1 ink2" }, h("span", {}, `${sign} ${word}`), tokens && h("span", {}, tokens));
  const look = isSent(cell) ? "why" : "why gone";
  const why =
    cell.cause && h("p", { class: look }, cell.state === "cut" && glyph("cut"), h("span", {}, harmless(cell.cause)));
  return [state_, why, words(state, row, i, cell, held)];
}

function words(state: State, row: ComparisonRow, i: number, cell: Cell, held: number): Child {
  if (cell.text < 0) return h("p", { class: "muted" }, "This run never had it.");
  const text = state.texts[cell.text] ?? "";
  const gone = isSent(cell) ? "" : " is-gone";
  if (i === held) return h("div", { class: `tx${gone}`, dir: "auto" }, text ? clipped(text, WHOLE) : empty());
  const other = row.cells[held]!;
  if (other.text === cell.text)
    return h("p", { class: "muted" }, "the same text as in ", harmless(state.view.columns[held].name));
  return h("div", { class: `tx${gone}`, dir: "auto" }, wordDiff(state.texts[other.text] ?? "", text).map(marked));
}

const empty = () => h("span", { class: "muted" }, "no text");

function marked({ kind, text }: DiffPart): Child {
  if (kind === "same") return h("span", {}, clipped(text, AROUND));
  return h(kind === "added" ? "ins" : "del", {}, clipped(text, AROUND * 2));
}

/** A long text by its two ends, and how much lies between. */
function clipped(text: string, keep: number): Child {
  const cut = ends(text, keep);
  if (!cut) return harmless(text);
  const left = h("span", { class: "left" }, `${grouped(cut.out)} characters`);
  return [harmless(cut.head), left, harmless(cut.tail)];
}
