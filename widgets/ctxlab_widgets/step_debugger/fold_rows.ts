// Long runs of alike rows become one row that opens.

import type { ChangeRow } from "../_shared/message_changes";

export interface Fold {
  id: string;
  rows: ChangeRow[];
}
export type Item = { row: ChangeRow } | { fold: Fold };

/** How many rows of a run stay in sight at its front and its end. Of what changed, one row alone is never hidden. */
const ALWAYS_SHOWN: Record<ChangeRow["kind"], [number, number]> = {
  same: [0, 0],
  dropped: [0, 1],
  added: [4, 2],
  rewritten: [12, 4],
  merged: [12, 4],
  moved: [12, 4],
};
/** Rows that one opening shows. */
export const OPENING = 100;

/** Rows and folds that stand before what was too many, and after it; what a person opened comes on top. */
const AHEAD = 160;
const BEHIND = 40;
const REST = "rest:";

/** Rows as they are shown. The row of `revealed`, a draft's number, is never inside a fold. */
export function folded(rows: ChangeRow[], open: ReadonlyMap<string, number>, revealed = -1): Item[] {
  const out: Item[] = [];
  for (let i = 0; i < rows.length; ) {
    let end = i + 1;
    while (end < rows.length && alike(rows[i], rows[end], revealed)) end++;
    const [head, tail] = rows[i].draft === revealed ? [1, 0] : ALWAYS_SHOWN[rows[i].kind];
    const hidden = rows.slice(i + head, Math.max(end - tail, i + head));
    if (hidden.length < (rows[i].kind === "same" ? 1 : 2)) {
      for (const row of rows.slice(i, end)) out.push({ row });
    } else {
      for (const row of rows.slice(i, i + head)) out.push({ row });
      out.push(...opened(`${rows[i].kind}:${hidden[0].draft}`, hidden, open));
      for (const row of rows.slice(i + head + hidden.length, end)) out.push({ row });
    }
    i = end;
  }
  return limited(out, open, revealed);
}

function opened(id: string, hidden: ChangeRow[], open: ReadonlyMap<string, number>): Item[] {
  const shown = Math.min(open.get(id) ?? 0, hidden.length);
  const rest = hidden.slice(shown);
  return [...hidden.slice(0, shown).map((row) => ({ row })), ...(rest.length ? [{ fold: { id, rows: rest } }] : [])];
}

/** Where rows of many kinds alternate, runs alone don't fold enough: the middle becomes one fold that opens. */
function limited(items: Item[], open: ReadonlyMap<string, number>, revealed: number): Item[] {
  let ahead = AHEAD;
  for (const [id, n] of open) if (!id.startsWith(REST)) ahead += n;
  if (items.length <= ahead + BEHIND + 1) return items;
  const middle = items.slice(ahead, -BEHIND);
  const first = rowsOf(middle[0])[0].draft;
  const id = `${REST}${first}`;
  const shown = middle.slice(0, open.get(id) ?? 0);
  const hidden = middle.slice(shown.length);
  const at = hidden.findIndex((item) => "row" in item && item.row.draft === revealed);
  const fold = (part: Item[], name: string): Item[] =>
    part.length ? [{ fold: { id: name, rows: part.flatMap(rowsOf) } }] : [];
  const rest =
    at < 0
      ? fold(hidden, id)
      : [...fold(hidden.slice(0, at), id), hidden[at], ...fold(hidden.slice(at + 1), `${id}:after`)];
  return [...items.slice(0, ahead), ...shown, ...rest, ...items.slice(-BEHIND)];
}

const rowsOf = (item: Item): ChangeRow[] => ("row" in item ? [item.row] : item.fold.rows);

const alike = (a: ChangeRow, b: ChangeRow, revealed: number): boolean =>
  a.kind === b.kind && a.cause === b.cause && a.draft !== revealed && b.draft !== revealed;
