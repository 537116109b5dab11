// What there is to draw, and where on the screen it lies.

import type { Camera, Frame, Size } from "./camera";
import { isBelow, type Tree } from "./tree_data";

/** What a person holds: with `onto` where it would hang, and in words what would happen. */
export interface Drag {
  sign: number;
  one: boolean;
  x: number;
  y: number;
  onto: number | null;
  words: string;
  refused: boolean;
}

export interface Scene {
  tree: Tree;
  camera: Camera;
  size: Size;
  selected: number | null;
  /** What the keys are about; null while they go elsewhere. */
  focus: number | null;
  picked: ReadonlyMap<number, string>;
  hits: ReadonlySet<number>;
  hit: number | null;
  /** The search is over, and the hits are only hinted at. */
  hitsAreDim: boolean;
  /** Where the two picked branches part. */
  fork: number | null;
  /** What was hung elsewhere last. */
  landed: number | null;
  /** What was cut or is dragged, with all below it or alone. */
  lifted: { sign: number; one: boolean } | null;
  drag: Drag | null;
}

export type Pen = CanvasRenderingContext2D;

export const at = (camera: Camera, x: number, y: number) => ({
  x: camera.left + x * camera.scale,
  y: camera.top + y * camera.scale,
});

export const grown = (frame: Frame, by: number): Frame => ({
  x: frame.x - by,
  y: frame.y - by,
  width: frame.width + 2 * by,
  height: frame.height + 2 * by,
});

export function inView(tree: Tree, frame: Frame): number[] {
  const found: number[] = [];
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  const { wide, tall } = tree.grid;
  for (let i = 0; i < tree.n; i++) {
    if (tree.x[i] > right || tree.y[i] > bottom || tree.x[i] + wide < frame.x || tree.y[i] + tall < frame.y) continue;
    found.push(i);
  }
  return found;
}

export const isLifted = ({ tree, lifted }: Scene, i: number): boolean =>
  lifted !== null && (lifted.one ? lifted.sign === i : isBelow(tree, lifted.sign, i));
