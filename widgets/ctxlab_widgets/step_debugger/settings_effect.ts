// The effect of the last change of settings: the run compared with the one before.

import { h, harmless } from "../_shared/dom";
import { grouped, many, milliseconds } from "../_shared/numbers";
import { valueText } from "../_shared/setting_values";
import { shortName } from "./jump";

export interface SettingsDiff {
  settings: { step: string; name: string; title: string; old: unknown; new: unknown }[];
  reran: string[];
  seconds: number;
  rows: ChangedRow[];
  tokens: number;
  difference: number;
}

export interface ChangedRow {
  what: "back in" | "new" | "out" | "changed" | "moved" | "joined" | "same" | "still out" | "seams";
  /** Of one message; empty for several. */
  key: string;
  messages: number;
  tokens: number;
}

const SIGNS: Record<ChangedRow["what"], [sign: string, colour: string]> = {
  "back in": ["+", "ok"],
  new: ["+", "ok"],
  out: ["\u2212", "warn"],
  changed: ["~", "ink-2"],
  moved: ["\u2195", "ink-2"],
  joined: ["&", "ink-2"],
  same: ["=", "ink-3"],
  "still out": ["\u2212", "warn"],
  seams: ["\u00b1", "ink-3"],
};

/** "Budget 1,800 to 2,400; strategy sliding to block"; a step that was switched is named. */
export const settingsWords = ({ settings }: SettingsDiff): string =>
  settings
    .map(({ step, name, title, old, new: now }) =>
      name === "enabled"
        ? `${step} switched ${now ? "on" : "off"}`
        : `${title} ${valueText(old)}\u2009\u2192\u2009${valueText(now)}`,
    )
    .join("; ");

/** "reran 08-10 in 0.7 ms". `number` gives a step's number in the row; steps one after another are a range. */
export function reranWords({ reran, seconds }: SettingsDiff, number: (id: string) => number): string {
  const all = reran.map(number).filter((n) => n > 0);
  if (!all.length) return "no step ran again";
  const ranges: [number, number][] = [];
  for (const n of all) {
    const last = ranges.at(-1);
    if (last && n === last[1] + 1) last[1] = n;
    else ranges.push([n, n]);
  }
  const two = (n: number) => String(n).padStart(2, "0");
  const steps = ranges.map(([a, b]) => (a === b ? two(a) : `${two(a)}\u2013${two(b)}`)).join(", ");
  return `reran ${steps} in ${milliseconds(seconds)}`;
}

export const signed = (n: number): string => (n > 0 ? `+${grouped(n)}` : grouped(n).replace("-", "\u2212"));

/** The rows as a table; a row of one message is a button with its key. */
export function diffTable({ rows, tokens, difference }: SettingsDiff): HTMLElement {
  return h(
    "table",
    { class: "chg" },
    h(
      "tbody",
      {},
      rows.map((row) => {
        const [sign, colour] = SIGNS[row.what];
        const amount = row.what === "still out" ? grouped(row.tokens) : signed(row.tokens);
        return h(
          "tr",
          { "data-key": row.key || null },
          h(
            "td",
            {},
            h("span", { class: `what c-${colour}` }, `${sign} ${row.what}`),
            row.key
              ? h(
                  "button",
                  { type: "button", class: "key mono", tabindex: -1, title: harmless(row.key) },
                  harmless(shortName(row.key)),
                )
              : row.messages > 0 && h("span", { class: "several" }, many(row.messages, "message")),
          ),
          h("td", { class: "num ink2" }, amount),
        );
      }),
      h(
        "tr",
        { class: "sum" },
        h("td", { class: "strong" }, many(tokens, "token")),
        h("td", { class: "num strong" }, signed(difference)),
      ),
    ),
  );
}
