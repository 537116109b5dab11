// What Python sends of a recording: arrays with one number a request, and words of the one that is chosen.

export interface Column {
  name: string;
  title: string;
  sign: string;
  values: number[];
}

export type StackName = "source" | "tool" | "file";

export interface Series {
  ids: string[];
  numbers: number[];
  times: string[];
  counted: number[];
  /** The vendor's own counts; -1 where the log tells none. */
  reported: number[];
  cached: number[];
  written: number[];
  failed: number[];
  windows: [first: number, last: number, tokens: number, model: string][];
  stacks: Record<StackName, Column[]>;
}

export type Break = [at: number, words: string, sentence: string, usd: string, level: "err" | "warn" | "note"];

export interface Compression {
  at: number;
  id: string;
  title: string;
  about: string;
  lost: number;
}

export interface Marks {
  common: number[];
  breaks: Break[];
  compressions: Compression[];
}

export interface View {
  sentence: string;
  still: string;
  about: string;
  agents: [name: string, words: string][];
  what_ifs: [name: string, words: string][];
  tokenizer: string;
  characters: number;
}

export interface FindingRow {
  number: number;
  rule: string;
  level: "error" | "warning" | "note";
  title: string;
  text: string;
  remedy: string;
  tokens: number;
  usd: string;
  places: [request: number, name: string][];
  more: number;
}

export interface Findings {
  rows: FindingRow[];
  more: number;
  levels: Partial<Record<FindingRow["level"], number>>;
}

export interface PairRow {
  sign: "=" | "-" | "+";
  number: number;
  what: string;
  text: [before: string, at: string, behind: string];
}

export interface FileRow {
  name: string;
  calls: number;
  tokens: number;
  share: string;
  later: [words: string, unused: boolean];
  rest?: number;
}

export interface ToolRow extends FileRow {
  server: string;
  files: FileRow[];
}

export interface Chosen {
  request: string;
  base: string;
  title: string;
  same: string;
  rows: PairRow[];
  told: string;
  cause: string;
  cost: string;
  lost: number;
  facts: [name: string, words: string][];
  table: { rows: ToolRow[]; more: number; servers: FileRow[]; calls: number; tokens: number };
  whole: boolean;
}

export interface DifferenceRow {
  sign: "=" | "-" | "+";
  what: string;
  tokens: number;
  text: string;
  cut: number;
}

export interface Place {
  node: string;
  role: string;
  name: string;
  title: string;
  text: [before: string, marked: string, behind: string];
}

export type Fact = [state: string, kind: string, text: string, reason: string];

export interface CompressionReport {
  id: string;
  told: string;
  because: string;
  summary: string;
  counts: [kind: string, lost: number, weakened: number, kept: number][];
  /** The graver ones first, as many as `grave` says. */
  facts: Fact[];
  grave: number;
  more: number;
  afterwards: [rule: string, words: string][];
  ceiling: string;
}

/** JSON of a trait; null where it is empty. */
export function held<T>(text: unknown): T | null {
  return typeof text === "string" && text ? (JSON.parse(text) as T) : null;
}
