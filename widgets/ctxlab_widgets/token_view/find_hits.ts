// Search in a text.

export type Hit = [start: number, end: number];

const MOST = 100_000;

/** All places, in order; capitals don't matter. */
export function search(text: string, wanted: string): Hit[] {
  const out: Hit[] = [];
  if (!wanted) return out;
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  for (const found of text.matchAll(pattern)) {
    out.push([found.index, found.index + found[0].length]);
    if (out.length >= MOST) break;
  }
  return out;
}

/** The first hit that ends behind an offset, by number. */
export function hitAt(hits: Hit[], offset: number): number {
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (hits[middle][1] > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
