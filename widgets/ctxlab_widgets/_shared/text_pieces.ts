// The text of a message cut into what is marked differently: same, put in, taken out.

import { difference } from "./one_difference";
import { type Draft, type Span, type SpanTables, sourceOf } from "./trace_view";

/** A stretch of one story. `removed` is what it replaced, shown before it; `fresh` says that it is new here. */
export interface Piece {
  span: number;
  text: string;
  removed: string;
  source: string;
  fresh: boolean;
  cause: number;
}

type Spans = Pick<Draft, "spans" | "merged">;

/** The pieces of a message. Against `before` (its parts, where it was merged) only what a step changed is fresh. */
export function pieces(view: SpanTables, draft: Spans, before: Spans[], scope: "step" | "start"): Piece[] {
  const spans = before.flatMap((each) => each.spans);
  const known = new Set(spans);
  const stories = new Set(spans.map((i) => story(view.spans[i])).filter((story) => story !== NO_STORY));
  const out: Piece[] = [];
  for (const index of draft.spans) {
    const span = view.spans[index];
    const [text, kind, , cause, was] = span;
    const isNew = scope === "start" || !(known.has(index) || stories.has(story(span)));
    const put = scope === "step" && before.length > 0 && kind !== "separator";
    const fresh = isNew && cause >= 0 && (was.length > 0 || put);
    const last = out.at(-1);
    const again = last?.fresh && was.length > 0 && story(view.spans[last.span]) === story(span);
    const removed = !fresh || again ? "" : scope === "step" ? replaced(view, was) : typed(view, was);
    out.push({ span: index, text: view.texts[text], removed, source: sourceOf(kind), fresh, cause });
  }
  const edited = scope === "step" && before.length === 1 && !draft.merged.length && !out.some((piece) => piece.fresh);
  return edited ? byDifference(view, out, before[0]) : out;
}

const NO_STORY = "-1|";

const story = (span: Span): string => `${span[3]}|${span[4].join()}`;

const replaced = (view: SpanTables, was: number[]): string => was.map((i) => view.texts[view.spans[i][0]]).join("");

/** What stood there at the very first, through all rewritings. */
export function typed(view: SpanTables, was: number[]): string {
  return was
    .map((i) => {
      const span = view.spans[i];
      return span[4].length ? typed(view, span[4]) : view.texts[span[0]];
    })
    .join("");
}

/** A person's edit may keep no story: what differs between the two texts is marked instead. */
function byDifference(view: SpanTables, now: Piece[], before: Spans): Piece[] {
  const old = before.spans.map((i) => view.texts[view.spans[i][0]]).join("");
  const text = now.map((piece) => piece.text).join("");
  if (old === text) return now;
  const { start, removed, added } = difference(old, text);
  const end = start + added.length;
  const out: Piece[] = [];
  let at = 0;
  let isShown = false;
  const push = (piece: Piece, from: number, to: number, fresh: boolean) => {
    const due = !isShown && from >= start;
    if (from >= to && !(due && fresh)) return;
    out.push({ ...piece, text: text.slice(from, to), fresh, removed: due && fresh ? removed : "" });
    isShown ||= due && fresh;
  };
  for (const piece of now) {
    const stop = at + piece.text.length;
    const within = (n: number) => Math.min(Math.max(n, at), stop);
    push(piece, at, within(start), false);
    if (at <= start ? stop >= start : end > at) push(piece, within(start), within(end), true);
    push(piece, within(end), stop, false);
    at = stop;
  }
  return out;
}

export interface Tally {
  processor: string;
  rule: string;
  word: "macro" | "rewritten" | "removed";
  count: number;
}

/** How many stretches each rule or macro put in or took out, in order of appearance; a person's edits aside. */
export function tally(view: SpanTables, found: Piece[]): Tally[] {
  const out = new Map<string, Tally>();
  for (const piece of found) {
    if (!piece.fresh || piece.cause < 0) continue;
    const { processor, rule, by_hand } = view.causes[piece.cause];
    if (by_hand) continue;
    const word = view.spans[piece.span][1] === "macro" ? "macro" : piece.text ? "rewritten" : "removed";
    const key = `${word}|${processor}|${rule}`;
    const row = out.get(key);
    if (row) row.count += 1;
    else out.set(key, { processor, rule, word, count: 1 });
  }
  return [...out.values()];
}

/** The parts of a merged message with the seams between them; null where the text doesn't say where one ends. */
export function parted(view: SpanTables, draft: Draft, found: Piece[]): { parts: Piece[][]; seams: Piece[] } | null {
  const parts: Piece[][] = [[]];
  const seams: Piece[] = [];
  for (const piece of found) {
    const [, kind, ref, cause] = view.spans[piece.span];
    if (kind === "separator" && cause >= 0 && view.causes[cause].rule === ref) {
      seams.push(piece);
      parts.push([]);
    } else parts.at(-1)!.push(piece);
  }
  return parts.length === draft.merged.length ? { parts, seams } : null;
}
