// Long runs of alike rows become one row that opens.

import type { Row } from "./changes";

export interface Fold {
  id: string;
  rows: Row[];
}
export type Item = { row: Row } | { fold: Fold };

/** How many rows of a run stay in sight at its front and its end. Of what changed, one row alone is never hidden. */
const SIGHT: Record<Row["kind"], [number, number]> = {
  same: [0, 0],
  dropped: [0, 1],
  added: [4, 2],
  rewritten: [12, 4],
  merged: [12, 4],
  moved: [12, 4],
};
/** Rows that one opening shows. */
export const OPENING = 100;

export function folded(rows: Row[], open: ReadonlyMap<string, number>): Item[] {
  const out: Item[] = [];
  for (let i = 0; i < rows.length; ) {
    let end = i + 1;
    while (end < rows.length && alike(rows[i], rows[end])) end++;
    const [head, tail] = SIGHT[rows[i].kind];
    const hidden = rows.slice(i + head, Math.max(end - tail, i + head));
    if (hidden.length < (rows[i].kind === "same" ? 1 : 2)) {
      for (const row of rows.slice(i, end)) out.push({ row });
    } else {
      const id = `${rows[i].kind}:${hidden[0].draft}`;
      const shown = Math.min(open.get(id) ?? 0, hidden.length);
      for (const row of rows.slice(i, i + head)) out.push({ row });
      for (const row of hidden.slice(0, shown)) out.push({ row });
      if (shown < hidden.length) out.push({ fold: { id, rows: hidden.slice(shown) } });
      for (const row of rows.slice(i + head + hidden.length, end)) out.push({ row });
    }
    i = end;
  }
  return out;
}

const alike = (a: Row, b: Row): boolean => a.kind === b.kind && a.cause === b.cause;
