// Which of many rows are in sight, and all of them in 64 bins.

import { cost, type Row } from "./state";

export const ROW = 18;
export const LINE = 24;
/** More rows than these scroll in a place of their own. */
export const MANY = 60;
/** Rows that such a place shows at once. */
export const SHOWN = 28;
export const BINS = 64;

/** Top of a row in pixels, under the cut line where it stands above it. */
export const topOf = (row: number, line: number | null): number =>
  row * ROW + (line !== null && row >= line ? LINE : 0);

export const heightOf = (rows: number, line: number | null): number => rows * ROW + (line === null ? 0 : LINE);

/** The row at so many pixels from the top. */
export function rowAt(y: number, rows: number, line: number | null): number {
  const below = line !== null && y >= line * ROW + LINE;
  const over = line !== null && !below && y >= line * ROW;
  const at = over ? (line as number) : Math.floor((y - (below ? LINE : 0)) / ROW);
  return Math.min(Math.max(at, 0), Math.max(rows - 1, 0));
}

/** First and one behind the last of the rows to draw. */
export function inSight(top: number, height: number, rows: number, line: number | null): [number, number] {
  const spare = 6;
  const first = Math.max(0, rowAt(top, rows, line) - spare);
  const last = Math.min(rows, rowAt(top + height, rows, line) + 1 + spare);
  return [first, last];
}

export interface Bin {
  kept: number;
  cut: number;
  /** The source that has most of what is kept. */
  look: string;
}

/** Tokens of rows in a few bins of equally many rows. */
export function bins(rows: Row[], states: string, count = BINS): Bin[] {
  const n = Math.min(count, rows.length);
  return Array.from({ length: n }, (_, bin) => {
    const found = { kept: 0, cut: 0, look: "history" };
    const looks = new Map<string, number>();
    for (let i = firstOf(bin, n, rows.length); i < firstOf(bin + 1, n, rows.length); i++) {
      const tokens = cost(rows[i]);
      if (states[i] === "c") found.cut += tokens;
      else {
        found.kept += tokens;
        looks.set(rows[i][2], (looks.get(rows[i][2]) ?? 0) + tokens);
      }
    }
    let most = -1;
    for (const [look, tokens] of looks)
      if (tokens > most) {
        most = tokens;
        found.look = look;
      }
    return found;
  });
}

const firstOf = (bin: number, bins: number, rows: number): number => Math.floor((bin * rows) / bins);
