// Where one is in the tree: the last messages of the path with their siblings, as rows under each other.

import type { Around } from "./payload";

export type OutlineNode = Around["nodes"][number];

export interface OutlineRow {
  node: OutlineNode;
  /** Row of its parent; -1 where that isn't shown. */
  parent: number;
  /** Steps to the right. */
  depth: number;
}

/** Each message below its parent and behind what hangs on its elder siblings. */
export function outlineRows(nodes: OutlineNode[]): OutlineRow[] {
  const known = new Set(nodes.map(({ key }) => key));
  const below = new Map<string, OutlineNode[]>();
  for (const node of nodes) {
    const parent = known.has(node.parent) && node.parent !== node.key ? node.parent : "";
    below.set(parent, [...(below.get(parent) ?? []), node]);
  }
  const rows: OutlineRow[] = [];
  const seen = new Set<string>();
  const add = (node: OutlineNode, parent: number, depth: number) => {
    if (seen.has(node.key)) return;
    seen.add(node.key);
    const at = rows.push({ node, parent, depth }) - 1;
    for (const each of below.get(node.key) ?? []) add(each, at, depth + 1);
  };
  for (const node of [...(below.get("") ?? []), ...nodes]) add(node, -1, 0);
  return rows;
}

const STEP = 24;
const LEFT = 12;
/** Height of a row in pixels, for a pointer and for fingers. */
export const ROW = 24;
export const ROW_OF_FINGERS = 40;

export const x = (depth: number): number => LEFT + depth * STEP;
export const y = (row: number, height = ROW): number => (row + 0.5) * height;

/** Lines from parents to children as two paths of an SVG: those of the active path are drawn last and heavier. */
export function outlineWires(rows: OutlineRow[], height = ROW): { others: string; active: string } {
  const wires = { others: "", active: "" };
  for (const [i, { node, parent, depth }] of rows.entries()) {
    if (parent < 0) continue;
    const from = rows[parent];
    const line = `M${x(from.depth)} ${y(parent, height) + 6}V${y(i, height)}H${x(depth) - 6}`;
    wires[node.isActive && from.node.isActive ? "active" : "others"] += line;
  }
  return wires;
}
