// The characters of a row of the text: tinted by origin, the template's own apart, line feeds and tokens visible.

import { type Child, h, harmless } from "../_shared/dom";
import { cutsInside } from "../_shared/one_difference";
import { type SpanTables, sourceOf } from "../_shared/trace_view";
import { FIELDS, type Field, type TextRow } from "./model_text";

export interface Marks {
  /** What is looked for, from the row's first character. */
  hits: [start: number, end: number][];
  /** Where tokens end in the row, and which of them inside a character. */
  tokens: [ends: number[], inside: number[]] | null;
  /** Where the row ends that is shown. */
  limit: number;
}

export function stretchesOf(tables: SpanTables, [, stretches]: TextRow, marks: Marks): Child[] {
  const out: Child[] = [];
  const edges = edgesOf(marks.tokens);
  let at = 0;
  for (const [field, spans] of stretches)
    for (const span of spans) {
      const text = tables.texts[tables.spans[span][0]];
      if (at < marks.limit) out.push(stretch(tables, FIELDS[field], span, text, at, marks, edges));
      at += text.length;
    }
  return out;
}

function stretch(
  tables: SpanTables,
  field: Field,
  span: number,
  text: string,
  at: number,
  marks: Marks,
  edges: Map<number, Edge>,
): HTMLElement {
  const [, kind, ref, cause] = tables.spans[span];
  const why = cause >= 0 ? tables.causes[cause] : null;
  const titles: Partial<Record<Field, string>> = {
    template: `the template's own${lineOf(ref)}`,
    special: `markup of the template${lineOf(ref)}`,
    role: "the role of the message",
  };
  const title = titles[field] ?? (why ? [why.processor, why.rule].join(", ") : null);
  const attributes = { class: lookOf(field, kind), title: title && harmless(title), "data-span": span, tabindex: -1 };
  return h("span", { ...attributes, "data-at": at }, withMarks(text, at, marks, edges));
}

/** ", line 3" of a template's place. */
const lineOf = (ref: string): string => (/:\d+$/.test(ref) ? `, line ${ref.slice(ref.lastIndexOf(":") + 1)}` : "");

export function lookOf(field: Field, kind: string): string | null {
  if (field === "template" || field === "special" || field === "role") return field === "special" ? "own mk" : "own";
  const source = field === "calls" || field === "tools" ? "tools" : sourceOf(kind);
  return source === "history" || source === "overhead" ? null : `s src-${source} u-${source}`;
}

/** Tokens that end at a place, and whether one of them ends inside the character before it. */
export interface Edge {
  tokens: number;
  inside: boolean;
}

export function edgesOf(tokens: Marks["tokens"]): Map<number, Edge> {
  const out = new Map<number, Edge>();
  if (!tokens) return out;
  const inside = new Set(tokens[1]);
  for (const [place, end] of tokens[0].entries()) {
    const known = out.get(end) ?? { tokens: 0, inside: false };
    out.set(end, { tokens: known.tokens + 1, inside: known.inside || inside.has(place) });
  }
  return out;
}

function withMarks(text: string, at: number, { hits, limit }: Marks, edges: Map<number, Edge>): Child[] {
  let stop = Math.min(text.length, limit - at);
  while (stop < text.length && stop > 0 && cutsInside(text, stop)) stop--;
  const out: Child[] = [];
  let done = 0;
  for (const [start, end] of hits) {
    const [a, b] = [Math.max(start - at, done), Math.min(end - at, stop)];
    if (a >= b) continue;
    out.push(...drawn(text, done, a, at, edges), h("mark", {}, drawn(text, a, b, at, edges)));
    done = b;
  }
  out.push(...drawn(text, done, stop, at, edges));
  return out;
}

/** Characters with a sign before each line feed, and a line where a token ends. */
function drawn(text: string, from: number, to: number, at: number, edges: Map<number, Edge>): Child[] {
  const out: Child[] = [];
  let done = from;
  const upto = (end: number) => {
    if (end > done) out.push(harmless(text.slice(done, end)));
    done = end;
  };
  if (edges.size === 0) {
    for (let feed = text.indexOf("\n", from); feed >= 0 && feed < to; feed = text.indexOf("\n", feed + 1)) {
      upto(feed);
      out.push(lineFeed());
    }
    upto(to);
    return out;
  }
  for (let i = from; i < to; i++) {
    if (text[i] === "\n") {
      upto(i);
      out.push(lineFeed());
    }
    const tokens = edges.get(at + i + 1);
    if (!tokens) continue;
    upto(i + 1);
    out.push(edge(tokens));
  }
  upto(to);
  return out;
}

const lineFeed = (): HTMLElement => h("i", { class: "lf", "aria-hidden": "true" });

const edge = ({ inside }: Edge): HTMLElement =>
  h("i", {
    class: inside ? "tk many" : "tk",
    "aria-hidden": "true",
    title: inside ? "one character of several tokens" : null,
  });
