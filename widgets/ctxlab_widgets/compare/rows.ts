// Which rows there are to see: alike neighbours fold into one, an open one has its texts below it.

import { many } from "../_shared/numbers";
import type { Cell, CellState, ComparisonRow } from "./payload";

export type Item =
  | { kind: "row"; id: string; row: ComparisonRow }
  | { kind: "fold"; id: string; rows: ComparisonRow[]; words: string; open: boolean }
  | { kind: "texts"; id: string; row: ComparisonRow };

export interface RowFilter {
  onlyDifferences: boolean;
  opened: ReadonlySet<string>;
  unfolded: ReadonlySet<string>;
}

const ALIKE_TO_FOLD = 2; // rows of which nothing is to be told
const DIFFERING_TO_FOLD = 4;

export function items(rows: ComparisonRow[], { onlyDifferences, opened, unfolded }: RowFilter): Item[] {
  const shown = onlyDifferences ? rows.filter((row) => row.differs) : rows;
  const out: Item[] = [];
  for (const run of alike(shown, opened)) {
    const [first] = run;
    const folds = run.length >= (isUniform(first) ? ALIKE_TO_FOLD : DIFFERING_TO_FOLD);
    const open = unfolded.has(first.key);
    if (folds) out.push({ kind: "fold", id: `fold ${first.key}`, rows: run, words: foldLabel(run), open });
    if (folds && !open) continue;
    for (const row of run) {
      out.push({ kind: "row", id: `row ${row.key}`, row });
      if (opened.has(row.key)) out.push({ kind: "texts", id: `texts ${row.key}`, row });
    }
  }
  return out;
}

/** Neighbours of which every run says the same, in order; what is open, and what was changed, stands alone. */
function alike(rows: ComparisonRow[], opened: ReadonlySet<string>): ComparisonRow[][] {
  const out: ComparisonRow[][] = [];
  let before = "";
  for (const row of rows) {
    const now = opened.has(row.key) ? "" : signature(row);
    if (now && now === before) out.at(-1)!.push(row);
    else out.push([row]);
    before = now;
  }
  return out;
}

const FOLDING: ReadonlySet<CellState> = new Set(["kept", "cut", "not there", "only here"]);

/** Empty for a row that is not to be folded. */
function signature(row: ComparisonRow): string {
  const cells = row.cells.filter((cell) => cell !== null);
  if (cells.some((cell) => !FOLDING.has(cell.state) || (cell.note && cell.state !== "cut"))) return "";
  const cell = (each: Cell | null) => (each ? `${each.state} ${each.alike} ${each.cause}` : "");
  return `${row.differs}|${row.cells.map(cell).join("|")}`;
}

function isUniform(row: ComparisonRow): boolean {
  const states = new Set(row.cells.map((cell) => cell?.state).filter((state) => state !== undefined));
  return states.size === 1 && (!row.differs || !states.has("kept"));
}

function foldLabel(run: ComparisonRow[]): string {
  const cells = run[0].cells.filter((cell) => cell !== null);
  const count = (state: CellState) => cells.filter((cell) => cell.state === state).length;
  const all = many(run.length, "message");
  if (run[0].differs && run[0].cells.every((cell) => cell?.state === "kept")) return `${all}, sent otherwise`;
  if (count("kept") === cells.length) return `${all}, same`;
  if (count("cut") === cells.length) return `${all}, cut`;
  if (count("cut")) return `${all}, cut in ${count("cut")} of ${cells.length}`;
  return `${all}, in ${count("kept") + count("only here")} of ${cells.length}`;
}

/** The cell of a fold: what all its rows are in this run, with their tokens. */
export function foldCell(run: ComparisonRow[], column: number): Cell | null {
  const first = run[0].cells[column];
  if (!first) return null;
  return { ...first, tokens: run.reduce((n, row) => n + (row.cells[column]?.tokens ?? 0), 0) };
}

export interface CellLabel {
  look: "same" | "base" | "changed" | "moved" | "new" | "not" | "cut";
  sign: string;
  word: string;
}

const OWN: Record<CellState, CellLabel> = {
  kept: { look: "base", sign: "", word: "kept" },
  moved: { look: "base", sign: "", word: "kept" },
  "only here": { look: "base", sign: "", word: "kept" },
  shortened: { look: "changed", sign: "~", word: "shortened" },
  rewritten: { look: "changed", sign: "~", word: "rewritten" },
  cut: { look: "cut", sign: "×", word: "cut" },
  "not there": { look: "not", sign: "", word: "" },
};

/** How the base's cell is called, and any where there is no base to hold it against. */
export const ownLabel = (cell: Cell): CellLabel => OWN[cell.state];

/** How a cell is called beside the base's: "=" says that it is as the base's, whatever that is. */
export function cellLabel(cell: Cell, base: Cell | null): CellLabel {
  if (!base || cell === base) return ownLabel(cell);
  if (cell.alike) return { look: "same", sign: "=", word: isSent(cell) ? "" : OWN[cell.state].word };
  if (cell.state === "not there") return { look: "not", sign: "–", word: "not here" };
  if (cell.state === "cut") return OWN.cut;
  if (!isSent(base)) return { look: "new", sign: "+", word: cell.state === "shortened" ? "kept in part" : "kept" };
  if (base.text !== cell.text) return { look: "changed", sign: "~", word: change(cell, base) };
  const isMoved = cell.state === "moved" || base.state === "moved";
  return isMoved ? { look: "moved", sign: "↔", word: "moved" } : { look: "changed", sign: "~", word: "changed" };
}

function change(cell: Cell, base: Cell): string {
  if (cell.state === "shortened") return "shortened";
  if (base.state === "shortened") return "in full";
  return base.state === "rewritten" && cell.state !== "rewritten" ? "as typed" : "changed";
}

/** What a cell says behind its word; a cut run's cause stands in its title and in the open row. */
export const note = (cell: Cell): string => (cell.state === "cut" ? "" : cell.note);

export const isSent = (cell: Cell): boolean => cell.state !== "cut" && cell.state !== "not there";
