// The right column: messages, stretches of history folded, ghosts of depths that aren't there, and the ruler's numbers.

import { definitions, type MapView, type MessageRow } from "./payload";

export type Slot = (
  | { row: number }
  | { fold: string; from: number; to: number }
  | { ghost: number }
  | { end: true }
) & {
  /** The depth of its upper edge; null above and below the history. */
  depth: number | null;
  /** Whether the ruler says it here: not again for what stands on the same place. */
  isLabelled: boolean;
};

/** So many messages of the history in a row are shown as they are; of longer rows the ends stay. */
const SHORT = 7;
/** Above so many messages every row of the history is folded whole. */
const MANY = 300;
/** What landed more often than this inside the history folds with it, but for the newest landings. */
const OFTEN = 24;
const NEWEST = 8;
/** Rows that one opening shows. */
export const OPENING = 100;

type Stays = (row: MessageRow, at: number) => boolean;
type Bare = { row: number } | { fold: string; from: number; to: number } | { ghost: number } | { end: true };

/** Rows of definitions that land every few messages: they fold as the history does. */
export function crowd(view: MapView): Set<number> {
  const often = definitions(view).filter((each) => each.landings.length > OFTEN);
  return new Set(often.flatMap((each) => each.landings.slice(0, -NEWEST)).filter((at) => view.rows[at].atDepth));
}

/** `open` says by fold how many of its rows are shown; a row that `stays` says is never folded away. */
export function slots(view: MapView, open: ReadonlyMap<string, number>, stays: Stays): Slot[] {
  return measured(view, arranged(view, open, stays));
}

function arranged(view: MapView, open: ReadonlyMap<string, number>, stays: Stays): Bare[] {
  const { rows } = view;
  const crowded = crowd(view);
  const inside = (row: MessageRow) => row.history || row.atDepth;
  const found = rows.findIndex(inside);
  const head = found < 0 ? rows.length : found;
  const last = rows.findLastIndex((row) => row.history);
  const out: Bare[] = [];
  for (let i = 0; i <= rows.length; i++) {
    if (i === head) for (const ghost of missing(view)) out.push({ ghost });
    if (i === (last < 0 ? head : last + 1)) out.push({ end: true });
    if (i === rows.length) break;
    const to = stretch(rows, i, crowded);
    const ends = rows.length > MANY ? 0 : 1;
    if (to - i <= (ends ? SHORT : 1)) {
      out.push({ row: i });
      continue;
    }
    for (let at = i; at < i + ends; at++) out.push({ row: at });
    out.push(...folded(rows, i + ends, to - ends, open, stays));
    for (let at = to - ends; at < to; at++) out.push({ row: at });
    i = to - 1;
  }
  return out;
}

/** Where the history from a row on, and what folds with it, ends or begins to be cut or sent. */
function stretch(rows: MessageRow[], from: number, crowded: ReadonlySet<number>): number {
  let first = from;
  while (crowded.has(first)) first++;
  let to = first;
  while (to < rows.length && (crowded.has(to) || (rows[to].history && rows[to].cut === rows[first].cut))) to++;
  return to;
}

/** A stretch of history: what was opened, then folds around what stays. */
function folded(rows: MessageRow[], from: number, to: number, open: ReadonlyMap<string, number>, stays: Stays): Bare[] {
  const out: Bare[] = [];
  const fold = rows[from].key;
  let begun = Math.min(from + (open.get(fold) ?? 0), to);
  for (let i = from; i < begun; i++) out.push({ row: i });
  const close = (end: number) => {
    if (end - begun === 1) out.push({ row: begun });
    else if (end > begun) out.push({ fold, from: begun, to: end });
  };
  for (let i = begun; i < to; i++) {
    if (!stays(rows[i], i)) continue;
    close(i);
    out.push({ row: i });
    begun = i + 1;
  }
  close(to);
  return out;
}

/** Depths that were asked for and aren't there, the deepest first. */
function missing(view: MapView): number[] {
  const all = view.groups.flatMap((group) => group.definitions.flatMap((each) => each.missing));
  return [...new Set(all)].sort((a, b) => b - a);
}

function measured(view: MapView, bare: Bare[]): Slot[] {
  const end = bare.findIndex((slot) => "end" in slot);
  const head = bare.findIndex((slot) => !("row" in slot) || view.rows[slot.row].history || view.rows[slot.row].atDepth);
  let last: number | null = null;
  return bare.map((slot, i) => {
    const depth = i < head || i > end ? null : edge(view, slot);
    const isLabelled = depth !== null && depth !== last;
    last = depth ?? last;
    return { ...slot, depth, isLabelled };
  });
}

/** Messages of the history below a slot's upper edge. */
function edge(view: MapView, slot: Bare): number {
  if ("ghost" in slot) return slot.ghost;
  if ("end" in slot) return 0;
  const row = view.rows["row" in slot ? slot.row : slot.from];
  return row.below + (row.history ? 1 : 0);
}
