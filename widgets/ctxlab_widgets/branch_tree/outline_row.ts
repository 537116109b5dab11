// One row of the outline: lanes with the sign of the role, the words, the tokens and the date.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { dateOf, type Messages } from "./messages";
import { activeLanes, type OutlineOrder } from "./outline_rows";
import { hasFiles, isActive, isHidden, isLeaf, isOff, isSummary, keyOf, roleOf, type Tree } from "./tree_data";

export const HEIGHT = 24;
/** Pixels of all lanes, and of one where there are few. */
const LANES = 80;
const LANE = 14;

export interface OutlineContent {
  tree: Tree;
  order: OutlineOrder;
  messages: Messages;
  folded: ReadonlySet<number>;
  selected: number | null;
  hits: ReadonlySet<number>;
  hit: number | null;
  picked: ReadonlyMap<number, string>;
  lifted: number | null;
  isEstimated: boolean;
}

export function outlineRow(content: OutlineContent, i: number, id: string): HTMLElement {
  const { tree, order, messages } = content;
  const [folded, hides] = [content.folded.has(i), tree.below[i] - 1];
  const tokens = messages.tokens[i];
  const beside = hasFiles(tree, i) && tokens > 0;
  const counted = tokens <= 0 ? "" : `${content.isEstimated ? "~" : ""}${grouped(tokens)}${beside ? "+" : ""}`;
  const states = [
    isOff(tree, i) && "off",
    isHidden(tree, i) && "faint",
    isActive(tree, i) && "path",
    isLeaf(tree, i) && "leaf",
    content.hits.has(i) && "found",
    content.hit === i && "sought",
    content.lifted !== null && i >= content.lifted && i <= tree.last[content.lifted] && "lifted",
  ];
  const mark = content.picked.get(i);
  return h(
    "div",
    {
      role: "treeitem",
      id,
      class: ["row", ...states.filter(Boolean)].join(" "),
      "data-key": keyOf(tree, i),
      "aria-level": order.depth[i],
      "aria-expanded": hides > 0 ? String(!folded) : null,
      "aria-selected": String(content.selected === i),
      "aria-current": isLeaf(tree, i) ? "true" : null,
      "aria-disabled": isOff(tree, i) ? "true" : null,
      "aria-label": rowLabel(content, i),
      title: harmless(keyOf(tree, i)),
    },
    lanes(content, i),
    mark && h("b", { class: "mark" }, mark),
    folded && h("button", { type: "button", class: "btn small fold", tabindex: -1 }, `+${grouped(hides)}`),
    h("span", { class: "words" }, harmless(messages.words[i])),
    hasFiles(tree, i) && h("span", { class: "src-attachment", title: "with files" }, glyph("attachment")),
    h("span", { class: "num", title: beside ? "its words, without its files" : null }, counted),
    h("span", { class: "date" }, dateOf(messages.seconds[i])),
  );
}

function rowLabel({ tree, messages, folded, isEstimated, picked }: OutlineContent, i: number): string {
  const words = [`${roleOf(tree, i)}: ${harmless(messages.words[i])}`];
  const tokens = messages.tokens[i];
  if (tokens > 0) words.push(`${isEstimated ? "about " : ""}${many(tokens, "token")}`);
  const date = dateOf(messages.seconds[i]);
  if (date) words.push(date);
  if (folded.has(i)) words.push(`${many(tree.below[i] - 1, "message")} folded below`);
  if (isSummary(tree, i)) words.push("stands for others");
  if (isHidden(tree, i)) words.push("a summary stands for it");
  if (hasFiles(tree, i)) words.push(tokens > 0 ? "with files, which are not counted" : "with files");
  if (isOff(tree, i)) words.push("switched off");
  if (isLeaf(tree, i)) words.push("active leaf");
  if (picked.has(i)) words.push("picked");
  return words.join(", ");
}

const SVG = "http://www.w3.org/2000/svg";

function shape(name: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** A line for each branch that goes on below, an elbow where one begins, and the sign. */
function lanes({ tree, order, folded }: OutlineContent, i: number): SVGElement {
  const wide = Math.min(LANE, (LANES - LANE) / Math.max(order.lanes - 1, 1));
  const x = (lane: number) => LANE / 2 + 1 + lane * wide;
  const own = order.lane[i];
  const width = Math.min(LANES, Math.ceil(x(order.lanes - 1) + LANE / 2 + 1));
  const made = shape("svg", { class: "lanes", width, height: HEIGHT, "aria-hidden": "true" });
  const line = (d: string, active: boolean) => made.append(shape("path", { d, class: active ? "on" : "way" }));
  const middle = HEIGHT / 2;
  const active = isActive(tree, i);
  for (const [lane, on] of activeLanes(tree, order, i).entries()) line(`M${x(lane)} 0V${HEIGHT}`, on);
  const above = tree.parent[i];
  if (above >= 0 && order.heir[above] === i) line(`M${x(own)} 0V${middle}`, active);
  else if (above >= 0) line(`M${x(own - 1)} 0C${x(own - 1)} ${middle} ${x(own)} 0 ${x(own)} ${middle}`, active);
  if (order.heir[i] >= 0 && !folded.has(i)) line(`M${x(own)} ${middle}V${HEIGHT}`, order.active[i] >= 0);
  const kind = isSummary(tree, i) ? "summary" : roleOf(tree, i);
  made.append(shape("path", { d: sign(kind, x(own), middle), class: `sign ${kind}` }));
  if (isLeaf(tree, i)) made.append(shape("circle", { cx: x(own), cy: middle, r: 7.5, class: "ring" }));
  return made;
}

/** The signs of the roles, as on the canvas. */
function sign(kind: string, x: number, y: number): string {
  const at = (points: number[]) => {
    const pairs = Array.from({ length: points.length / 2 }, (_, k) => `${x + points[2 * k]} ${y + points[2 * k + 1]}`);
    return `M${pairs.join("L")}Z`;
  };
  if (kind === "user") return `M${x - 4.5} ${y}a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z`;
  if (kind === "assistant") return at([0, -5.2, 5.2, 0, 0, 5.2, -5.2, 0]);
  if (kind === "tool")
    return at([
      -1.5, -5, 1.5, -5, 1.5, -1.5, 5, -1.5, 5, 1.5, 1.5, 1.5, 1.5, 5, -1.5, 5, -1.5, 1.5, -5, 1.5, -5, -1.5, -1.5,
      -1.5,
    ]);
  if (kind === "summary") return at([-4, -5, 4, -5, 1, 0, 4, 5, -4, 5, -1, 0]);
  return at([-4, -4, 4, -4, 4, 4, -4, 4]);
}
