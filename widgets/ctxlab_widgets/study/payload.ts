// What Python sends of a study: numbers as they are drawn, and every number that is read as words.

/** A mean with its interval, or without one the mean alone. */
export type Numbers = [mean: number] | [mean: number, low: number, high: number];

export type Verdict =
  | "baseline"
  | "oracle"
  | "better"
  | "worse"
  | "higher"
  | "lower"
  | "equal"
  | "open"
  | "not compared";

export interface Row {
  variant: string;
  baseline: boolean;
  oracle: boolean;
  frontier: boolean;
  labelled: boolean;
  mean: Numbers | null;
  text: string;
  between: string;
  difference: { numbers: Numbers; text: string; says: string } | null;
  verdict: Verdict;
  cost: number | null;
  extras: string[];
  left_out: number;
  says: string;
}

export interface View {
  sentence: string;
  score: { name: string; title: string; unit: string };
  cost: { name: string; title: string } | null;
  level: string;
  points: string;
  better: "higher" | "lower" | null;
  baseline: string;
  compared: boolean;
  extras: { name: string; head: string; title: string }[];
  rows: Row[];
  frontier: string[];
  rests_on: [name: string, value: string][];
  loud: string[];
  notes: string[];
}

export interface Choices {
  kinds: [value: string, words: string][];
  budgets: [value: number | null, words: string][];
  scores: [value: string, words: string][];
  baselines: [value: string, words: string][];
  costs: [value: string, words: string][];
}

export interface Picked {
  variants: string[];
  told?: string;
  claim?: string;
  kind?: "told" | "open" | "few";
  more?: string;
  cases: number;
  compare: boolean;
}

export interface CaseRow {
  case: string;
  conversation: string;
  kind: string;
  seed: number | null;
  scores: string[];
}

export interface Cases {
  variants: string[];
  of: number;
  rows: CaseRow[];
}

/** A row that has a place in the plot. */
export type Point = Row & { mean: Numbers; cost: number };

export const pointsOf = (view: View): Point[] =>
  view.rows.filter((row): row is Point => row.mean !== null && row.cost !== null && !row.oracle);

/** Rows in the order of the table: the baseline, what the rectangle holds, the rest; inside each as they came. */
export function inOrder(rows: Row[], chosen: ReadonlySet<string>): Row[] {
  if (!chosen.size) return rows;
  const place = (row: Row): number => (row.baseline ? 0 : chosen.has(row.variant) ? 1 : 2);
  return [0, 1, 2].flatMap((at) => rows.filter((row) => place(row) === at));
}

/** The look of a difference: told apart for good or for bad, or not told apart; where more is neither, told is all. */
export const lookOf = (verdict: Verdict): "ok" | "err" | "told" | "open" =>
  verdict === "better"
    ? "ok"
    : verdict === "worse"
      ? "err"
      : verdict === "higher" || verdict === "lower"
        ? "told"
        : "open";
