// What Python sends of a run's knowledge, and the filter of rows.

export type Marked = string[]; // text and lit text in turn

export interface PieceRow {
  key: string;
  title: string;
  place: string;
  base: string;
  base_name: string;
  /** What became of it in a word or two, such as "sent" or "no room". */
  kind: string;
  why: string;
  tokens: number;
  /** Words of the query that brought something to it. */
  words: string[];
  pieces: Marked;
  /** Places on the scale from 0 to 1 by engine. */
  marks: Partial<Record<MarkName, number>>;
  minimum: number;
  /** What it measured before it faded. */
  fresh?: number;
  change?: string;
}

export const MARKS = { vector: "vector", keyword: "keyword", hybrid: "fused", other: "score" } as const;
export type MarkName = keyof typeof MARKS;

export interface QueryWord {
  word: string;
  pieces: number;
  /** Share of the score by keywords of what is sent. */
  share: number;
}

export interface View {
  empty?: string;
  places: { at: number; name: string; where: string; came: string }[];
  answer: [words: string, kind: string][];
  idle: { why: string; remedy: string; able: boolean }[];
  counts: Record<Kind, number>;
  engine: string;
  used: string;
  engine_fixed: string;
  measure: string;
  static: boolean;
  minimum: number;
  limit: number;
  max_characters: number;
  query: { parts: { who: string; weight: string; text: string }[]; text: string; asked: boolean };
  words: QueryWord[];
  bases: [id: string, name: string, count: number][];
  rows: PieceRow[];
  notes: string[];
}

export interface Detail {
  title: string;
  about: string;
  before: string[];
  pieces: Marked;
  after: string[];
  more: boolean;
  verdict: string;
  scores: [engine: string, name: string, says: string][];
  brought: string;
  change: string;
}

export type Kind = "all" | "sent" | "not sent";
export const KINDS: Record<Kind, string> = { all: "All", sent: "Sent", "not sent": "Not sent" };
/** By a row's key its nearest change, empty for none, and the tokens that it costs, null where that isn't known. */
export type Offers = Record<string, [words: string, tokens: number | null]>;

export interface Preview {
  minimum?: number;
  label?: string;
  text?: string;
}

/** The rows of a kind and a base to which a word of the query brought something; empty ones choose nothing. */
export function chosen(rows: PieceRow[], kind: string, base: string, word: string): PieceRow[] {
  return rows.filter(
    (row) =>
      (kind === "all" || (row.kind === "sent") === (kind === "sent")) &&
      (!base || row.base === base) &&
      (!word || row.words.includes(word)),
  );
}

/** The mark that a minimum is compared with. */
export const deciding = (used: string): MarkName => (used in MARKS ? (used as MarkName) : "other");

/** The scores of a row in words, for those who don't see the scale. */
export function scaleInWords(row: PieceRow, used: string): string {
  const marks = Object.entries(row.marks).map(([name, value]) => `${MARKS[name as MarkName]} ${value.toFixed(2)}`);
  const least = row.minimum > 0 ? [`minimum ${row.minimum.toFixed(2)} for ${MARKS[deciding(used)]}`] : [];
  const faded = row.fresh === undefined ? [] : [`faded from ${row.fresh.toFixed(2)}`];
  return [...marks, ...faded, ...least].join(", ");
}

/** How far a key moves the minimum; null where it is no key of movement. */
export function movedMinimum(key: string, at: number): number | null {
  const by: Record<string, number> = {
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
  };
  if (key === "Home") return 0;
  if (key === "End") return 1;
  return key in by ? inside(at + by[key] / 100) : null;
}

/** A place on the scale, in hundredths. */
export const inside = (value: number): number => Math.round(Math.min(Math.max(value, 0), 1) * 100) / 100;
