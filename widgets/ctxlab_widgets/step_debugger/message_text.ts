// The text of a message: coloured by source or token, with the changes of rules marked.

import { type Child, h, harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import { difference, ends } from "../_shared/one_difference";
import type { Piece } from "../_shared/text_pieces";
import type { State } from "./state";
import { numbered, runs } from "./token_runs";

const KEEP = 240; // characters at each end of a long unchanged stretch
const TINTED = 4000; // tokens of one message that get a tint

export class MessageText {
  private readonly at = new Map<Piece, number>();
  private readonly ends: number[] | null;

  /** `found` are all pieces of the message in their order. */
  constructor(
    private readonly state: State,
    draft: number,
    found: Piece[],
  ) {
    let at = 0;
    for (const piece of found) {
      this.at.set(piece, at);
      at += piece.text.length;
    }
    this.ends = state.colour === "token" ? (state.ends.get(draft) ?? null) : null;
  }

  piece(piece: Piece, id: string, own: string | null): Child {
    const { view, colour } = this.state;
    const at = this.at.get(piece) ?? 0;
    const why = piece.cause >= 0 ? view.causes[piece.cause] : null;
    const title = why ? harmless(`${why.processor}, ${why.rule}`) : null;
    const story = { "data-span": piece.span, tabindex: -1 };
    if (piece.fresh) return this.rewritten(piece, at, id, title, story);
    const marked =
      colour === "source" &&
      own !== null &&
      piece.source !== own &&
      piece.source !== "history" &&
      piece.source !== "overhead";
    const cls = marked ? `s src-${piece.source} u-${piece.source}` : null;
    return h("span", { class: cls, title: marked ? title : null, ...story }, this.shown(id, piece.text, at));
  }

  /** What went and what came, cut to the smallest stretch: what both begin and end with stays unmarked. */
  private rewritten(
    piece: Piece,
    at: number,
    id: string,
    title: string | null,
    story: Record<string, string | number>,
  ): Child {
    const { start, removed, added } = difference(piece.removed, piece.text);
    const end = piece.text.length - start - added.length;
    const shares = start + end > 2;
    const [gone, came] = shares ? [removed, added] : [piece.removed, piece.text];
    const same = (from: number, to: number, part: string) =>
      from < to && h("span", story, this.shown(`${id}${part}`, piece.text.slice(from, to), at + from));
    const from = shares ? start : 0;
    const out = gone ? h("del", { title, ...(came ? {} : story) }, this.shown(`${id}d`, gone)) : null;
    const put = came ? h("ins", { title, ...story }, this.shown(`${id}i`, came, at + from)) : null;
    const marks = out && put ? h("span", { class: "rw" }, out, put) : (out ?? put);
    if (!shares) return marks;
    const whole = piece.text.length;
    return [same(0, start, "a"), marks, same(whole - end, whole, "z")];
  }

  /** A text as it may be shown: controls written out, the middle of a long stretch behind a button. */
  shown(id: string, text: string, at: number | null = null): Child {
    const cut = this.state.whole.has(id) ? null : ends(text, KEEP);
    if (!cut) return this.tinted(text, at);
    const more = `\u2026 ${many(cut.out, "character")} more \u2026`;
    return [
      this.tinted(cut.head, at),
      h("button", { type: "button", class: "more", "data-more": id, "data-out": cut.out, tabindex: -1 }, more),
      this.tinted(cut.tail, at === null ? null : at + text.length - cut.tail.length),
    ];
  }

  /** Token by token, where that is asked for and known. `at` is the text's place in the message; null: it isn't sent. */
  private tinted(text: string, at: number | null): Child {
    const { ends } = this;
    if (!ends || at === null) return harmless(text);
    const found = runs(ends, at, at + text.length);
    const few = found.slice(0, TINTED);
    const rest = few.at(-1) ? text.slice(few.at(-1)!.end - at) : text;
    return [
      few.map((run) =>
        h(
          "span",
          { class: `tok t${run.first % 4}${run.closed ? " end" : ""}`, title: numbered(run, ends.length) },
          harmless(text.slice(run.start - at, run.end - at)),
        ),
      ),
      harmless(rest),
    ];
  }
}
