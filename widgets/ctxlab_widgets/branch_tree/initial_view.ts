// The camera to begin with: the active leaf and as much of its path as fits, with few boxes under what lies on the canvas.

import { type Camera, type Frame, fitted, PAD, type Size, within } from "./camera";
import { READABLE } from "./grid";

/** Places that are tried lie so many pixels apart, and at most this far to the side. */
const STEP = 3;
const SIDEWAYS = 160;
/** So much ground is shown at most above and below a tree that is higher than the screen. */
const FREE = 88;
/** Sizes that are tried where not all of the tree fits. */
const SCALES = [1, 0.95, 0.9, READABLE];
/** What is bad, in pixels away from the wished place: a smaller size, a square pixel covered, the same of the path. */
const SMALLER = 3000;
const COVERED = 10;
const PATH = 3;

export interface FirstLook {
  tree: Size;
  boxes: readonly Frame[];
  /** Boxes from the active leaf up to its root; empty where there is no active leaf. */
  path: readonly Frame[];
}

interface Place {
  camera: Camera;
  /** How bad it is. */
  cost: number;
}

interface Range {
  least: number;
  wish: number;
  most: number;
}

/** All of the tree where that can be read, else its active leaf in readable size. `over` lies on the screen. */
export function initialView(begun: FirstLook, screen: Size, over: readonly Frame[]): Camera {
  const all = fitted(begun.tree, screen);
  if (!begun.path.length) return all;
  let best: Place = { camera: all, cost: Number.POSITIVE_INFINITY };
  for (const scale of all.scale >= READABLE ? [all.scale] : SCALES) {
    const found = placed(begun, screen, over, scale);
    const cost = found.cost + (SCALES[0] - scale) * SMALLER;
    if (cost < best.cost) best = { camera: found.camera, cost };
  }
  return best.camera;
}

/** The best place in one size. */
function placed({ tree, boxes, path }: FirstLook, screen: Size, over: readonly Frame[], scale: number): Place {
  const left = across(tree, screen, path[0], scale);
  const top = down(tree, screen, path, scale, left.wish);
  const isNear = (box: Frame) =>
    overlaps(box.x * scale, box.width * scale, -left.most, screen.width - left.least) > 0 &&
    overlaps(box.y * scale, box.height * scale, -top.most, screen.height - top.least) > 0;
  const [near, way] = [boxes.filter(isNear), path.filter(isNear)];
  let best: Place = { camera: { scale, left: left.wish, top: top.wish }, cost: Number.POSITIVE_INFINITY };
  for (const y of tried(top))
    for (const x of tried(left)) {
      const camera = { scale, left: x, top: y };
      const far = Math.abs(x - left.wish) + Math.abs(y - top.wish);
      if (far >= best.cost) continue;
      const cost = far + COVERED * (covered(near, camera, over) + PATH * covered(way, camera, over));
      if (cost < best.cost) best = { camera, cost };
    }
  return best;
}

/** The leaf at the right, or in the middle where the tree is no wider than the screen. */
function across(tree: Size, screen: Size, leaf: Frame, scale: number): Range {
  const slack = screen.width - tree.width * scale - PAD;
  if (slack < PAD) {
    const left = Math.round(Math.min(screen.width - 2 * PAD - (leaf.x + leaf.width) * scale, 2 * PAD));
    return { least: left, wish: left, most: left };
  }
  const isLow = tree.height * scale <= screen.height - 2 * PAD;
  const wish = isLow ? Math.round((slack + PAD) / 2) : Math.min(2 * PAD, slack);
  return { least: Math.max(PAD, wish - SIDEWAYS), wish, most: Math.min(slack, wish + SIDEWAYS) };
}

/** In the middle where the tree is no higher than the screen, else so that the leaf and its path are in view. */
function down(tree: Size, screen: Size, path: readonly Frame[], scale: number, left: number): Range {
  const slack = screen.height - tree.height * scale - PAD;
  if (slack >= PAD) return { least: PAD, wish: Math.round((slack + PAD) / 2), most: slack };
  const { from, to } = stretch(path, screen, scale, left);
  const [highest, lowest] = [Math.ceil(PAD - from), Math.floor(screen.height - PAD - to)];
  const least = within(slack - FREE, highest, lowest);
  const most = within(FREE, least, lowest);
  return { least, wish: Math.round(within(screen.height / 2 - path[0].y * scale, least, most)), most };
}

/** From the top to the bottom of as much of the path, beginning at the leaf, as the screen has room for. */
function stretch(path: readonly Frame[], screen: Size, scale: number, left: number): { from: number; to: number } {
  let [from, to] = [path[0].y * scale, (path[0].y + path[0].height) * scale];
  for (const { x, y, width, height } of path) {
    if ((x + width) * scale + left < 0) break;
    const [higher, lower] = [Math.min(from, y * scale), Math.max(to, (y + height) * scale)];
    if (lower - higher > screen.height - 2 * PAD) break;
    [from, to] = [higher, lower];
  }
  return { from, to };
}

/** What was wished for first: of places as good as it, it is taken. */
function tried({ least, wish, most }: Range): number[] {
  const found = [wish];
  for (let at = Math.ceil(least); at <= most; at += STEP) found.push(at);
  return found;
}

/** Square pixels of boxes that lie under something, with a margin around it. */
function covered(boxes: readonly Frame[], { scale, left, top }: Camera, over: readonly Frame[]): number {
  let sum = 0;
  for (const { x, y, width, height } of over)
    for (const box of boxes)
      sum +=
        overlaps(left + box.x * scale, box.width * scale, x, x + width) *
        overlaps(top + box.y * scale, box.height * scale, y, y + height);
  return sum;
}

const overlaps = (from: number, length: number, start: number, end: number): number =>
  Math.max(0, Math.min(from + length, end) - Math.max(from, start));
