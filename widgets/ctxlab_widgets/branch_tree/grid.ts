// How wide and how high boxes are: as wide as the room allows and the words need, two lines where rows have room.

import { PAD, type Size } from "./camera";
import { type Grid, type Layout, NARROW, type Tree } from "./tree_data";

const WIDEST = 260;
/** Where one has to move about anyway, about so many columns are seen at once, and boxes are at most so wide. */
const COLUMNS = 8;
const COMFORT = 200;
/** All columns in view at less than this size are no longer read. */
export const READABLE = 0.85;
const TWO_LINES = 40;
const GAP = { x: NARROW.column - NARROW.wide, y: NARROW.row - NARROW.tall };
/** From the top down lines need more room between rows than beside boxes. */
const FALL = 32;
/** Room of a box among springs, in lengths of a spring: Python keeps them so far apart. */
const SPRING = { x: 1.15, y: 0.9 };
/** Pixels of a cell of text, and of a box beside its words. */
const CELL = 6;
const AROUND = 62;
/** The layout that a room asks for: a narrow tall column is read from the top down. */
export const layoutFor = (room: Size): Layout => (room.height > 1.1 * room.width ? "top-down" : "tidy");

/** With `whole` all columns are to be seen at once, if that can be. */
export function gridFor(tree: Tree, room: Size, layout: Layout, whole = false): Grid {
  const wide = widthFor(tree, room, layout, whole);
  const gap = layout === "top-down" ? FALL : GAP.y;
  const rows = extent(tree, layout)[1];
  const isRoomy = layout !== "force" && rows * (TWO_LINES + gap) <= room.height - 2 * PAD + gap;
  const tall = isRoomy && wanted(tree, WIDEST) > wide ? TWO_LINES : NARROW.tall;
  const [x, y] = [wide + GAP.x, tall + gap];
  if (layout === "force") return { layout, wide, tall, column: x / SPRING.x, row: y / SPRING.y };
  return { layout, wide, tall, column: x, row: y };
}

/** Pixels of all rows with one line each: a canvas as high as this is not asked to be higher. */
export function contentHeight(tree: Tree, layout: "tidy" | "top-down"): number {
  const row = layout === "top-down" ? NARROW.tall + FALL : NARROW.row;
  return tree.n ? (extent(tree, layout)[1] - 1) * row + NARROW.tall : 0;
}

/** So many columns and rows of the smallest boxes fit. */
export function capacity(room: Size, layout: Layout): { columns: number; rows: number } {
  const row = layout === "top-down" ? NARROW.tall + FALL : NARROW.row;
  const columns = Math.floor((room.width - 2 * PAD + GAP.x) / NARROW.column);
  return { columns, rows: Math.floor((room.height - 2 * PAD + row - NARROW.tall) / row) };
}

function widthFor(tree: Tree, room: Size, layout: Layout, whole: boolean): number {
  const most = wanted(tree, WIDEST);
  const comfortable = Math.min(Math.max(Math.floor(room.width / COLUMNS) - GAP.x, NARROW.wide), COMFORT, most);
  if (layout === "force") return comfortable;
  const columns = extent(tree, layout)[0];
  const fits = Math.floor((room.width - 2 * PAD + GAP.x) / columns) - GAP.x;
  if (whole && fits >= NARROW.wide * READABLE) return Math.min(Math.max(fits, NARROW.wide), most);
  return Math.max(Math.min(fits, most), comfortable);
}

/** Columns and rows of a layout. */
function extent({ n, ux, uy }: Tree, layout: Layout): [columns: number, rows: number] {
  let [x, y] = [0, 0];
  for (let i = 0; i < n; i++) {
    x = Math.max(x, ux[i]);
    y = Math.max(y, uy[i]);
  }
  return layout === "top-down" ? [y + 1, x + 1] : [x + 1, y + 1];
}

/** About as wide as a box has to be for the longest label, at most so wide. */
function wanted({ labels }: Tree, most: number): number {
  let found = NARROW.wide;
  for (const label of labels) {
    const cells = label.length + (label.match(WIDE)?.length ?? 0);
    found = Math.max(found, AROUND + CELL * cells);
    if (found >= most) return most;
  }
  return found;
}

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
