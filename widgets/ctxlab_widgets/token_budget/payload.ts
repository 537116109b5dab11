// The budget of a run as Python sends it, and pure functions that read it.

import type { Files } from "../_shared/attachments";
import { grouped } from "../_shared/numbers";
import type { RemedyJson } from "../_shared/remedy_button";

/** [key, words, look, [[look, tokens], ...], place of the step that put it there, unit from the newest, pinned]. */
export type BudgetRow = [
  key: string,
  words: string,
  look: string,
  tokens: [look: string, tokens: number][],
  step: number,
  unit: number,
  pinned: number,
];
export type Segment = [name: string, look: string, tokens: number];

export interface Messages {
  rows: BudgetRow[];
  steps: string[];
  /** The least budget in which the newest n units stay, by n. */
  ladder: number[];
}

export interface Border {
  key: string;
  name: string;
  needed: number;
  left: number;
}

/** How the numbers of the cut add up. */
export interface Sums {
  /** "105 left + 39 saved by merge-system = 144 free". */
  text: string;
  /** Tokens beside its own that the limiter counted of every message. */
  overhead: number;
  later: number;
  own_overhead: boolean;
  /** Tokens that were counted at the cut of messages that now have others; 0 of those that came later. */
  counted: Record<string, number>;
  /** Tokens of shortened messages before they were. */
  whole: Record<string, number>;
}

export interface View {
  /** Messages as they are sent, joined ones as one. */
  messages: number;
  sums: Sums | null;
  /** For each reason what the messages needed that are the border themselves; else empty. */
  needs: string[];
  /** The least budget that is possible, where one was refused for being less. */
  least: number | null;
  /** Whether a change was made here that can be taken back. */
  undo: boolean;
  budget: number | null;
  reserve: number;
  /** Where the person put the handle, also where no run came of it. */
  wanted: number | null;
  sent: number;
  window: number | null;
  /** The run stopped before it was cut. */
  to_come: boolean;
  segments: Segment[];
  overhead: [string, number][];
  /** A letter a row: k kept, p protected, s shortened, c cut. */
  states: string;
  /** A sign a row: + it came in, - it fell out; empty when nothing did. */
  marks: string;
  changed: string;
  cut: number;
  shortened: number;
  border: Border | null;
  /** Why messages were cut, and a letter a row: a for the first of these, a blank where it wasn't cut. */
  reasons: string[];
  reason_of: string;
  one_cut: boolean;
  by_units: boolean;
  estimated: boolean;
  /** How far off an estimated count may be; empty where it is exact. */
  estimate: string;
  strategy: string;
  refused: string;
  tokenizer: string;
  own: { name: string; sent: number } | null;
}

export interface StrategyNumber {
  name: string;
  title: string;
  value: number;
  step: number;
  max: number | null;
  about: string;
}

export interface Choices {
  strategies: { name: string; about: string; numbers: StrategyNumber[] }[];
  tokenizers: string[];
  limiter: boolean;
}

export interface State {
  files: Files;
  /** Files whose reasons are shown. */
  reasons: Set<string>;
  view: View;
  messages: Messages;
  choices: Choices;
  live: boolean;
  error: string;
  /** Views that can be opened from here; none where this one stands alone. */
  views: string[];
  /** By key, what would have kept a cut message: Python works it out for the one selected or pinned. */
  remedies: ReadonlyMap<string, RemedyJson>;
  selected: string;
  pinned: string;
  /** A selected message whose card was closed. */
  closed: string;
  /** Where the handle is while Python has not answered; null when it has. */
  held: number | null;
  /** What the pointer or the focus is on: a key, or `source:` and a look. */
  pointed: string;
}

export type Slide = { command: "budget"; tokens: number } | { command: "keep"; units: number };

/** What parts of the widget ask of the whole. */
export interface BudgetHost {
  signal: AbortSignal;
  /** A gesture begins; what it asks is told against the run before it. With `anew` false one that is on goes on. */
  begin(anew?: boolean): void;
  /** The gesture is over: the scale of the bar may change again. */
  end(): void;
  slide(command: Slide): void;
  /** A budget that was typed or chosen: a change of its own. */
  setBudget(tokens: number | null): void;
  /** The change that keeps a message that was cut. */
  keep(key: string): void;
  undo(): void;
  ask(command: Record<string, unknown>): void;
  point(at: string): void;
  pin(at: string): void;
  select(key: string): void;
}

