// Which rows of a long table are in sight, from their heights.

export interface Sight {
  first: number;
  /** One past the last. */
  end: number;
  above: number;
  below: number;
}

const SPARE = 240; // pixels drawn beyond either edge

export function inSight(heights: number[], top: number, height: number): Sight {
  let above = 0;
  let first = 0;
  while (first < heights.length && above + heights[first] < top - SPARE) above += heights[first++];
  let end = first;
  let drawn = above;
  while (end < heights.length && drawn < top + height + SPARE) drawn += heights[end++];
  let below = 0;
  for (let i = end; i < heights.length; i++) below += heights[i];
  return { first, end, above, below };
}
