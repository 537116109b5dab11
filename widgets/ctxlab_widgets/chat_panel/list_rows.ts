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

/** The rows without those that stand behind a summary whose messages aren't shown. */
export function shownRows(rows: Row[], unfolded: ReadonlySet<string>): Row[] {
  const hidden = new Set(
    rows.flatMap((row) =>
      row.standsFor && row.state !== "disabled" && !unfolded.has(row.key) ? row.standsFor.ids : [],
    ),
  );
  return hidden.size ? rows.filter(({ key }) => !hidden.has(key)) : rows;
}

/** The summary behind which a row is folded; undefined where it stands in the list. */
export const foldOf = (rows: Row[], key: string): string | undefined =>
  rows.find((row) => row.state !== "disabled" && row.standsFor?.ids.includes(key))?.key;

/** Height of a row that was not drawn yet, in pixels, from the length of its words and the width of the list. */
export function guessedHeight(row: Row, width: number): number {
  const characters = Math.max(20, (width - 92) / 7);
  let lines = 0;
  for (const line of row.text.slice(0, 20_000).split("\n")) lines += Math.max(1, Math.ceil(line.length / characters));
  const more = [row.got, row.error, row.thought].filter(Boolean).length * 28;
  return 34 + 20 * lines + more + 30 * (row.calls?.length ?? 0) + (row.files?.length ? 48 : 0);
}

/** Pixels from the end within which a list counts as scrolled to it. */
export const NEAR_THE_END = 24;

export const isAtEnd = (at: { scrollTop: number; scrollHeight: number; clientHeight: number }): boolean =>
  at.scrollHeight - at.clientHeight - at.scrollTop < NEAR_THE_END;

/** The last row that doesn't change any more: what is being written was not seen whole. */
export const lastWhole = (rows: Row[]): string => rows.findLast(({ state }) => state !== "generating")?.key ?? "";
