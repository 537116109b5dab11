// The tree as Python laid it out: numbers in typed arrays, and what can be read from them without a page.

import { harmless } from "../_shared/dom";

/** Width of a box, its height, and how far apart columns and rows are, all in pixels at 100 %. */
export const BOX = 102;
export const TALL = 24;
export const COLUMN = 115;
export const ROW = 44;

const [OFF, SUMMARY, HIDDEN, ACTIVE, LEAF, OPENED, ROOT] = [3, 4, 5, 6, 7, 8, 9].map((bit) => 1 << bit);

export type Role = "root" | "user" | "assistant" | "tool";
export const ROLES: readonly Role[] = ["root", "user", "assistant", "tool"];

/** Signs by number, parents before children, each subtree in one piece: a sign is a message or a folded chain. */
export interface Tree {
  n: number;
  keys: string[];
  labels: string[];
  /** Top left corner of each box. */
  x: Float32Array;
  y: Float32Array;
  parent: Int32Array;
  /** Messages that a sign stands for, and the place of the first one in `keys`. */
  count: Int32Array;
  first: Int32Array;
  flags: Uint16Array;
  /** The last sign of each one's subtree, and how many messages it has. */
  last: Int32Array;
  below: Int32Array;
  signOf: Map<string, number>;
  width: number;
  height: number;
}

export interface TreeData {
  texts: string;
  places: DataView | null;
  flags: DataView | null;
}

export function treeOf(held: TreeData): Tree {
  const { keys, labels } = held.texts
    ? (JSON.parse(held.texts) as { keys: string[]; labels: string[] })
    : { keys: [], labels: [] };
  const n = labels.length;
  const numbers = copied(held.places);
  const [across, down] = [new Float32Array(numbers, 0, n), new Float32Array(numbers, 4 * n, n)];
  const [parent, count] = [new Int32Array(numbers, 8 * n, n), new Int32Array(numbers, 12 * n, n)];
  const x = across.map((column) => Math.round(column * COLUMN));
  const y = down.map((row) => Math.round(row * ROW));
  const first = new Int32Array(n);
  const last = new Int32Array(n);
  const below = Int32Array.from(count);
  const signOf = new Map<string, number>();
  for (let i = 0, at = 0; i < n; at += count[i++]) {
    first[i] = at;
    last[i] = i;
    for (let k = at; k < at + count[i]; k++) signOf.set(keys[k], i);
  }
  for (let i = n - 1; i >= 0; i--) {
    const above = parent[i];
    if (above < 0) continue;
    last[above] = Math.max(last[above], last[i]);
    below[above] += below[i];
  }
  const width = n ? x.reduce((a, b) => Math.max(a, b)) + BOX : 0;
  const height = n ? y.reduce((a, b) => Math.max(a, b)) + TALL : 0;
  const flags = new Uint16Array(copied(held.flags), 0, n);
  return { n, keys, labels, x, y, parent, count, first, flags, last, below, signOf, width, height };
}

/** A kernel's buffers may begin anywhere; typed arrays may not. */
function copied(view: DataView | null): ArrayBuffer {
  if (!view?.byteLength) return new ArrayBuffer(0);
  return view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength) as ArrayBuffer;
}

const has = (bit: number) => (tree: Tree, i: number) => (tree.flags[i] & bit) !== 0;
export const isOff = has(OFF);
export const isSummary = has(SUMMARY);
/** Whether a summary stands for it. */
export const isHidden = has(HIDDEN);
export const isActive = has(ACTIVE);
export const isLeaf = has(LEAF);
/** Whether it would be in a folded chain if nobody had unfolded it. */
export const isOpened = has(OPENED);
export const isFolded = (tree: Tree, i: number): boolean => tree.count[i] > 1;

export function roleOf(tree: Tree, i: number): Role {
  if ((tree.flags[i] & ROOT) !== 0 && (tree.flags[i] & 7) === 0) return "root";
  return ROLES[tree.flags[i] & 7] ?? "root";
}

export const keyOf = (tree: Tree, i: number): string => tree.keys[tree.first[i]];
/** The message of a sign that others hang on. */
export const endOf = (tree: Tree, i: number): string => tree.keys[tree.first[i] + tree.count[i] - 1];
export const isBelow = (tree: Tree, i: number, other: number): boolean => i <= other && other <= tree.last[i];

