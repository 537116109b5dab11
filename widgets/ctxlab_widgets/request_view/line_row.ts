// One line of the body as an element: number, fold, bar of its sources, the JSON in its colours, facts at the end.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Bit, Line, Mark, Part, Payload, Problem, StringBit } from "./payload";
import { headOf, partsOf, sharesOf } from "./rows";

/** Characters of a string that are shown before it is opened. */
const HEAD = 320;
/** Signs of sources at the end of a line. */
const MOST_SIGNS = 5;

export interface LineState {
  payload: Payload;
  closed: ReadonlySet<number>;
  /** Paths of strings that are shown whole. */
  whole: ReadonlySet<string>;
  cachedTo: number;
  live: boolean;
}

export interface LineHost {
  fix(number: number): void;
}

export function lineRow(state: LineState, number: number): HTMLElement {
  const { payload, closed, cachedTo } = state;
  const line = payload.lines[number];
  const [depth, , inside, , , path] = line;
  const shut = closed.has(number);
  const problems = payload.problems.filter((each) => each.line === number);
  const level = problems.some((each) => each.level === "error") ? " bad" : problems.length ? " odd" : "";
  const cached = number <= cachedTo ? " cached" : "";
  const row = h(
    "div",
    {
      class: `jl${cached}${level}`,
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-expanded": inside ? String(!shut) : null,
      "data-line": number,
      "data-path": path,
      tabindex: -1,
    },
    h("span", { class: "cb" }),
    h("span", { class: "ln" }, grouped(number + 1)),
    inside
      ? h("span", { class: "fo", "data-fold": number, "aria-hidden": "true" }, shut ? "\u25b8" : "\u25be")
      : h("span"),
    bar(line, payload.parts),
    h(
      "span",
      { class: "jc" },
      line[1].map((bit) => bitElement(bit, state, problems)),
      shut && folded(line, payload.lines[number + inside]),
    ),
    h("span", { class: "jn" }, facts(line, payload.parts, shut)),
  );
  row.style.setProperty("--d", String(depth));
  return row;
}

function bar(line: Line, parts: Part[]): HTMLElement {
  const shares = sharesOf(line, parts);
  const pieces = shares.map(([source, share]) => {
    const piece = h("i", { class: `fill src-${source}` });
    piece.style.flexGrow = String(Math.max(share, 0.02));
    return piece;
  });
  return h("span", { class: "sb", "aria-hidden": "true" }, pieces);
}

function bitElement(bit: Bit, state: LineState, problems: Problem[]): Child {
  if (bit[0] === "sign") return h("span", { class: "jp" }, bit[1]);
  if (bit[0] === "key") return h("span", { class: "jk" }, harmless(bit[1]));
  const path = bit[0] === "value" ? bit[2] : bit[3];
  const wrong = problems.some((each) => each.place === path || each.place.startsWith(`${path}.`)) ? " wrong" : "";
  if (bit[0] === "value") return h("span", { class: `jv${wrong}`, "data-at": path }, bit[1]);
  if (bit[0] === "bytes")
    return h(
      "span",
      { class: `jv${wrong}`, "data-at": path },
      `"${harmless(bit[1])}`,
      h("span", { class: "fo8" }, harmless(bit[2])),
      '"',
    );
  return h("span", { class: `jv jt${wrong}`, "data-at": path }, '"', stringChildren(bit, state, path), '"');
}

function stringChildren(bit: StringBit, state: LineState, path: string): Child[] {
  const [, stretches, leftOut] = bit;
  const { parts } = state.payload;
  const isWhole = state.whole.has(path);
  const out: Child[] = [];
  let room = isWhole ? Number.POSITIVE_INFINITY : HEAD;
  let hidden = leftOut;
  for (const [text, number] of stretches) {
    // A little more than fits is shown whole.
    const shown = room <= 0 ? "" : text.length > room * 1.25 ? headOf(text, room) : text;
    hidden += text.length - shown.length;
    room -= shown.length;
    if (!shown) continue;
    const source = number >= 0 ? parts[number].source : "";
    const tint = source && source !== "history" ? ` s u-${source} src-${source}` : "";
    out.push(h("span", { class: `st${tint}`, "data-part": number >= 0 ? number : null }, harmless(shown)));
  }
  if (hidden > 0) {
    const all = hidden > leftOut;
    const words = `+ ${many(hidden, "character")}`;
    out.push(
      all
        ? h("button", { type: "button", class: "fo8", tabindex: -1, "data-whole": path }, words)
        : h("span", { class: "fo8" }, `${words}, in Copy JSON`),
    );
  }
  return out;
}

