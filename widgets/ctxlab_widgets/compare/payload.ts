// The runs as Python sends them, and the state of the page.

export const STATES = ["kept", "moved", "shortened", "rewritten", "only here", "cut", "not there"] as const;
export type CellState = (typeof STATES)[number];

/** One message in one run. `note` is the cause in few words; `text` numbers its words, -1 where the run never had it. */
export interface Cell {
  state: CellState;
  tokens: number;
  cause: string;
  note: string;
  text: number;
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
    const [state, tokens, cause, note, text] = packed;
    return { state: STATES[state], tokens, cause: sentences[cause] ?? "", note: sentences[note] ?? "", text };
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

/** What Python does when it is asked. */
export type Command =
  | { command: "add"; strategy?: string; budget?: number; agent?: string; leaf?: string }
  | { command: "remove" | "base"; name: string };

export interface State {
  view: View;
  texts: string[];
  live: boolean;
  narrow: boolean;
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
}