/** An id as it is said: long ones by their first words. */
export function nameOf(tree: Tree, key: string): string {
  const i = tree.signOf.get(key);
  if (key.length <= 16 || i === undefined) return harmless(key);
  return isFolded(tree, i) ? `${harmless(key.slice(0, 8))}…` : `“${harmless(tree.labels[i])}”`;
}

export function childrenOf(tree: Tree, i: number): number[] {
  const found: number[] = [];
  for (let at = i + 1; at <= tree.last[i]; at = tree.last[at] + 1) found.push(at);
  return found;
}

/** All that hang where this one hangs, itself included. */
export function siblingsOf(tree: Tree, i: number): number[] {
  if (tree.parent[i] >= 0) return childrenOf(tree, tree.parent[i]);
  const found: number[] = [];
  for (let at = 0; at < tree.n; at = tree.last[at] + 1) found.push(at);
  return found;
}

/** Steps from the root, in signs; 1 is the root. */
export function levelOf(tree: Tree, i: number): number {
  let level = 1;
  for (let at = tree.parent[i]; at >= 0; at = tree.parent[at]) level++;
  return level;
}

export type Way = "ArrowLeft" | "ArrowRight" | "ArrowUp" | "ArrowDown" | "Home" | "End";
export const WAYS: readonly string[] = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

/** Where a key leads from a sign; the sign itself where there is nothing that way. */
export function walked(tree: Tree, from: number, way: Way): number {
  if (way === "ArrowLeft") return tree.parent[from] < 0 ? from : tree.parent[from];
  if (way === "Home") return 0;
  if (way === "End") return activeLeaf(tree) ?? from;
  if (way === "ArrowRight") {
    const children = childrenOf(tree, from);
    return (
      children.find((i) => isActive(tree, i)) ?? children.find((i) => tree.y[i] === tree.y[from]) ?? children[0] ?? from
    );
  }
  const up = way === "ArrowUp";
  let best = from;
  for (let i = 0; i < tree.n; i++) {
    if (tree.x[i] !== tree.x[from] || (up ? tree.y[i] >= tree.y[from] : tree.y[i] <= tree.y[from])) continue;
    if (best === from || (up ? tree.y[i] > tree.y[best] : tree.y[i] < tree.y[best])) best = i;
  }
  return best;
}

export function activeLeaf(tree: Tree): number | null {
  for (let i = 0; i < tree.n; i++) if (isLeaf(tree, i)) return i;
  return null;
}

/** From a sign up to its root. */
export function wayUp(tree: Tree, from: number | null): number[] {
  const found: number[] = [];
  for (let at = from ?? -1; at >= 0; at = tree.parent[at]) found.push(at);
  return found;
}

/** The sign at a point, or so near that a person means it; null where there is none. */
export function signAt(tree: Tree, x: number, y: number, slack: number): number | null {
  let best: number | null = null;
  let least = slack;
  for (let i = 0; i < tree.n; i++) {
    const dx = Math.max(tree.x[i] - x, x - tree.x[i] - BOX, 0);
    if (dx > least) continue;
    const far = Math.max(dx, tree.y[i] - y, y - tree.y[i] - TALL, 0);
    if (far > least || (far === least && best !== null)) continue;
    best = i;
    least = far;
  }
  return best;
}

export type DropCheck = { words: string; refused: boolean };

/** The effect of dropping one sign on another, or why it can't be: the same rule as Python's, which has the last word. */
export function checkDrop(tree: Tree, i: number, onto: number, one: boolean): DropCheck {
  const [key, parent] = [nameOf(tree, keyOf(tree, i)), nameOf(tree, endOf(tree, onto))];
  const no = (words: string): DropCheck => ({ words: `refused: ${words}`, refused: true });
  if (tree.parent[i] < 0) return no(`${key} is a root`);
  if (one && isFolded(tree, i)) return no(`these are ${tree.count[i]} messages: unfold them to move one`);
  if (i === onto) return no(`${key} can't hang on itself`);
  if (isBelow(tree, i, onto)) return no(`${parent} is ${one ? "below" : "part of"} what you drag`);
  if (tree.parent[i] === onto) return no(`${key} hangs on ${parent} already`);
  if (one) return { words: `move 1 message under ${parent}`, refused: false };
  const many = tree.below[i];
  return {
    words: `graft ${many.toLocaleString("en-US")} message${many === 1 ? "" : "s"} under ${parent}`,
    refused: false,
  };
}
