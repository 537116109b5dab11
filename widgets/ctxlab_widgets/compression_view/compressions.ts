// One row for each compression of the conversation, the one that is previewed last.

import { h, harmless } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import type { Made } from "./payload";

const COLUMNS = ["summary", "trigger", "messages", "tokens before", "after", "by", "folded in"];

export function compressionsTable(all: Made[]): HTMLElement {
  const number = (n: number | null) => h("td", { class: "num" }, n === null ? "" : grouped(n));
  const heads = COLUMNS.map((words, i) => h("th", { scope: "col", class: i > 1 && i < 5 && "num" }, words));
  const rows = all.map((made) =>
    h(
      "tr",
      { "aria-current": made.is_shown && "true" },
      h("td", {}, h("b", {}, harmless(made.id)), made.is_shown && h("span", { class: "muted" }, " this one")),
      h("td", {}, harmless(made.trigger)),
      number(made.messages),
      number(made.before),
      number(made.after),
      h("td", {}, harmless(made.by)),
      h("td", {}, harmless(made.lineage.join(", "))),
    ),
  );
  return h(
    "section",
    { class: "made", "aria-label": "Compressions of the conversation", hidden: !all.length },
    h("div", { class: "bar" }, h("h3", {}, "Compressions"), h("span", { class: "muted" }, "of this conversation")),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "group", "aria-label": "Compressions, scrolled" },
      h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows)),
    ),
  );
}
