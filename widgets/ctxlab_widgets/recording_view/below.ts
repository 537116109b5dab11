// What opens under the pair: the words at a finding's place, and what a compression kept.

import { h, harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import type { CompressionReport, Place } from "./payload";

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

export function compressionSection(report: CompressionReport, close: () => void): HTMLElement {
  return h(
    "section",
    { class: "below", "aria-label": "What the compression kept" },
    head("What it kept", harmless(report.told), close),
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
    report.facts.length > 0 &&
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "group", "aria-label": "Facts of what went" },
        h(
          "table",
          { class: "t fates" },
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              h("th", { scope: "col" }, "became"),
              h("th", { scope: "col" }, "kind"),
              h("th", { scope: "col" }, "words of what went"),
            ),
          ),
          h(
            "tbody",
            {},
            report.facts.map(([state, kind, text]) =>
              h(
                "tr",
                {},
                h("td", { class: STATES[state] ?? "" }, state),
                h("td", { class: "ink2" }, kind),
                h("td", { class: "said" }, harmless(text)),
              ),
            ),
          ),
        ),
      ),
    report.more > 0 && h("p", { class: "muted" }, `${many(report.more, "fact")} more`),
    report.summary &&
      h("details", {}, h("summary", {}, "The summary"), h("div", { class: "words" }, harmless(report.summary))),
    h(
      "p",
      { class: "muted" },
      harmless(`${report.because ? `How it was found: ${report.because}. ` : ""}${report.ceiling}`),
    ),
  );
}

function head(title: string, about: string, close: () => void): HTMLElement {
  const button = h("button", { type: "button", class: "btn small", "aria-label": `Close: ${title}` }, "Close");
  button.addEventListener("click", close);
  return h(
    "div",
    { class: "ph" },
    h("h3", {}, title),
    h("span", { class: "ink2 plainly" }, about),
    h("span", { class: "sp" }),
    button,
  );
}
