// Where tokens begin and end in a stretch of a message.

import { grouped } from "../_shared/numbers";

/** A stretch that ends where a token does, or with the text. Tokens that share a character are one: `first` to `last`. */
export interface TokenRun {
  start: number;
  end: number;
  first: number;
  last: number;
  /** Whether it ends where a token does. */
  closed: boolean;
}

/** The tokens between two offsets, where `ends` are those of the whole text; all in UTF-16 units. */
export function runs(ends: number[], from: number, to: number): TokenRun[] {
  const out: TokenRun[] = [];
  let start = from;
  for (let first = firstAfter(ends, from); start < to && first < ends.length; ) {
    let last = first;
    while (ends[last + 1] === ends[first]) last++;
    const end = Math.min(ends[first], to);
    out.push({ start, end, first, last, closed: ends[first] <= to });
    start = end;
    first = last + 1;
  }
  return out;
}

function firstAfter(ends: number[], at: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** "token 4 of 20", "tokens 4-6 of 20". */
export const numbered = ({ first, last }: TokenRun, all: number): string =>
  first === last
    ? `token ${grouped(first + 1)} of ${grouped(all)}`
    : `tokens ${grouped(first + 1)}\u2013${grouped(last + 1)} of ${grouped(all)}`;
