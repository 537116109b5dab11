// Beside the plot: what is said of the picked variants, and what all numbers rest on.

import { glyph, h, harmless } from "../_shared/dom";
import type { CaseRow, Cases, Picked, View } from "./payload";

export interface SideHost {
  live: boolean;
  unpick(): void;
  compare(): void;
  listCases(): void;
}

/** The section of one or two picked variants; null where none is picked. */
export function pickedSection(picked: Picked | null, listed: boolean, host: SideHost): HTMLElement {
  if (!picked) {
    const how = host.live ? "Click two variants, in the plot or in the table, to hear of their difference." : "";
    return h("section", {}, h("h3", {}, "Picked"), h("p", { class: "ink2" }, how || "Nothing is picked."));
  }
  const [first, second] = picked.variants.map((name) => h("b", {}, harmless(name)));
  const grouped = picked.cases.toLocaleString("en-US");
  const cases = second ? `Cases that differ, ${grouped}` : `Cases, ${grouped}`;
  const isClaim = picked.kind === "told";
  return h(
    "section",
    {},
    h("h3", {}, second ? "Two picked" : "One picked"),
    second
      ? h("p", {}, first, " against ", second, `: ${picked.told}`)
      : h("p", {}, first, h("span", { class: "ink2" }, ". Pick another one, and their difference is told.")),
    picked.claim &&
      h(
        "p",
        { class: `claim strong ${isClaim ? "" : "warn"}` },
        !isClaim && glyph("warning"),
        h("span", {}, harmless(picked.claim)),
      ),
    picked.more && h("p", { class: "ink2" }, picked.more),
    host.live &&
      h(
        "div",
        { class: "acts" },
        second && picked.compare && picked.cases > 0 && button("Open in Compare", () => host.compare()),
        picked.cases > 0 && expanding(cases, listed, () => host.listCases()),
        button("Clear", () => host.unpick(), " quiet"),
      ),
  );
}

export function restsSection(view: View): HTMLElement {
  return h(
    "section",
    {},
    h("h3", {}, "What it rests on"),
    h(
      "dl",
      { class: "kv" },
      view.rests_on.map(([name, value]) => [h("dt", {}, name), h("dd", {}, harmless(value))]),
    ),
    h(
      "details",
      { class: "notes" },
      h("summary", {}, `All notes, ${view.notes.length}`),
      h(
        "ul",
        {},
        view.notes.map((note) => h("li", {}, harmless(note))),
      ),
    ),
  );
}

export interface CaseHost {
  live: boolean;
  signal: AbortSignal;
  open(row: CaseRow, variant: string): void;
  compare(row: CaseRow): void;
}

/** The cases of what is picked: each score opens the run that it is of. */
export function caseTable(
  cases: Cases,
  canBuild: boolean,
  selected: { case: string; variant: string },
  host: CaseHost,
) {
  const [first, second] = cases.variants;
  const more = cases.of > cases.rows.length ? `the first ${cases.rows.length} of ` : "";
  const title = second
    ? `Cases in which ${first} and ${second} differ, ${more}${cases.of.toLocaleString("en-US")}; those that differ most first`
    : `Cases of ${first}, ${more}${cases.of.toLocaleString("en-US")}; the worst first`;
  return h(
    "div",
    { class: "caselist" },
    h("p", { class: "strong" }, harmless(title)),
    h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Cases" },
      h(
        "table",
        { class: "cases" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            ["case", "conversation", "kind", ...cases.variants, ...(second && canBuild ? [""] : [])].map((head, i) =>
              h("th", { scope: "col", class: i > 2 ? "num" : null }, harmless(head)),
            ),
          ),
        ),
        h(
          "tbody",
          {},
          cases.rows.map((row) => caseRow(row, cases.variants, canBuild, selected, host)),
        ),
      ),
    ),
  );
}

function caseRow(
  row: CaseRow,
  variants: string[],
  canBuild: boolean,
  selected: { case: string; variant: string },
  host: CaseHost,
): HTMLElement {
  const open = (variant: string, score: string): HTMLElement | string => {
    if (!canBuild || !host.live) return score;
    const isHere = row.case === selected.case && variant === selected.variant;
    const words = harmless(`${score}: open the run of ${row.case} under ${variant}`);
    const made = button(score, () => host.open(row, variant), " small");
    made.setAttribute("aria-label", words);
    made.title = words;
    if (isHere) made.setAttribute("aria-current", "true");
    return made;
  };
  return h(
    "tr",
    { "data-case": row.case, class: row.case === selected.case ? "here" : null },
    h("td", {}, harmless(row.case), row.seed ? h("span", { class: "muted" }, ` seed ${row.seed}`) : null),
    h("td", { "data-l": "of" }, harmless(row.conversation)),
    h("td", {}, harmless(row.kind)),
    variants.map((variant, i) => h("td", { class: "num", "data-l": harmless(variant) }, open(variant, row.scores[i]))),
    variants.length > 1 &&
      canBuild &&
      host.live &&
      h(
        "td",
        { class: "num" },
        compareButton(row, () => host.compare(row)),
      ),
  );
}

function compareButton(row: CaseRow, act: () => void): HTMLElement {
  const made = button("Compare", act, " small");
  made.setAttribute("aria-label", harmless(`Compare both runs of ${row.case}`));
  return made;
}

function button(words: string, act: () => void, cls = ""): HTMLElement {
  const made = h("button", { type: "button", class: `btn${cls}` }, words);
  made.addEventListener("click", (event) => {
    event.stopPropagation();
    act();
  });
  return made;
}

function expanding(words: string, open: boolean, act: () => void): HTMLElement {
  const made = button(words, act);
  made.setAttribute("aria-expanded", String(open));
  return made;
}
