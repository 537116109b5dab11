// The tree as Python laid it out: numbers in typed arrays, and what can be read from them without a page.

import { harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import type { Messages } from "./messages";

export type Layout = "tidy" | "top-down" | "force";

/** Width of a box, its height, and how far apart columns and rows are, all in pixels at 100 %. */
export interface Grid {
  layout: Layout;
  wide: number;
  tall: number;
  column: number;
  row: number;
}

/** Boxes where there is little room. */
export const NARROW: Grid = { layout: "tidy", wide: 102, tall: 24, column: 115, row: 44 };

/** Characters of a label in a sentence. */
const FEW = 24;

const [OFF, SUMMARY, HIDDEN, ACTIVE, LEAF, OPENED, ROOT, FILES] = [3, 4, 5, 6, 7, 8, 9, 10].map((bit) => 1 << bit);

export type Role = "root" | "user" | "assistant" | "tool";
export const ROLES: readonly Role[] = ["root", "user", "assistant", "tool"];

/** Signs by number, parents before children, each subtree in one piece: a sign is a message or a folded chain. */
export interface Tree {
  n: number;
  keys: string[];
  /** The first words of each; of a chain those of its first message. */
  labels: string[];
  tokens: Int32Array;
  /** Place in the layout: steps from the root and place across them, or among springs x and y. */
  ux: Float32Array;
  uy: Float32Array;
  /** Top left corner of each box, and how large and how far apart boxes are. */
  x: Float32Array;
  y: Float32Array;
  grid: Grid;
  parent: Int32Array;
  /** Messages that a sign stands for, and the place of the first one in `keys`. */
  count: Int32Array;
  first: Int32Array;
  /** Signs that stand for branches which the page has folded; null where there are none. */
  bundles: Uint8Array | null;
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

/** What there is of a tree before its lengths are summed up. */
export type Signs = Pick<Tree, "keys" | "labels" | "tokens" | "ux" | "uy" | "parent" | "count" | "flags" | "bundles">;

export function treeOf(held: TreeData, messages: Messages): Tree {
  const { keys } = held.texts ? (JSON.parse(held.texts) as { keys: string[] }) : { keys: [] };
  const numbers = copied(held.places);
  const n = numbers.byteLength / 16;
  const [ux, uy] = [new Float32Array(numbers, 0, n), new Float32Array(numbers, 4 * n, n)];
  const [parent, count] = [new Int32Array(numbers, 8 * n, n), new Int32Array(numbers, 12 * n, n)];
  const flags = new Uint16Array(copied(held.flags), 0, n);
  const labels: string[] = [];
  const tokens = new Int32Array(n);
  for (let i = 0, at = 0; i < n; i++) {
    labels.push(messages.words[at] ?? "");
    const end = at + count[i];
    for (; at < end; at++) tokens[i] += messages.tokens[at] ?? 0;
  }
  return treeFrom({ keys, labels, tokens, ux, uy, parent, count, flags, bundles: null }, NARROW);
}

/** A tree of signs in their order, laid on a grid. */
export function treeFrom(signs: Signs, grid: Grid): Tree {
  const { keys, parent, count } = signs;
  const n = count.length;
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
  return { ...signs, n, first, last, below, signOf, ...onGrid(signs, grid) };
}

/** The same tree with its boxes on another grid. */
export const arranged = (tree: Tree, grid: Grid): Tree => ({ ...tree, ...onGrid(tree, grid) });

function onGrid({ ux, uy }: Pick<Tree, "ux" | "uy">, grid: Grid): Pick<Tree, "x" | "y" | "grid" | "width" | "height"> {
  const turned = grid.layout === "top-down";
  const x = (turned ? uy : ux).map((column) => Math.round(column * grid.column));
  const y = (turned ? ux : uy).map((row) => Math.round(row * grid.row));
  const width = x.length ? x.reduce((a, b) => Math.max(a, b)) + grid.wide : 0;
  const height = y.length ? y.reduce((a, b) => Math.max(a, b)) + grid.tall : 0;
  return { x, y, grid, width, height };
}

/** A kernel's buffers may begin anywhere; typed arrays may not. */
export function copied(view: DataView | null): ArrayBuffer {
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
export const hasFiles = has(FILES);
/** Whether it would be in a folded chain if nobody had unfolded it. */
export const isOpened = has(OPENED);
/** Whether it stands for branches that the page has folded. */
export const isBundle = (tree: Tree, i: number): boolean => tree.bundles?.[i] === 1;
export const isFolded = (tree: Tree, i: number): boolean => tree.count[i] > 1 || isBundle(tree, i);

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
  return isFolded(tree, i) ? `${harmless(key.slice(0, 8))}…` : `“${harmless(shortened(tree.labels[i]))}”`;
}

/** As much of a label as a sentence has room for. */
export function shortened(label: string): string {
  const whole = [...new Intl.Segmenter().segment(label.slice(0, 4 * FEW))].map((each) => each.segment);
  const fits = whole.slice(0, FEW).join("");
  return fits === label ? label : `${fits.trimEnd().replace(/…$/u, "")}…`;
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

const TURNED: Partial<Record<Way, Way>> = {
  ArrowUp: "ArrowLeft",
  ArrowDown: "ArrowRight",
  ArrowLeft: "ArrowUp",
  ArrowRight: "ArrowDown",
};

/** Where a key leads from a sign; the sign itself where there is nothing that way. */
export function walked(tree: Tree, from: number, way: Way): number {
  const { layout } = tree.grid;
  const to = layout === "top-down" ? (TURNED[way] ?? way) : way;
  if (to === "ArrowLeft") return tree.parent[from] < 0 ? from : tree.parent[from];
  if (to === "Home") return 0;
  if (to === "End") return activeLeaf(tree) ?? from;
  if (to === "ArrowRight") {
    const children = childrenOf(tree, from);
    return (
      children.find((i) => isActive(tree, i)) ??
      children.find((i) => tree.uy[i] === tree.uy[from]) ??
      children[0] ??
      from
    );
  }
  const up = to === "ArrowUp";
  if (layout === "force") {
    const siblings = siblingsOf(tree, from);
    return siblings[siblings.indexOf(from) + (up ? -1 : 1)] ?? from;
  }
  return neighbour(tree, from, up);
}

/** The next sign as many steps from the root, before or after one. */
function neighbour(tree: Tree, from: number, before: boolean): number {
  const { ux, uy } = tree;
  let best = from;
  for (let i = 0; i < tree.n; i++) {
    if (ux[i] !== ux[from] || (before ? uy[i] >= uy[from] : uy[i] <= uy[from])) continue;
    if (best === from || (before ? uy[i] > uy[best] : uy[i] < uy[best])) best = i;
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
    const dx = Math.max(tree.x[i] - x, x - tree.x[i] - tree.grid.wide, 0);
    if (dx > least) continue;
    const far = Math.max(dx, tree.y[i] - y, y - tree.y[i] - tree.grid.tall, 0);
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
  if (isBundle(tree, i)) return no(`these are ${many(tree.count[i], "folded message")}: unfold them first`);
  if (isBundle(tree, onto)) return no(`there are ${many(tree.count[onto], "folded message")}: unfold them first`);
  if (one && isFolded(tree, i)) return no(`these are ${tree.count[i]} messages: unfold them to move one`);
  if (i === onto) return no(`${key} can't hang on itself`);
  if (isBelow(tree, i, onto)) return no(`${parent} is ${one ? "below" : "part of"} what you drag`);
  if (tree.parent[i] === onto) return no(`${key} hangs on ${parent} already`);
  if (one) return { words: `move 1 message under ${parent}`, refused: false };
  return { words: `graft ${many(tree.below[i], "message")} under ${parent}`, refused: false };
}
