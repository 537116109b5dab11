// Tokens as places on the bar.

import { grouped } from "../_shared/numbers";
import type { TextWidth } from "../_shared/text_width";
import type { Segment } from "./payload";

/** The bar shows at most so many windows; what hangs out further runs on. */
const WIDEST = 1.6;

const OUTSIDE = "cut";

export interface Placed {
  name: string;
  look: string;
  tokens: number;
  start: number;
  end: number;
}

/** Segments one behind the other, in tokens. */
export function placed(segments: Segment[]): Placed[] {
  let start = 0;
  return segments.map(([name, look, tokens]) => {
    const at = { name, look, tokens, start, end: start + tokens };
    start = at.end;
    return at;
  });
}

/** Tokens at the right end of the bar. While a handle is held the old end stays, unless the handle has left it. */
export function scaleEnd(at: {
  segments: Segment[];
  window: number | null;
  handle: number;
  before: number;
  held: boolean;
}): number {
  const { segments, window, handle, before, held } = at;
  const all = segments.reduce((sum, [, , tokens]) => sum + tokens, 0);
  const inside = all - segments.reduce((sum, [, look, tokens]) => sum + (look === OUTSIDE ? tokens : 0), 0);
  const edge = Math.max(window ?? 0, inside, handle, 1);
  if (held && before > 0) return Math.max(before, handle);
  return Math.max(edge, Math.min(all, WIDEST * edge));
}

const APART = 72;
const BETWEEN = 10;
/** A label's line, and what stands between both. */
const LINE = 4;

export interface Tick {
  at: number;
  /** Its label stands to its left, for want of room to its right. */
  flipped: boolean;
}

/** Round numbers along the bar; one whose label would touch the one before is left out. */
export function ticks(end: number, width: number, widthOf: TextWidth): Tick[] {
  // Digits are drawn equally wide.
  const labelled = (at: number): number => widthOf(grouped(at).replace(/\d/g, "0")) + LINE;
  const apart = Math.max(APART, labelled(end) + BETWEEN);
  const least = (end * apart) / Math.max(width, apart);
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
  const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power);
  const out: Tick[] = [];
  let taken = -BETWEEN;
  for (let at = 0; at <= end; at += step) {
    const place = (width * at) / end;
    const room = labelled(at);
    const flipped = place + room > width;
    const from = flipped ? place - room : place;
    if (from < taken + BETWEEN) continue;
    out.push({ at, flipped });
    taken = from + room;
  }
  return out;
}

const HALF_HANDLE = 8;

/** Left ends of the two words above the bar, in pixels, so that they neither meet nor leave it; null hides one. */
export function captions(at: {
  handle: number;
  edge: number;
  width: number;
  first: number;
  second: number;
}): [number | null, number | null] {
  const { handle, edge, width, first, second } = at;
  const gap = 6;
  const left = handle - gap - first;
  const one = Math.min(Math.max(left, 0), Math.max(0, width - first));
  if (!second) return [one, null];
  const beyond = handle > edge ? handle + HALF_HANDLE : edge; // a handle that is dragged to the right of the edge
  const two = Math.min(beyond + gap, width - second);
  if (handle > edge && two < beyond + gap) return [one, null];
  if (two >= one + first + 2 * gap) return [one, two];
  const pushed = two - 2 * gap - first;
  return pushed >= 0 ? [pushed, two] : [one, null];
}
