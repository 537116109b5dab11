// A hidden list for screen readers: the sign in focus and its neighbours as items.

import { h, harmless } from "../_shared/dom";
import {
  childrenOf,
  hasFiles,
  isFolded,
  isHidden,
  isLeaf,
  isOff,
  isOpened,
  isSummary,
  keyOf,
  levelOf,
  nameOf,
  roleOf,
  siblingsOf,
  type Tree,
} from "./tree_data";

/** So many siblings to each side of the one in focus. */
const NEIGHBOURS = 20;

export function itemLabel(tree: Tree, i: number, picked: ReadonlyMap<number, string>): string {
  const many = isFolded(tree, i) ? `, ${tree.count[i]} messages folded` : "";
  const words = [`${roleOf(tree, i)} ${nameOf(tree, keyOf(tree, i))}${many}: ${harmless(tree.labels[i])}`];
  if (isSummary(tree, i)) words.push("stands for others");
  if (isHidden(tree, i)) words.push("a summary stands for it");
  if (hasFiles(tree, i)) words.push("with files");
  if (isOff(tree, i)) words.push("switched off");
  if (isLeaf(tree, i)) words.push("active leaf");
  if (picked.has(i)) words.push("picked");
  return words.join(", ");
}

/** The items, and the id of the one in focus. */
export function listItems(
  tree: Tree,
  at: number,
  picked: ReadonlyMap<number, string>,
  prefix: string,
): { list: HTMLElement[]; focus: string } {
  const level = levelOf(tree, at);
  const item = (i: number, depth: number, all: number[]) => {
    const opens = tree.last[i] > i || isFolded(tree, i) || isOpened(tree, i);
    return h(
      "div",
      {
        role: "treeitem",
        id: `${prefix}-${i}`,
        "aria-level": depth,
        "aria-setsize": all.length,
        "aria-posinset": all.indexOf(i) + 1,
        "aria-expanded": opens ? String(!isFolded(tree, i)) : null,
        "aria-selected": String(i === at),
        "aria-disabled": isOff(tree, i) ? "true" : null,
        "aria-current": isLeaf(tree, i) ? "true" : null,
      },
      itemLabel(tree, i, picked),
    );
  };
  const siblings = siblingsOf(tree, at);
  const place = siblings.indexOf(at);
  const near = siblings.slice(Math.max(0, place - NEIGHBOURS), place + NEIGHBOURS + 1);
  const above = tree.parent[at];
  const children = childrenOf(tree, at);
  const list = [
    ...(above >= 0 ? [item(above, level - 1, siblingsOf(tree, above))] : []),
    ...near.map((i) => item(i, level, siblings)),
    ...children.slice(0, NEIGHBOURS).map((i) => item(i, level + 1, children)),
  ];
  return { list, focus: `${prefix}-${at}` };
}
