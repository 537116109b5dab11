// How wide the columns are: the words get the room that there is, and what doesn't fit is seen to go on.

/** The least for a cell, and for the words of a message, on a wide page and on a narrow one. */
const CELL = [110, 96];
const WORDS = [200, 104];
/** More room than this is of no use to a cell. */
const ENOUGH = 300;
/** The part of the page that cells may have together. */
const SHARE = 0.72;
/** Of a column that goes on beyond the edge so much is seen. */
const PEEK = 0.4;
const NARROW = 700;

export interface ColumnWidths {
  first: number;
  column: number;
  narrow: boolean;
}

export function columnWidths(wide: number, count: number): ColumnWidths {
  const narrow = wide < NARROW;
  const [least, words] = [CELL[Number(narrow)], WORDS[Number(narrow)]];
  const room = wide - words;
  const cells = Math.max(1, count);
  if (room >= least * cells) {
    const fair = Math.min(ENOUGH, (wide * SHARE) / cells, room / cells);
    const column = Math.max(least, Math.floor(fair));
    return { first: wide - column * cells, column, narrow };
  }
  const seen = Math.max(1, Math.floor(room / least - PEEK));
  return { first: words, column: Math.max(least, Math.floor(room / (seen + PEEK))), narrow };
}
