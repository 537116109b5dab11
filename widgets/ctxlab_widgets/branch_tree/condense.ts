// A tree of which only some signs are shown: what is not is folded into bundles that say how many messages they hold.

import { rowsOf } from "./rows_of";
import {
  activeLeaf,
  childrenOf,
  isActive,
  isLeaf,
  isOff,
  keyOf,
  NARROW,
  type Tree,
  treeFrom,
  wayUp,
} from "./tree_data";

export interface Capacity {
  /** Steps from the root, the root's own included, and signs side by side. */
  steps: number;
  across: number;
}

const [OFF, ACTIVE, LEAF] = [1 << 3, 1 << 6, 1 << 7];
/** So many signs of a stretch come out of a bundle at once. */
const FEW = 12;

interface Group {
  signs: number[];
  parent: number;
  isBundle: boolean;
}

/** The tree with these signs in it, each other one in a bundle; no message is lost and none is there twice. */
export function condensed(tree: Tree, kept: ReadonlySet<number>): Tree {
  const groups = grouped(tree, alone(tree, kept));
  const order = preorder(groups);
  const numbers = new Int32Array(groups.length);
  for (const [i, at] of order.entries()) numbers[at] = i;
  const n = order.length;
  const keys: string[] = [];
  const labels: string[] = [];
  const [parent, count, tokens] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
  const [flags, bundles] = [new Uint16Array(n), new Uint8Array(n)];
  for (const [i, at] of order.entries()) {
    const { signs, parent: above, isBundle } = groups[at];
    const [first] = signs;
    parent[i] = above < 0 ? -1 : numbers[above];
    labels.push(tree.labels[first]);
    bundles[i] = isBundle ? 1 : 0;
    flags[i] = isBundle ? flagsOf(tree, signs) : tree.flags[first];
    for (const sign of signs) {
      count[i] += tree.count[sign];
      tokens[i] += tree.tokens[sign];
      for (let k = tree.first[sign]; k < tree.first[sign] + tree.count[sign]; k++) keys.push(tree.keys[k]);
    }
  }
  const ux = new Float32Array(n);
  for (let i = 0; i < n; i++) ux[i] = parent[i] < 0 ? 0 : ux[parent[i]] + 1;
  const active = (i: number) => (flags[i] & ACTIVE) !== 0;
  return treeFrom({ keys, labels, tokens, parent, count, flags, bundles, ux, uy: rowsOf(parent, active) }, NARROW);
}

/** The signs that fit, the nearest to the active path first; null where all do. */
export function fittingSigns(tree: Tree, most: Capacity): Set<number> | null {
  const path = pathOf(tree);
  const kept = new Set(ends(path, Math.max(most.steps - (tree.last[path[0]] > path[0] ? 1 : 0), 2)));
  const beside = nearest(tree, path, kept, most);
  if (tree.n === kept.size + beside.length && across(tree, new Set([...kept, ...beside])) <= most.across) return null;
  let [low, high] = [0, beside.length + 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (across(tree, new Set([...kept, ...beside.slice(0, middle)])) <= most.across) low = middle;
    else high = middle;
  }
  return new Set([...kept, ...beside.slice(0, low)]);
}

/** What comes out of a bundle when it is unfolded: of branches what they begin with, of a stretch its end. */
export function unfolded(tree: Tree, bundle: readonly number[]): number[] {
  const inside = new Set(bundle);
  const starts = bundle.filter((i) => !inside.has(tree.parent[i]));
  const stretch = bundle.filter((i) => isActive(tree, i));
  const found = stretch.length ? stretch.slice(-FEW) : starts.slice(0, FEW);
  return found.length === 1 ? alongFrom(tree, found[0], inside) : found;
}

/** One branch unfolds as a conversation: one after the other, until it forks. */
function alongFrom(tree: Tree, start: number, inside: ReadonlySet<number>): number[] {
  const found = [start];
  for (let at = start; found.length < FEW; ) {
    const below = childrenOf(tree, at).filter((i) => inside.has(i));
    if (below.length !== 1) break;
    at = below[0];
    found.push(at);
  }
  return found;
}

const across = (tree: Tree, kept: ReadonlySet<number>): number => {
  const { uy } = condensed(tree, kept);
  return uy.reduce((a, b) => Math.max(a, b), 0) + 1;
};

