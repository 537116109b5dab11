// A form as Python gives it, and the pure functions on it.

import type { Stage } from "../_shared/trace_view";

export interface Field {
  name: string;
  title: string;
  description: string;
  type: "choice" | "boolean" | "integer" | "number" | "text" | "texts" | "json";
  choices: unknown[];
  labels: string[];
  placeholder: string;
  minimum: number | null;
  maximum: number | null;
  optional: boolean;
  value: unknown;
  /** Where the value that counts is from. */
  origin: string;
  /** The value of each origin that has one. */
  values: Record<string, unknown>;
  /** Why the model doesn't take it; empty where it does. */
  why_not: string;
  error: string;
  /** What mends the error, in a few words each. */
  fixes: string[];
  hint: string;
  /** Tokens of thoughts within the reply limit. */
  bar: { thinking: number; limit: number } | null;
}

export interface Group {
  title: string;
  note: string;
  fields: Field[];
}

export interface FormStep extends Stage {
  changed: boolean;
}

export interface FormView {
  agent: string;
  model: string;
  models: string[];
  provider: string;
  origins: string[];
  sentence: string;
  errors: number;
  dirty: boolean;
  groups: Group[];
  body: { text: string; wrong: boolean }[];
  notes: { level: "error" | "warning" | "info"; text: string; fixes: string[] }[];
  steps: FormStep[];
  undo: string | null;
  redo: string | null;
  path: string;
}

export type Command =
  | { command: "set_parameter"; name: string; value: unknown; continues?: boolean }
  | { command: "back_to"; name: string; origin: string }
  | { command: "model"; name: string }
  | { command: "switch"; step: string; on: boolean }
  | { command: "move"; step: string; to: number }
  | { command: "set"; step: string; name: string; value: unknown; continues?: boolean }
  | { command: "undo"; step: string; name?: string }
  | { command: "fix"; label: string }
  | { command: "undo" | "redo" | "save" | "page_undo" | "page_redo" };

export interface FormHost {
  send(command: Command): void;
  signal: AbortSignal;
}

export type SquareState = "counts" | "overruled" | "empty";

/** What each square of a field shows: the origin that counts, those that are overruled, and those without a value. */
export const squaresOf = (origins: readonly string[], field: Pick<Field, "origin" | "values">): SquareState[] =>
  origins.map((origin) => (origin === field.origin ? "counts" : isSet(field.values[origin]) ? "overruled" : "empty"));

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** Text at which a reply ends, as it is typed: `\n` is a new line, `\\` a backslash. */
export const unescaped = (text: string): string =>
  text.replace(/\\(n|t|r|\\)/g, (_, sign: string) => ({ n: "\n", t: "\t", r: "\r" })[sign] ?? "\\");

export const escaped = (text: string): string =>
  text.replace(/[\\\n\t\r]/g, (sign) => ({ "\n": "\\n", "\t": "\\t", "\r": "\\r" })[sign] ?? "\\\\");

export interface BarShape {
  /** Percent of the bar's width. */
  thinking: number;
  limit: number;
  words: string;
  over: boolean;
}

/** The bar of thoughts within the reply limit; the larger of both, with some room, is its width. */
export function barOf({ thinking, limit }: { thinking: number; limit: number }): BarShape {
  const whole = Math.max(thinking, limit) * 1.5;
  const over = thinking >= limit;
  const grouped = (n: number) => n.toLocaleString("en-US");
  const left = over
    ? thinking > limit
      ? `${grouped(thinking - limit)} too many; nothing left for the answer`
      : "nothing left for the answer"
    : `${grouped(limit - thinking)} left for the answer`;
  return { thinking: (100 * thinking) / whole, limit: (100 * limit) / whole, words: left, over };
}

/** The fields of a group that are drawn, and those that are folded away: without a place for them, or not for the model. */
export function sorted(group: Group, shown: string): { drawn: Field[]; folded: Field[] } {
  const folds = (field: Field) => shown === "model" && field.why_not !== "";
  return { drawn: group.fields.filter((field) => !folds(field)), folded: group.fields.filter(folds) };
}

/** "3 that this model does not take: seed 7, frequency penalty". */
export function foldWords(folded: readonly Field[]): string {
  const names = folded.map(({ title, value }) =>
    isSet(value) ? `${title.toLowerCase()} ${short(value)}` : title.toLowerCase(),
  );
  return `${folded.length} not sent: ${names.join(", ")}`;
}

/** Groups that most agents leave alone: they open where something in them is set or wrong. */
const QUIET = new Set(["Tools", "Safety", "More", "Custom"]);

export const opensAtFirst = (group: Group): boolean =>
  !QUIET.has(group.title) || group.fields.some((field) => isKept(field) || field.error !== "");

/** Of a group that is closed: how many fields it has, and how many of them are set. */
export function closedWords({ fields }: Group): string {
  const set = fields.filter(isKept).length;
  return `${fields.length} ${fields.length === 1 ? "field" : "fields"}, ${set || "none"} set`;
}

export const isKept = (field: Field): boolean => field.origin !== "default" && field.origin !== "model";

function short(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}
