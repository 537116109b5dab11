// The detail of an open row: the scanned texts with the keys marked, the gates, the content, the nearest change.

import { glyph, h, harmless } from "../_shared/dom";
import { changeButton, type GridHost, highlighted } from "./entry_table";
import type { Detail, EntryRow } from "./rows";

const SIGNS = { passed: "done", stopped: "off", "not asked": "todo" };

export function rowDetail(detail: Detail | null, row: EntryRow, host: GridHost): HTMLElement {
  if (!detail)
    return h("p", { class: "empty" }, host.live ? "Looking it up." : "This page doesn't hold what is in here.");
  return h(
    "div",
    { class: "more2" },
    h("section", {}, h("h3", {}, "Scanned text"), scanned(detail)),
    h(
      "section",
      {},
      h("h3", {}, "Gates"),
      h("ul", { class: "gates" }, detail.gates.map(gate)),
      h("h3", {}, "Content", h("span", { class: "muted plain" }, `  ${harmless(detail.goes)}`)),
      h("div", { class: "content src-lore" }, harmless(detail.content) || h("span", { class: "muted" }, "empty")),
      change(detail, row, host),
    ),
  );
}

function scanned(detail: Detail): HTMLElement {
  const texts = detail.texts.map(({ where, pieces }) =>
    h(
      "div",
      { class: "said1" },
      where.startsWith("lore:")
        ? h("span", { class: "chip src-lore" }, glyph("lore"), h("span", { class: "lb" }, harmless(where)))
        : h("span", { class: "mno" }, harmless(where)),
      h("div", { class: "words" }, pieces.join("") ? highlighted(pieces) : h("span", { class: "muted" }, "empty")),
    ),
  );
  // It may scroll: the arrow keys need somewhere to be.
  return h(
    "div",
    { class: "scanned", tabindex: 0, role: "group", "aria-label": "Scanned text" },
    texts.length ? texts : h("span", { class: "muted" }, "Nothing was looked through."),
  );
}

function gate([name, value, state]: Detail["gates"][number]): HTMLElement {
  return h(
    "li",
    { class: `g-${state.replace(" ", "-")}` },
    glyph(SIGNS[state]),
    h("span", { class: "ink2" }, name),
    h("span", {}, harmless(value), h("span", { class: "vh" }, ` (${state})`)),
  );
}

function change(detail: Detail, row: EntryRow, host: GridHost): HTMLElement | false {
  if (!detail.change) return false;
  const words = detail.fired ? "Stays out with" : "Fires with";
  return h(
    "div",
    { class: "nearest" },
    h("p", { class: "change" }, h("span", { class: "ink2" }, `${words} `), harmless(detail.change), " "),
    changeButton(row.key, detail.label, detail.change, host),
  );
}