function folded(line: Line, last: Line | undefined): Child[] {
  const closing = last ? last[1].map((bit) => (bit[0] === "sign" ? bit[1] : "")).join("") : "";
  return [
    " ",
    h("span", { class: "fo8", "data-fold": "" }, harmless(line[6]?.[0] ?? "")),
    h("span", { class: "jp" }, ` ${closing}`),
  ];
}

function facts(line: Line, parts: Part[], shut: boolean): Child[] {
  const fold = shut ? line[6] : null;
  const note = line[4];
  if (fold && fold[2] > 0) return facts_(fold[1], fold[1], fold[2], fold[3], "", parts);
  if (!note) return [];
  const tokens = note[1].reduce((n, each) => n + parts[each].tokens, 0);
  return facts_(
    note[1],
    partsOf(line),
    note[2],
    note[2] > note[1].length ? allTokens(line, parts) : tokens,
    note[0],
    parts,
  );
}

const allTokens = ([, bits]: Line, parts: Part[]): number => {
  const numbers = new Set<number>();
  for (const bit of bits) if (bit[0] === "string") for (const [, part] of bit[1]) if (part >= 0) numbers.add(part);
  return [...numbers].reduce((n, each) => n + parts[each].tokens, 0);
};

function facts_(shown: number[], all: number[], count: number, tokens: number, was: string, parts: Part[]): Child[] {
  const names = count > 1 ? many(count, "part") : harmless(parts[shown[0]].name);
  const sources = [...new Set([...shown, ...all].map((each) => parts[each].source))].slice(0, MOST_SIGNS);
  return [
    was && h("span", { class: "warn" }, was),
    sources.map((source) =>
      h("span", { class: `src-${source} sg` }, glyph(source), h("span", { class: "vh" }, source)),
    ),
    h("span", { class: "nm" }, names),
    tokens > 0 && h("span", { class: "num" }, grouped(tokens)),
  ];
}

export function problemRow(problem: Problem, { payload, live }: LineState, host: LineHost): HTMLElement {
  const isError = problem.level === "error";
  return h(
    "div",
    { class: `jprob${isError ? "" : " odd"}`, role: "treeitem", "aria-level": 1, tabindex: -1 },
    h(
      "span",
      { class: `strong ${isError ? "err" : "warn"}` },
      glyph(isError ? "error" : "warning"),
      harmless(problem.reason),
    ),
    h("span", { class: "ink2" }, harmless(problem.mend)),
    h("span", { class: "mono muted" }, harmless(problem.place)),
    live && fixButtons(problem.fixes, payload.fixes, host),
  );
}

export function fixButtons(numbers: number[], labels: string[], host: LineHost): HTMLElement[] {
  return numbers.map((number) => {
    const button = h("button", { type: "button", class: "btn small", "data-fix": number }, harmless(labels[number]));
    button.addEventListener("click", (event) => {
      event.stopPropagation();
      host.fix(number);
    });
    return button;
  });
}

export function markRow(mark: Mark, { payload }: LineState): HTMLElement {
  const { tokens, effective, reason } = mark;
  const all = payload.price.input_tokens;
  const share = all > 0 ? `, ${Math.round((100 * tokens) / all)} % of the request` : "";
  const words = effective
    ? `cache mark: ${many(tokens, "token")}${share}`
    : `cache mark at ${many(tokens, "token")} has no effect`;
  return h(
    "div",
    { class: `jmark${effective ? "" : " no"}`, role: "treeitem", "aria-level": 1, tabindex: -1 },
    glyph(effective ? "done" : "warning"),
    h("span", { class: "strong" }, words),
    h("span", { class: "ink2" }, harmless(reason)),
  );
}
