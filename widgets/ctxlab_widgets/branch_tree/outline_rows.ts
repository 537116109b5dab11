// The rows of the outline: in which order messages stand, in which lane, and which of them are folded away.

import { childrenOf, isActive, type Tree } from "./tree_data";

/** A branch with more messages than these is folded at the beginning, unless one looks at it. */
const LARGE = 20;

/** All messages in reading order: after each one first the other branches, then what goes on in its own lane. */
export interface OutlineOrder {
  /** Messages from top to bottom, and the place of each one in that order. */
  messages: Int32Array;
  place: Int32Array;
  lane: Int32Array;
  /** The first message in the lane of each one. */
  head: Int32Array;
  /** The child that goes on in the lane, and the one on the active path; -1 is none. */
  heir: Int32Array;
  active: Int32Array;
  depth: Int32Array;
  lanes: number;
}

export function outlineOrder(tree: Tree): OutlineOrder {
  const { n, parent } = tree;
  const heir = heirsOf(tree);
  const [messages, place, lane] = [new Int32Array(n), new Int32Array(n), new Int32Array(n)];
  const [head, depth] = [new Int32Array(n), new Int32Array(n)];
  const active = new Int32Array(n).fill(-1);
  let lanes = 1;
  for (let i = 0; i < n; i++) {
    const above = parent[i];
    const goesOn = above >= 0 && heir[above] === i;
    depth[i] = above < 0 ? 1 : depth[above] + 1;
    if (above >= 0 && isActive(tree, i)) active[above] = i;
    head[i] = goesOn ? head[above] : i;
    lane[i] = above < 0 ? 0 : lane[above] + (goesOn ? 0 : 1);
    lanes = Math.max(lanes, lane[i] + 1);
  }
  const stack: number[] = [];
  for (let i = 0; i < n; i = tree.last[i] + 1) stack.push(i);
  stack.reverse();
  let at = 0;
  for (let i = stack.pop(); i !== undefined; i = stack.pop()) {
    place[i] = at;
    messages[at++] = i;
    if (heir[i] >= 0) stack.push(heir[i]);
    const others = childrenOf(tree, i).filter((child) => child !== heir[i]);
    for (let k = others.length - 1; k >= 0; k--) stack.push(others[k]);
  }
  return { messages, place, lane, head, heir, active, depth, lanes };
}

/** The child that leads deepest, of equal ones the first: it stays the same whichever branch is active. */
function heirsOf({ n, parent }: Tree): Int32Array {
  const heir = new Int32Array(n).fill(-1);
  const height = new Int32Array(n);
  for (let i = n - 1; i >= 0; i--) {
    const above = parent[i];
    if (above < 0) continue;
    if (heir[above] < 0 || height[i] >= height[heir[above]]) heir[above] = i;
    height[above] = Math.max(height[above], height[i] + 1);
  }
  return heir;
}

/** Messages to fold at the beginning: large branches beside the active path. */
export function foldedAtFirst(tree: Tree): Set<number> {
  const found = new Set<number>();
  for (let i = 0; i < tree.n; i++)
    if (!isActive(tree, i) && tree.parent[i] >= 0 && isActive(tree, tree.parent[i]) && tree.below[i] > LARGE)
      found.add(i);
  return found;
}

/** Messages of the rows that are seen, from top to bottom. */
export function visibleMessages(tree: Tree, { messages }: OutlineOrder, folded: ReadonlySet<number>): Int32Array {
  const found = new Int32Array(tree.n);
  let count = 0;
  for (let at = 0; at < tree.n; ) {
    const i = messages[at];
    found[count++] = i;
    at += folded.has(i) ? tree.below[i] : 1;
  }
  return found.subarray(0, count);
}

/** Of each lane left of a row, whether the active path goes down in it. */
export function activeLanes(tree: Tree, { lane, head, place, active }: OutlineOrder, i: number): boolean[] {
  const found: boolean[] = new Array(lane[i]).fill(false);
  for (let at = head[i]; tree.parent[at] >= 0; at = head[tree.parent[at]]) {
    const above = tree.parent[at];
    found[lane[above]] = active[above] >= 0 && place[active[above]] > place[at];
  }
  return found;
}
