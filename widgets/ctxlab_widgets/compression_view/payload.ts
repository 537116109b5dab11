// What Python says of a compression, and the few questions that the page asks of it.

export type State = "lost" | "weakened" | "kept";
export type Row = [id: string, sort: string, words: string, tokens: number, goes: boolean];
/** Words with those before and after them. */
export type Excerpt = [before: string, words: string, after: string];

export interface Fact {
  state: State;
  kind: string;
  source: string;
  mentions: number;
  was: Excerpt;
  now: Excerpt | null;
  reason: string;
}

export interface Report {
  sentence: string;
  ceiling: string;
  totals: Record<State, number>;
  kinds: Record<string, number>;
  unlisted: number;
  facts: Fact[];
}

export interface Made {
  id: string;
  trigger: string;
  messages: number | null;
  before: number | null;
  after: number | null;
  by: string;
  lineage: string[];
  is_shown: boolean;
}

export interface Costs {
  before: number;
  after: number;
  same: number;
  lost: number;
  new: number;
  summary: number;
}

export interface Payload {
  sentence: string;
  error: string;
  editable: boolean;
  instant: boolean;
  can_choose: boolean;
  /** What goes, in words, and the tokens of its text. */
  goes: [words: string, tokens: number];
  rows: Row[];
  /** Before each row, and after the last: why none may cut there, or null. */
  cuts: (string | null)[];
  range: [start: number, end: number];
  unlisted: [before: number, after: number];
  costs: Costs;
  summary: string;
  by: string;
  notes: string[];
  report: Report | null;
  compressions: Made[];
}

/** Which of two handles: that at the start of the range or that at its end. */
export type Side = 0 | 1;

/** The legal cuts that a handle may stand at: on its side of the other one, which it never reaches. */
export function placesOf({ cuts }: Pick<Payload, "cuts">, range: readonly [number, number], side: Side): number[] {
  const legal = cuts.map((why, at) => (why === null ? at : -1)).filter((at) => at >= 0);
  return legal.filter((at) => (side === 0 ? at < range[1] || at === range[0] : at > range[0] || at === range[1]));
}

/** The place that is nearest to a wish; of two the earlier one. */
export function nearest(places: number[], wish: number): number | null {
  let best: number | null = null;
  for (const at of places) if (best === null || Math.abs(at - wish) < Math.abs(best - wish)) best = at;
  return best;
}

/** Positions of the facts of a state and a kind, of all where one is empty. */
export function chosenFacts(facts: Fact[], state: string, kind: string): number[] {
  return facts.flatMap((fact, i) => ((!state || fact.state === state) && (!kind || fact.kind === kind) ? [i] : []));
}
