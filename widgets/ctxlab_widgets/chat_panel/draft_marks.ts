// Words of the draft that Python found something in, as they stand in a text that was typed on since.

import type { Draft } from "./payload";

type Mark = Draft["marks"][number];

/** Marks of one text in the next: those in front of the change and behind it stay, those inside are gone. */
export function movedMarks(marks: Mark[], was: string, now: string): Mark[] {
  if (was === now) return marks;
  const most = Math.min(was.length, now.length);
  let front = 0;
  while (front < most && was[front] === now[front]) front += 1;
  let behind = 0;
  while (behind < most - front && was[was.length - 1 - behind] === now[now.length - 1 - behind]) behind += 1;
  const by = now.length - was.length;
  return marks.flatMap((mark) => {
    if (mark.end <= front) return [mark];
    if (mark.start < was.length - behind) return [];
    return [{ ...mark, start: mark.start + by, end: mark.end + by }];
  });
}

export interface MarkedPiece {
  text: string;
  mark: Mark | null;
}

/** The text in pieces, with or without a mark; together they are the text. Of marks that overlap the first counts. */
export function markedPieces(text: string, marks: Mark[]): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let at = 0;
  const add = (to: number, mark: Mark | null) => {
    if (to > at) pieces.push({ text: text.slice(at, to), mark });
    at = Math.max(at, to);
  };
  for (const mark of [...marks].sort((a, b) => a.start - b.start)) {
    if (mark.start < at || mark.end <= mark.start || mark.end > text.length) continue;
    add(mark.start, null);
    add(mark.end, mark);
  }
  add(text.length, null);
  return pieces;
}