/** From the active leaf up; where none is active, from the end of the first branch. */
function pathOf(tree: Tree): number[] {
  let leaf = activeLeaf(tree);
  if (leaf === null) for (leaf = 0; tree.last[leaf] > leaf; ) leaf++;
  return wayUp(tree, leaf);
}

/** The end of a path and its root; between them there is one bundle. */
const ends = (path: number[], steps: number): number[] =>
  path.length <= steps ? path : [...path.slice(0, Math.max(steps - 2, 1)), path[path.length - 1]];

/** Other signs, first those that hang on the path itself and nearest to its end, as deep as there is room. */
function nearest(tree: Tree, path: number[], kept: ReadonlySet<number>, most: Capacity): number[] {
  const onPath = new Set(path);
  const steps = new Map<number, number>();
  const shown = path.filter((i) => kept.has(i)).reverse();
  for (const [i, sign] of shown.entries()) steps.set(sign, i && shown.length < path.length ? i + 1 : i);
  const found: number[] = [];
  let level = path.filter((i) => kept.has(i));
  const enough = 2 * most.steps * most.across;
  while (level.length && found.length < enough) {
    const next: number[] = [];
    for (const above of level)
      for (const i of childrenOf(tree, above)) {
        const step = steps.get(above)! + 1;
        const room = most.steps - (tree.last[i] > i ? 2 : 1);
        if (kept.has(i) || step > room || onPath.has(i)) continue;
        steps.set(i, step);
        next.push(i);
      }
    found.push(...next);
    level = next;
  }
  return found;
}

/** Those that are kept, and with them what would be alone in its bundle: it takes no more room as itself. */
function alone(tree: Tree, kept: ReadonlySet<number>): ReadonlySet<number> {
  const single = grouped(tree, kept).filter(({ isBundle, signs }) => isBundle && signs.length === 1);
  return single.length ? new Set([...kept, ...single.map(({ signs }) => signs[0])]) : kept;
}

function grouped(tree: Tree, kept: ReadonlySet<number>): Group[] {
  const leads = new Uint8Array(tree.n); // to one that is kept
  for (let i = tree.n - 1; i >= 0; i--) if ((kept.has(i) || leads[i]) && tree.parent[i] >= 0) leads[tree.parent[i]] = 1;
  const groups: Group[] = [];
  const groupOf = new Int32Array(tree.n);
  const bundleOf = new Map<number, number>();
  const begin = (i: number, parent: number, isBundle: boolean) => {
    groupOf[i] = groups.length;
    groups.push({ signs: [i], parent, isBundle });
  };
  for (let i = 0; i < tree.n; i++) {
    const above = tree.parent[i] < 0 ? -1 : groupOf[tree.parent[i]];
    if (kept.has(i)) begin(i, above, false);
    else if (above >= 0 && groups[above].isBundle) join(groups, groupOf, i, above);
    else if (leads[i]) begin(i, above, true);
    else if (bundleOf.has(above)) join(groups, groupOf, i, bundleOf.get(above)!);
    else {
      bundleOf.set(above, groups.length);
      begin(i, above, true);
    }
  }
  return groups;
}

function join(groups: Group[], groupOf: Int32Array, i: number, group: number): void {
  groups[group].signs.push(i);
  groupOf[i] = group;
}

function preorder(groups: Group[]): number[] {
  const children: number[][] = groups.map(() => []);
  const stack: number[] = [];
  for (const [i, { parent }] of groups.entries()) (parent < 0 ? stack : children[parent]).push(i);
  stack.reverse();
  const order: number[] = [];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    order.push(at);
    for (let k = children[at].length - 1; k >= 0; k--) stack.push(children[at][k]);
  }
  return order;
}

/** Of a bundle: switched off where all of it is, on the active path where some of it is. */
function flagsOf(tree: Tree, signs: number[]): number {
  let flags = tree.flags[signs[0]] & ~(OFF | ACTIVE | LEAF);
  if (signs.every((i) => isOff(tree, i))) flags |= OFF;
  if (signs.some((i) => isActive(tree, i))) flags |= ACTIVE;
  return signs.some((i) => isLeaf(tree, i)) ? flags | LEAF : flags;
}

/** Signs of a tree by the first of their messages: after a change they may have other numbers. */
export const signsOf = (tree: Tree, keys: Iterable<string>): Set<number> =>
  new Set([...keys].map((key) => tree.signOf.get(key)).filter((i) => i !== undefined));

export const keysOf = (tree: Tree, signs: Iterable<number>): string[] => [...signs].map((i) => keyOf(tree, i));
