// Each message, in a chain or not: its first words, its tokens, when it was written, and a tree with a sign for each.

import { copied, NARROW, type Tree, treeFrom } from "./tree_data";

/** Facts by message, in the order of the tree's keys. */
export interface Messages {
  words: string[];
  /** Seconds since 1970 by the clock of whoever wrote it; NaN where nobody knows. */
  seconds: Float64Array;
  /** -1 is not counted. */
  tokens: Int32Array;
  flags: Uint16Array;
}

/** Those of a session, whose words come in an order of their own: they are many, and seldom change. */
export function messagesOf(words: readonly string[], packed: DataView | null): Messages {
  const numbers = copied(packed);
  const n = numbers.byteLength / 18;
  const places = new Int32Array(numbers, 8 * n, n);
  return {
    words: Array.from(places, (at) => words[at] ?? ""),
    seconds: new Float64Array(numbers, 0, n),
    tokens: new Int32Array(numbers, 12 * n, n),
    flags: new Uint16Array(numbers, 16 * n, n),
  };
}

/** The tree with a sign for every message, whatever is folded. It has no places: it is read from top to bottom. */
export function messageTree(tree: Tree, messages: Messages): Tree {
  const n = tree.keys.length;
  const parent = new Int32Array(n);
  const flags = Uint16Array.from(messages.flags);
  for (let i = 0; i < tree.n; i++) {
    const [start, above] = [tree.first[i], tree.parent[i]];
    parent[start] = above < 0 ? -1 : tree.first[above] + tree.count[above] - 1;
    for (let k = start + 1; k < start + tree.count[i]; k++) parent[k] = k - 1;
  }
  const signs = { parent, flags, count: new Int32Array(n).fill(1), bundles: null, keys: tree.keys };
  const flat = { ux: new Float32Array(n), uy: new Float32Array(n), labels: messages.words, tokens: messages.tokens };
  return treeFrom({ ...signs, ...flat }, NARROW);
}

const DAY = 86_400;

/** The day and the minute, of midnight the day alone, as files have it that know no more; empty where nobody knows. */
export function dateOf(seconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  const long = seconds % DAY === 0 ? 10 : 16;
  return new Date(seconds * 1000).toISOString().slice(0, long).replace("T", " ");
}
