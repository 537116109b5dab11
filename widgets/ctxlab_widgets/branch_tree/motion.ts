// A layout becomes another one: for a moment the signs are on the way. None of that where a person wants no motion.

import type { Tree } from "./tree_data";

const TIME = 120;

interface Way {
  to: Tree;
  /** Where each sign comes from. */
  x: Float32Array;
  y: Float32Array;
  began: number;
}

export class LayoutMotion {
  private way: Way | null = null;
  private end: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly request: () => void,
    private readonly signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.end));
  }

  /** Begins at where the signs were on the screen; `dx` and `dy` say how far the ground has moved since, in its pixels. */
  begin(before: Tree, to: Tree, dx: number, dy: number, still: number | null): void {
    this.way = null;
    if (this.signal.aborted || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.way = { to, ...startsOf(before, to, dx, dy, still), began: performance.now() };
    clearTimeout(this.end);
    this.end = setTimeout(() => {
      this.way = null;
      this.request();
    }, TIME);
  }

  /** The tree as it is to be drawn now. */
  now(tree: Tree): Tree {
    const way = this.way;
    if (!way || way.to !== tree) return tree;
    const part = Math.min((performance.now() - way.began) / TIME, 1);
    this.request();
    return { ...tree, x: between(way.x, tree.x, part), y: between(way.y, tree.y, part) };
  }
}

/** Where the signs of a tree begin: where their messages were, else where the sign above them begins. */
export function startsOf(
  before: Tree,
  to: Tree,
  dx: number,
  dy: number,
  still: number | null,
): { x: Float32Array; y: Float32Array } {
  const [x, y] = [Float32Array.from(to.x), Float32Array.from(to.y)];
  for (let i = 0; i < to.n; i++) {
    if (i === still) continue;
    const was = before.signOf.get(to.keys[to.first[i]]);
    const above = to.parent[i];
    if (was !== undefined) [x[i], y[i]] = [before.x[was] + dx, before.y[was] + dy];
    else if (above >= 0) [x[i], y[i]] = [x[above], y[above]];
  }
  return { x, y };
}

const between = (from: Float32Array, to: Float32Array, part: number): Float32Array =>
  to.map((end, i) => from[i] + (end - from[i]) * part);
