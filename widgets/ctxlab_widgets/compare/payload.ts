// The runs as Python sends them, and the state of the page.

import type { RemedyJson } from "../_shared/remedy_button";

export const STATES = ["kept", "moved", "shortened", "rewritten", "only here", "cut", "not there"] as const;
export type CellState = (typeof STATES)[number];

/** One message in one run. `note` is the cause in few words; `text` numbers its words, -1 where the run never had it. */
export interface Cell {
  state: CellState;
  tokens: number;
  cause: string;
  note: string;
  text: number;
  /** Whether this run does the same with the message as the base. */
  alike: boolean;
}

/** One message in all runs; a column that came to no run has no cell. */
export interface ComparisonRow {
  key: string;
  words: string;
  role: string;
  look: string;
  differs: boolean;
  cells: (Cell | null)[];
}

/** [step, rule, in, added, cut, saved, out] */
export type LedgerEntry = [string, string, number, number, number, number, number];

export interface RunColumn {
  name: string;
  error?: undefined;
  /** The first run that does the same with every message; empty where this is the first. */
  same: string;
  about: string;
  tokens: number;
  budget: number | null;
  free: number | null;
  messages: number;
  kept: number;
  turns: number;
  summaries: number;
  cut: [messages: number, tokens: number];
  shortened: number;
  bar: [look: string, tokens: number, name: string][];
  ledger: LedgerEntry[];
}

export interface FailedColumn {
  name: string;
  error: string;
}

export type Column = RunColumn | FailedColumn;

export interface View {
  /** The sentence in its parts, with the key of the message that a part names. */
  answer: [words: string, key: string][];
  columns: Column[];
  rows: ComparisonRow[];
  strategies: string[];
  agents: [id: string, name: string][];
  leaves: [id: string, words: string][];
}

type Packed = [key: string, words: string, role: string, look: string, differs: number, cells: (number[] | null)[]];

export function viewOf(json: string): View {
  const { rows, sentences, ...rest } = JSON.parse(json) as Omit<View, "rows"> & { rows: Packed[]; sentences: string[] };
  const cell = (packed: number[] | null): Cell | null => {
    if (!packed) return null;
    const [state, tokens, cause, note, text, alike] = packed;
    const words = { cause: sentences[cause] ?? "", note: sentences[note] ?? "" };
    return { state: STATES[state], tokens, ...words, text, alike: alike === 1 };
  };
  const row = ([key, words, role, look, differs, cells]: Packed): ComparisonRow => ({
    key,
    words,
    role,
    look,
    differs: differs === 1,
    cells: cells.map(cell),
  });
  return { ...rest, rows: rows.map(row) };
}

export const hasRun = (column: Column): column is RunColumn => column.error === undefined;

/** The columns in the table, by number: runs that do the same as another are in its column until they are unfolded. */
export function shownColumns({ columns }: View, unfolded: ReadonlySet<string>): number[] {
  const isShown = (column: Column) => !hasRun(column) || !column.same || unfolded.has(column.same);
  return columns.flatMap((column, i) => (isShown(column) ? [i] : []));
}

/** What Python does when it is asked. */
export type Command =
  | { command: "add"; strategy?: string; budget?: number; agent?: string; leaf?: string }
  | { command: "remove" | "base"; name: string }
  | { command: "undo" | "page_undo" | "page_redo" }
  | { command: "apply_remedy"; key: string }
  | { command: "open_view"; view: string; key: string };

export interface State {
  view: View;
  texts: string[];
  live: boolean;
  /** Views beside this one that can be opened from here. */
  views: string[];
  /** What would keep messages that the base cut, by key. */
  remedies: Record<string, RemedyJson>;
  /** Columns in the table, by number. */
  shown: number[];
  /** Names of runs whose equals have columns of their own. */
  unfoldedRuns: Set<string>;
  onlyDifferences: boolean;
  /** Keys of rows whose texts are shown. */
  opened: Set<string>;
  /** Names of columns whose ledger is shown. */
  ledgers: Set<string>;
  /** Runs of alike rows that are unfolded, by their first key. */
  unfolded: Set<string>;
  selected: string;
}

/** What a part asks of the whole. */
export interface CompareHost {
  readonly signal: AbortSignal;
  send(what: Command): void;
  select(key: string): void;
  toggleRow(key: string): void;
  toggleLedger(name: string): void;
  toggleEqual(name: string): void;
  /** Bring a message's row into sight, whatever hides it. */
  show(key: string): void;
}
