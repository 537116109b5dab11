// The prompt before and after: what a vendor's cache still has of it, what goes and what comes.

import { h } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Costs, Payload } from "./payload";

/** Two bars on one scale, and four numbers below them. */
export function costsOf(payload: Payload): HTMLElement {
  const { costs } = payload;
  const scale = Math.max(costs.before, costs.after, 1);
  const bar = (name: string, all: number, rest: number, said: string, sort: string) => [
    h("span", { class: name === "after" ? "strong" : "ink2" }, name),
    h(
      "div",
      {
        class: "two-part",
        role: "img",
        "aria-label": `${many(all, "token")} ${name}: ${grouped(costs.same)} stay the same, ${grouped(rest)} ${said}`,
      },
      h("i", { class: "same", style: `width:${(costs.same / scale) * 100}%` }),
      h("i", { class: sort, style: `width:${(rest / scale) * 100}%` }),
    ),
    h("span", { class: "num strong" }, grouped(all)),
  ];
  return h(
    "div",
    { class: "costs" },
    h(
      "div",
      { class: "bars" },
      bar("before", costs.before, costs.lost, "no longer fit a cache", "gone"),
      bar("after", costs.after, costs.new, "are read anew", "new"),
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
