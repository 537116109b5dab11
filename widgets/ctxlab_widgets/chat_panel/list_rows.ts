// Which rows are shown, which are others than before, how high they may be, and what is new below.

import type { Row } from "./payload";

/** The newest rows, each the same value as before where it says the same. */
export function keptRows(before: ReadonlyMap<string, Row>, rows: Row[]): Row[] {
  return rows.map((row) => {
    const old = before.get(row.key);
    return old && (old === row || saysTheSame(old, row)) ? old : row;
  });
}

const saysTheSame = (a: Row, b: Row): boolean =>
  a.text === b.text && a.state === b.state && JSON.stringify(a) === JSON.stringify(b);

/** By key of a row the ids of the rows that it can show or hide. */
export type Folds = ReadonlyMap<string, readonly string[]>;

/** What stands behind summaries, and the steps of answers but for the newest: calls and their results after the first. */
export function foldsOf(rows: Row[]): Folds {
  const folds = new Map<string, readonly string[]>();
  for (const { key, standsFor, state } of rows) if (standsFor && state !== "disabled") folds.set(key, standsFor.ids);
  for (const [first, ...rest] of stepRuns(rows).slice(0, -1)) if (rest.length) folds.set(first.key, rest.map(keyOf));
  return folds;
}

/** Neighbours that are steps towards one answer: messages with calls, and results, each beginning with a message. */
function stepRuns(rows: Row[]): Row[][] {
  const runs: Row[][] = [];
  let isOpen = false;
  for (const row of rows) {
    const calls = row.role === "assistant" && Boolean(row.calls?.length);
    if (isOpen && (calls || row.kind === "tool")) runs.at(-1)!.push(row);
    else if (calls) runs.push([row]);
    isOpen = calls || (isOpen && row.kind === "tool");
  }
  return runs;
}

const keyOf = ({ key }: Row): string => key;

/** The rows without those that are folded behind another. */
export function shownRows(rows: Row[], folds: Folds, unfolded: ReadonlySet<string>): Row[] {
  const hidden = new Set([...folds].flatMap(([key, ids]) => (unfolded.has(key) ? [] : ids)));
  return hidden.size ? rows.filter(({ key }) => !hidden.has(key)) : rows;
}

/** The row behind which a row is folded; undefined where it is behind none. */
export const foldOf = (folds: Folds, key: string): string | undefined =>
  [...folds].find(([, ids]) => ids.includes(key))?.[0];

/** Height of a row that was not drawn yet, in pixels, from the length of its words and the width of the list. */
export function guessedHeight(row: Row, width: number): number {
  const characters = Math.max(20, (width - 92) / 7);
  let lines = 0;
  for (const line of row.text.slice(0, 20_000).split("\n")) lines += Math.max(1, Math.ceil(line.length / characters));
  const more = [row.got, row.error, row.thought].filter(Boolean).length * 28;
  return 34 + 20 * lines + more + 30 * (row.calls?.length ?? 0) + (row.files?.length ? 48 : 0);
}

/** The last row that doesn't change any more: what is being written was not seen whole. */
export const lastWhole = (rows: Row[]): string => rows.findLast(({ state }) => state !== "generating")?.key ?? "";

/** What is read out of an answer that is there: its first words, or why there are none. */
export function saidOf(rows: Row[], key: string): string | undefined {
  const row = rows.find((each) => each.key === key);
  return row && `${row.who}: ${row.error ?? row.text.slice(0, 300)}`;
}
