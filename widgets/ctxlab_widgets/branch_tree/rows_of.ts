// Rows for a small tree, such as one that was condensed: a parent level with its heir, subtrees as close as they may be.

/** Highest and lowest row of a subtree at each step below its top, counted from the row of the top. */
interface Contour {
  least: number[];
  most: number[];
}

/** The row of each sign; parents come before children. `isFirst` says which child a parent prefers to be level with. */
export function rowsOf(parent: Int32Array, isFirst: (i: number) => boolean): Float32Array {
  const n = parent.length;
  const children: number[][] = Array.from({ length: n + 1 }, () => []);
  for (let i = 0; i < n; i++) children[parent[i] < 0 ? n : parent[i]].push(i);
  const steps = new Int32Array(n + 1);
  for (let i = n - 1; i >= 0; i--) {
    const above = parent[i] < 0 ? n : parent[i];
    steps[above] = Math.max(steps[above], steps[i] + 1);
  }
  const shifts = new Float32Array(n);
  const contours: Contour[] = Array.from({ length: n });
  for (let i = n - 1; i >= 0; i--) contours[i] = placed(children[i], contours, steps, shifts, isFirst);
  placed(children[n], contours, steps, shifts, isFirst);
  const rows = new Float32Array(n);
  for (let i = 0; i < n; i++) rows[i] = shifts[i] + (parent[i] < 0 ? 0 : rows[parent[i]]);
  const least = rows.reduce((a, b) => Math.min(a, b), 0);
  return rows.map((row) => row - least);
}

/** Sets children side by side, from their parent's row, and gives the contour of all. */
function placed(
  children: number[],
  contours: Contour[],
  steps: Int32Array,
  shifts: Float32Array,
  isFirst: (i: number) => boolean,
): Contour {
  const all: Contour = { least: [], most: [] };
  let heir = children[0];
  for (const child of children) {
    const { least, most } = contours[child];
    let shift = 0;
    for (let k = 0; k < Math.min(all.most.length, least.length); k++)
      shift = Math.max(shift, all.most[k] - least[k] + 1);
    shifts[child] = all.most.length ? shift : 0;
    for (let k = 0; k < most.length; k++) {
      all.least[k] = Math.min(all.least[k] ?? Number.POSITIVE_INFINITY, shifts[child] + least[k]);
      all.most[k] = Math.max(all.most[k] ?? Number.NEGATIVE_INFINITY, shifts[child] + most[k]);
    }
    if (isFirst(child) || (steps[child] > steps[heir] && !isFirst(heir))) heir = child;
  }
  const level = heir === undefined ? 0 : shifts[heir];
  for (const child of children) shifts[child] -= level;
  const own = (rows: number[]) => [0, ...rows.map((row) => row - level)];
  return { least: own(all.least), most: own(all.most) };
}
