// The tokens of all rows in 64 bins.

import { type BudgetRow, cost } from "./state";

export const BINS = 64;

export interface Bin {
  kept: number;
  cut: number;
  /** The source that has most of what is kept. */
  look: string;
}

/** Tokens of rows in a few bins of equally many rows. */
export function bins(rows: BudgetRow[], states: string, count = BINS): Bin[] {
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