export const BY_SOURCE = "source:";

export const cost = (row: BudgetRow): number => row[3].reduce((sum, [, tokens]) => sum + tokens, 0);

/** A sentence without the sign before the ids of messages. */
export const named = (sentence: string): string => sentence.replace(/\bnode:(?=\S)/g, "");

/** How many messages are cut. */
export const cutCount = ({ states }: View): number => states.split("c").length - 1;

/** Tokens by which the budget must grow to keep a cut row, where units come back one by one and whole; else null. */
export function priceOf({ view, messages, choices }: State, at: number): number | null {
  const unit = messages.rows[at]?.[5] ?? -1;
  const heads = choices.strategies
    .find(({ name }) => name === view.strategy)
    ?.numbers.some(({ name, value }) => name === "retained_characters" && value > 0);
  if (!view.by_units || heads || view.budget === null || unit < 0 || !isCut(view, at)) return null;
  return messages.ladder[unit + 1] - view.budget;
}

/** The tokens of a row as the limiter counted them, as a sum: "119 + 3 overhead = 122". */
export function sumOf({ view }: State, row: BudgetRow, state: string): string {
  const { sums } = view;
  if (!sums) return "";
  const own = cost(row);
  const counted = state === "c" ? undefined : sums.counted[row[0]];
  if (counted === 0) return "not counted at the cut: a later step put it there";
  const all = own + sums.overhead + sums.later;
  const later = sums.later ? ` + ${grouped(sums.later)} set aside for later steps` : "";
  const sum = `${grouped(own)} + ${grouped(sums.overhead)} overhead${later} = ${grouped(all)}`;
  const at =
    counted === undefined || counted === all ? sum : `${grouped(own)} now, with its overhead ${grouped(counted)}`;
  const whole = sums.whole[row[0]];
  if (whole !== undefined) return `${at} counted at the cut; whole it needed ${grouped(whole)}`;
  return state === "c" ? `${at} tokens` : `${at} counted at the cut`;
}

/** Whether a key names a row: one preset can stand at several depths, as `preset:11@4` and `preset:11@8`. */
export const names = (key: string, row: BudgetRow): boolean =>
  row[0] === key || (key !== "" && row[0].startsWith(`${key}@`));

export const isCut = (view: View, at: number): boolean => view.states[at] === "c";

/** Where the handle stands: at the budget, or at the end of what is sent where nothing limits it. */
export const handleAt = ({ held, view }: State): number => held ?? view.wanted ?? view.sent;

/** The range within which a budget changes anything. */
export function range({ view, messages }: State): { least: number; most: number } {
  const { ladder } = messages;
  const most = Math.max(ladder[ladder.length - 1] ?? view.sent, view.sent, view.budget ?? 0, view.wanted ?? 0);
  return { least: Math.max(1, Math.min(ladder[0] ?? 1, most)), most };
}

/** Units that stay; those that may go are numbered from the newest. */
export function unitsKept({ view, messages }: State): number {
  const gone = new Set<number>();
  for (const [i, row] of messages.rows.entries()) if (row[5] >= 0 && isCut(view, i)) gone.add(row[5]);
  return Math.max(0, messages.ladder.length - 1 - gone.size);
}

/** The row above which the line stands that parts what goes from what stays; null where no one line does. */
export function lineAt({ view, messages }: State): number | null {
  if (!view.one_cut || messages.ladder.length < 2) return null;
  const last = view.states.lastIndexOf("c");
  if (last >= 0) return last + 1;
  const first = messages.rows.findIndex((row) => row[5] >= 0);
  return first < 0 ? null : first;
}

/** How many units stay when the line stands above a row: those that lie wholly below it. */
export function unitsBelow(rows: BudgetRow[], line: number): number {
  let kept = Number.POSITIVE_INFINITY;
  let most = 0;
  for (const [i, [, , , , , unit]] of rows.entries()) {
    if (unit < 0) continue;
    most = Math.max(most, unit + 1);
    if (i < line) kept = Math.min(kept, unit);
  }
  return Math.min(kept, most);
}
