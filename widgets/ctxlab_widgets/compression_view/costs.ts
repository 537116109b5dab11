// The prompt before and after by source, on one scale: what a vendor's cache still has of it, what goes and what comes.

import { h } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Costs, Part, Payload } from "./payload";

/** Two bars on one scale, below each what stays the same from its start, and four numbers. */
export function costsOf(payload: Payload): HTMLElement {
  const { costs } = payload;
  const scale = Math.max(costs.before, costs.after, 1);
  const share = (tokens: number) => `width:${(100 * tokens) / scale}%`;
  const bar = (name: string, all: number, parts: Part[]) => [
    h("span", { class: name === "after" ? "strong" : "ink2" }, name),
    h(
      "div",
      { class: "sources", role: "img", "aria-label": `${many(all, "token")} ${name}: ${inWords(parts)}` },
      parts.map(([title, look, tokens]) =>
        h("i", { class: `fill src-${look}`, style: share(tokens), title: `${title}: ${many(tokens, "token")}` }),
      ),
    ),
    h("span", { class: "num strong" }, grouped(all)),
  ];
  const bracket = (sort: string, tokens: number, words: string) =>
    h("div", { class: `pre ${sort}` }, h("i", { style: share(tokens) }), h("span", {}, words));
  const [before, after] = costs.parts;
  const same = `${grouped(costs.same)} stay the same`;
  return h(
    "div",
    { class: "costs" },
    h(
      "div",
      { class: "bars" },
      bar("before", costs.before, before),
      bracket("had", costs.before, "a cache may have all of it"),
      bar("after", costs.after, after),
      bracket("has", costs.same, costs.new ? `${same}, ${grouped(costs.new)} are read anew` : same),
    ),
    h(
      "div",
      { class: "nums" },
      numbers(payload, costs).map(([what, value, more]) =>
        h("div", {}, h("span", { class: "k" }, what), h("b", {}, value), h("span", { class: "k" }, more)),
      ),
    ),
  );
}

const inWords = (parts: Part[]): string => parts.map(([name, , tokens]) => `${name} ${grouped(tokens)}`).join(", ");

function numbers({ goes }: Payload, costs: Costs): [string, string, string][] {
  const saved = costs.before - costs.after;
  const change = saved >= 0 ? `saves ${grouped(saved)}` : `${grouped(-saved)} more`;
  return [
    ["goes", goes[0], `${many(goes[1], "token")} of text`],
    ["comes", many(costs.summary, "token"), `${change} in every request`],
    ["stays the same", many(costs.same, "token"), "from the start, for a cache"],
    ["the prefix loses", many(costs.lost, "token"), `${grouped(costs.new)} are read anew, once`],
  ];
}
