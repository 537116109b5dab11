// The words of a part: marked where another source or a rule put them, and where they are looked for.

import { type Child, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { codePoints, cutsInside, difference } from "../_shared/one_difference";
import { type Piece, pieces } from "../_shared/text_pieces";
import { type Part, type State, textOfPart } from "./payload";

/** Characters, and lines, of a part that are shown before a button shows the rest; a little more is shown whole. */
const LONG = 1600;
const SHOWN = 1200;
const MANY_LINES = 20;
const LINES = 16;

/** `marks` says whether sources and rules are marked; what is found always is. */
export function partText(state: State, part: Part, marks: boolean): Child[] {
  const { tables } = state;
  const found = pieces(tables, { spans: part.spans, merged: [] }, [], "start");
  const hits = state.hits.get(part.key) ?? [];
  const fold = foldAt(textOfPart(tables, part));
  const isLong = fold !== null && !state.open.has(`w:${part.key}`) && !hits.some(([, end]) => end > fold.at);
  const limit = isLong ? fold.at : Number.POSITIVE_INFINITY;
  const out: Child[] = [];
  let at = 0;
  for (const piece of found) {
    if (at >= limit && isLong) break;
    out.push(new StretchText(state, part, piece, at, limit, hits).drawn(marks));
    at += piece.text.length;
  }
  if (isLong) out.push(rest(part, fold.more));
  return out;
}

/** Where a long text folds, and what lies behind, in lines where these are many; null for one that is shown whole. */
export function foldAt(text: string): { at: number; more: string } | null {
  const lines = text.split("\n");
  const at = lines.slice(0, LINES).join("\n").length;
  if (lines.length > MANY_LINES && at <= LONG) return { at, more: `${grouped(lines.length - LINES)} more lines` };
  return text.length > LONG ? { at: SHOWN, more: `${many(text.length - SHOWN, "character")} more` } : null;
}

function rest(part: Part, more: string): HTMLElement {
  const words = `\u2026 ${more}`;
  return h("button", { type: "button", class: "more", "data-whole": `w:${part.key}`, tabindex: -1 }, words);
}

class StretchText {
  private readonly story: Record<string, string | number>;

  constructor(
    private readonly state: State,
    part: Part,
    private readonly piece: Piece,
    private readonly at: number,
    private readonly limit: number,
    private readonly hits: [number, number][],
  ) {
    this.own = part.source;
    this.story = { "data-span": piece.span, "data-at": at, tabindex: -1 };
  }
  private readonly own: string;

  drawn(marks: boolean): Child {
    const piece = this.piece;
    const state = this.state;
    const why = piece.cause >= 0 ? state.tables.causes[piece.cause] : null;
    const title = why ? harmless([why.processor, why.rule].join(", ")) : null;
    const isMacro = piece.source === "macro";
    if (marks && piece.fresh && !isMacro) return state.rules ? this.rewritten(title) : this.plain(null, null);
    const other = piece.source !== this.own && piece.source !== "history" && piece.source !== "overhead";
    if (!piece.text) return null;
    return marks && other ? this.plain(`s src-${piece.source} u-${piece.source}`, title) : this.plain(null, null);
  }

  private plain(cls: string | null, title: string | null): Child {
    const { text } = this.piece;
    return text && h("span", { class: cls, title, ...this.story }, this.found(0, text.length));
  }

  /** What went and what came, cut to the smallest stretch. */
  private rewritten(title: string | null): Child {
    const { piece, story } = this;
    const { start, removed, added } = difference(piece.removed, piece.text);
    const end = start + added.length;
    const same = (from: number, to: number) =>
      from < to && h("span", { ...story, "data-at": this.at + from }, this.found(from, to));
    const gone = removed && h("del", { title, ...(added ? {} : story) }, harmless(brief(removed)));
    const came = added && h("ins", { title, ...story, "data-at": this.at + start }, this.found(start, end));
    return [same(0, start), h("span", { class: "rw" }, gone, came), same(end, piece.text.length)];
  }

  /** A stretch of the piece with the words in it that are looked for. */
  private found(from: number, to: number): Child[] {
    const { text } = this.piece;
    const at = this.at;
    let stop = Math.min(to, this.limit - at);
    while (stop < to && stop > from && cutsInside(text, stop)) stop--;
    const out: Child[] = [];
    let done = from;
    for (const [start, end] of this.hits) {
      const [a, b] = [Math.max(start - at, done), Math.min(end - at, stop)];
      if (a >= b) continue;
      out.push(harmless(text.slice(done, a)), h("mark", {}, harmless(text.slice(a, b))));
      done = b;
    }
    out.push(harmless(text.slice(done, stop)));
    return out;
  }
}

const MOST_GONE = 160;

/** What a rule took out, shortened where it is long. */
function brief(text: string): string {
  if (text.length <= MOST_GONE) return text;
  let at = MOST_GONE / 2;
  while (cutsInside(text, at)) at--;
  return `${text.slice(0, at)}\u2026 ${many(codePoints(text.slice(at)), "character")} more`;
}
