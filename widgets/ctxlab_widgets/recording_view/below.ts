// What opens under the pair: the words at a finding's place, and what a compression kept.

import { h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { CompressionReport, Fact, Place } from "./payload";

const STATES: Record<string, string> = { lost: "err", weakened: "warn", kept: "ok" };

export function placeSection(place: Place, close: () => void): HTMLElement {
  const [before, marked, behind] = place.text;
  return h(
    "section",
    { class: "below", "aria-label": "Words at the place of a finding" },
    head(
      harmless(place.title),
      `message ${harmless(place.node)} of the ${harmless(place.role)}${place.name ? `, ${harmless(place.name)}` : ""}`,
      close,
    ),
    h("div", { class: "words mono" }, harmless(before), marked && h("mark", {}, harmless(marked)), harmless(behind)),
  );
}

/** What a compression kept, with a button that closes it; on a page that nobody answers it stays open. */
export function compressionSection(report: CompressionReport, close: (() => void) | null): HTMLElement {
  const { facts, grave, more } = report;
  const rest = facts.slice(grave);
  const [missing, there] = [rest.filter(([state]) => state !== "kept"), rest.filter(([state]) => state === "kept")];
  return h(
    "section",
    { class: "below", id: `kept-${report.id}`, "aria-label": "What the compression kept" },
    head(close ? "What it kept" : `What compression ${harmless(report.id)} kept`, harmless(report.told), close),
    report.afterwards.length > 0 &&
      h(
        "ul",
        { class: "after" },
        report.afterwards.map(([rule, words]) =>
          h(
            "li",
            {},
            h("span", { class: "strong" }, harmless(rule)),
            " ",
            h("span", { class: "err" }, harmless(words)),
          ),
        ),
      ),
    report.counts.length > 0 && countTable(report),
    grave > 0 && factTable(facts.slice(0, grave), "Rules, decisions, tasks and errors of what went"),
    folded(missing, "lost or weakened"),
    folded(there, "kept"),
    more > 0 && h("p", { class: "muted" }, `${many(more, "fact")} more`),
    report.summary &&
      h("details", {}, h("summary", {}, "The summary"), h("div", { class: "words" }, harmless(report.summary))),
    h(
      "p",
      { class: "muted" },
      harmless(`${report.because ? `How it was found: ${report.because}. ` : ""}${report.ceiling}`),
    ),
  );
}

function folded(facts: Fact[], became: string): HTMLElement | false {
  if (!facts.length) return false;
  const words = `${many(facts.length, "other fact")} ${became}`;
  return h("details", {}, h("summary", {}, words), factTable(facts, words));
}

function countTable({ counts }: CompressionReport): HTMLElement {
  const row = ([kind, ...numbers]: CompressionReport["counts"][number]) =>
    h("tr", {}, h("th", { scope: "row" }, kind), ...numbers.map((number) => h("td", {}, grouped(number))));
  return table("counts", ["kind", "lost", "weakened", "kept"], counts.map(row));
}

function factTable(facts: Fact[], name: string): HTMLElement {
  const rows = facts.map(([state, kind, text, reason]) =>
    h(
      "tr",
      {},
      h("td", { class: STATES[state] ?? "" }, state),
      h("td", { class: "ink2" }, kind),
      h("td", { class: "said" }, harmless(text), reason && h("div", { class: "muted" }, harmless(reason))),
    ),
  );
  const shown = table("fates", ["became", "kind", "words of what went"], rows);
  return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": name }, shown);
}

function table(kind: string, names: string[], rows: HTMLElement[]): HTMLElement {
  const titles = names.map((name) => h("th", { scope: "col" }, name));
  return h("table", { class: `t ${kind}` }, h("thead", {}, h("tr", {}, titles)), h("tbody", {}, rows));
}

function head(title: string, about: string, close: (() => void) | null): HTMLElement {
  const button = h("button", { type: "button", class: "btn small", "aria-label": `Close: ${title}` }, "Close");
  if (close) button.addEventListener("click", close);
  return h(
    "div",
    { class: "ph" },
    h("h3", {}, title),
    h("span", { class: "ink2 plainly" }, about),
    h("span", { class: "sp" }),
    close && button,
  );
}
