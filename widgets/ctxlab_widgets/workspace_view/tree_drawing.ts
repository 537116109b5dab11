// The tree of a session, small: roles as signs, the active branch heavy, hits ringed.

import { grouped } from "../_shared/numbers";
import type { TreeData } from "./payload";

const SVG = "http://www.w3.org/2000/svg";
const PAD = 12;
const MOST_HEIGHT = 200;
const ACROSS = 22;
const DOWN = 26;
const ROLES = ["root", "user", "assistant", "tool"];

function s(name: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

/** `current` is the message whose hit the side shows. */
export function drawTree(tree: TreeData, current: string): SVGElement {
  const width = Math.max(...tree.x, 0) * ACROSS + 2 * PAD;
  const height = Math.max(...tree.y, 0) * DOWN + 2 * PAD;
  const hits = tree.hit.reduce((sum, hit) => sum + hit, 0);
  const svg = s("svg", {
    class: "tree",
    role: "img",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height: Math.min(height, MOST_HEIGHT),
    preserveAspectRatio: "xMinYMid meet",
    "aria-label": label(tree, hits),
  });
  const x = (i: number) => PAD + tree.x[i] * ACROSS;
  const y = (i: number) => PAD + tree.y[i] * DOWN;
  for (const heavy of [0, 1]) {
    const way = tree.parent.map((above, i) =>
      above < 0 || tree.active[i] !== heavy ? "" : edge(x(above), y(above), x(i), y(i)),
    );
    svg.append(s("path", { d: way.join(""), class: heavy ? "heavy" : "light" }));
  }
  for (const i of tree.x.keys()) {
    if (tree.hit[i])
      svg.append(s("circle", { cx: x(i), cy: y(i), r: 8, class: tree.node[i] === current ? "ring now" : "ring" }));
    svg.append(sign(tree.role[i], x(i), y(i), tree.size[i] > 1));
  }
  return svg;
}

function label(tree: TreeData, hits: number): string {
  const words = [`${grouped(tree.messages)} messages`, `${grouped(tree.leaves)} leaves`];
  if (hits) words.push(`${hits} places with hits are ringed`);
  if (tree.missing) words.push(`${grouped(tree.missing)} more signs are not drawn`);
  return `Tree of the session: ${words.join(", ")}`;
}

function edge(fromX: number, fromY: number, toX: number, toY: number): string {
  if (fromY === toY) return `M${fromX} ${fromY}H${toX}`;
  const middle = (fromX + toX) / 2;
  return `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${toY} ${toX} ${toY}`;
}

function sign(role: number, x: number, y: number, folded: boolean): SVGElement {
  const name = `r-${ROLES[role < 0 ? 0 : role] ?? "root"}`;
  if (folded) return s("rect", { x: x - 7, y: y - 4, width: 14, height: 8, rx: 4, class: `${name} many` });
  if (role === 2) return s("path", { d: `M${x} ${y - 5}l5 5-5 5-5-5z`, class: name });
  if (role === 1) return s("circle", { cx: x, cy: y, r: 4.5, class: name });
  return s("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, class: name });
}
