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
  /** Tokens by which the summary grows where the fact is put back; null where it is there. */
  price: number | null;
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
  /** Sources of the prompt before and after. */
  parts: [before: Part[], after: Part[]];
}

export type Part = [name: string, look: string, tokens: number];
export type Kind = "chosen" | "all" | "above" | "below";

/** Guidance and items that must be kept; those of the settings can't be changed here. */
export interface Wishes {
  guidance: string;
  settings_guidance: string;
  items: string[];
  settings_items: string[];
}

export interface Payload {
  sentence: string;
  error: string;
  editable: boolean;
  instant: boolean;
  can_choose: boolean;
  by_hand: boolean;
  /** The kind of range that was asked for, and the message that it is above or below. */
  chosen: [kind: Kind, at: string];
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
  wishes: Wishes;
  protected: string;
  /** Number of the newest messages that stay as they are. */
  protect: number;
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

/** The position of the message that "above" and "below" speak of: the one in focus, else the one behind the range. */
export function placeOfThis({ rows, range, chosen }: Payload, selected: string): number {
  for (const id of [selected.replace(/^node:/, ""), chosen[1]]) {
    const at = id ? rows.findIndex((row) => row[0] === id) : -1;
    if (at >= 0) return at;
  }
  return Math.min(range[1], rows.length - 1);
}

/** The first item that had to be kept and isn't, and how many such there are; of none -1. */
export function lostItems(report: Report | null): [first: number, count: number] {
  const found = (report?.facts ?? []).flatMap((fact, i) =>
    fact.kind === "must-keep" && fact.state !== "kept" && fact.source ? [i] : [],
  );
  return [found[0] ?? -1, found.length];
}

/** Positions of the facts of a state and a kind, of all where one is empty. */
export function chosenFacts(facts: Fact[], state: string, kind: string): number[] {
  return facts.flatMap((fact, i) => ((!state || fact.state === state) && (!kind || fact.kind === kind) ? [i] : []));
}
