// One message: its role, its state and its text.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { type ChangeRow, tokensAlone } from "../_shared/message_changes";
import { grouped, many } from "../_shared/numbers";
import { type Piece, parted, pieces, tally } from "../_shared/text_pieces";
import { type Draft, draftsAt, keysOf, sourceOf } from "../_shared/trace_view";
import { MessageText } from "./message_text";
import type { State } from "./state";

const ROLES = new Set(["system", "user", "assistant", "tool"]);

/** Draws the messages of one moment. */
export class MessageView {
  private alone: Map<string, number> | null = null;

  constructor(private readonly state: State) {}

  message(row: ChangeRow): HTMLElement {
    const { view, scope, selected } = this.state;
    const draft = view.drafts[row.draft];
    const before = this.before(row, draft);
    const found = pieces(view, draft, before, scope);
    const gone = row.kind === "dropped";
    const no = gone ? "\u2013" : String(row.number);
    const role = ROLES.has(draft.role) ? draft.role : "other";
    const label = `${gone ? "dropped" : `message ${no}`}, ${draft.role}, ${draft.key}, ${row.kind}, ${many(draft.tokens, "token")}`;
    const chosen = selected !== "" && keysOf(draft).includes(selected);
    return h(
      "article",
      {
        class: `m r-${role} k-${row.kind}${chosen ? " chosen" : ""}`,
        "aria-label": harmless(label),
        "aria-current": chosen ? "true" : null,
        tabindex: -1,
        "data-id": `m:${row.draft}:${no}`,
        "data-draft": row.draft,
      },
      h("div", { class: "no" }, no),
      h(
        "div",
        { class: "bd" },
        this.line(row, draft, before, found),
        gone && this.cause(row, draft),
        this.body(row, draft, found),
      ),
    );
  }

  private before(row: ChangeRow, draft: Draft): Draft[] {
    const { view, position, scope } = this.state;
    if (row.kind === "same" || row.kind === "moved" || row.kind === "dropped") return [draft];
    if (scope === "step" && row.kind === "merged") {
      const keys = new Set(draft.merged.map((part) => part.key));
      return draftsAt(view, position - 1)
        .map((i) => view.drafts[i])
        .filter((each) => keys.has(each.key) || each.merged.some((part) => keys.has(part.key)));
    }
    return row.before === null ? [] : [view.drafts[row.before]];
  }

  /** Tokens before what is shown of it: of a merged message those of its parts. */
  private was(row: ChangeRow, draft: Draft, before: Draft[]): number {
    if (row.kind === "dropped") return draft.tokens;
    if (this.state.scope === "start" && draft.merged.length && draft.seams?.length)
      return draft.tokens - draft.seams.reduce((n, each) => n + each, 0);
    return before.length ? before.reduce((n, each) => n + each.tokens, 0) : draft.tokens;
  }

  private line(row: ChangeRow, draft: Draft, before: Draft[], found: Piece[]): HTMLElement {
    const was = this.was(row, draft, before);
    const source = sourceOf(draft.origin.kind);
    return h(
      "div",
      { class: "mh" },
      h("span", { class: "role" }, glyph(draft.role), harmless(draft.role)),
      h("span", { class: "mono muted key" }, harmless(draft.key)),
      !draft.merged.length && chip(source, source),
      draft.speaker && tag(harmless(draft.speaker)),
      draft.assets.map((asset) => chip("attachment", harmless(asset.name || asset.kind))),
      draft.calls.length > 0 && chip("tools", many(draft.calls.length, "call")),
      draft.result_of !== null && chip("tools", "result"),
      this.tags(row, draft, found),
      h(
        "span",
        { class: "num ink2" },
        was !== draft.tokens && `${grouped(was)}\u2009\u2192\u2009`,
        h("span", { class: row.kind === "dropped" ? "" : "strong" }, grouped(draft.tokens)),
      ),
    );
  }

  private tags(row: ChangeRow, draft: Draft, found: Piece[]): Child[] {
    const { view, scope } = this.state;
    if (row.kind === "dropped") return [];
    const isNew = row.kind === "added" && scope === "step";
    return [
      isNew && tag("added", "add"),
      draft.merged.length > 0 && tag(`merged ${draft.merged.length}`),
      row.moved && tag(`moved ${row.from}\u2009\u2192\u2009${row.number}`),
      draft.placed && (isNew || scope === "start") && tag(harmless(draft.placed)),
      draft.pinned && row.kind !== "same" && sourceOf(draft.origin.kind) === "history" && tag("never cut"),
      tally(view, found).map(({ processor, word, rule, count }) =>
        tag(harmless(`${processor === "macros" ? many(count, "macro") : `${grouped(count)} ${word}`}, ${rule}`)),
      ),
    ];
  }

  private cause(row: ChangeRow, draft: Draft): HTMLElement {
    const { processor, rule, reason } = this.state.view.causes[row.cause];
    return h(
      "p",
      { class: "cause" },
      glyph("cut"),
      h("span", { class: "strong" }, harmless(`${processor} / ${rule}${reason ? `: ${reason}` : ""}`)),
      h("span", { class: "ink2 remedy" }, harmless(remedyOf(this.state, draft))),
    );
  }

  private body(row: ChangeRow, draft: Draft, found: Piece[]): Child {
    const { view, whole } = this.state;
    const words = new MessageText(this.state, row.draft, found);
    const split = draft.merged.length && row.kind !== "dropped" ? parted(view, draft, found) : null;
    const extra = draft.reasoning
      ? h("p", { class: "tx thought" }, words.shown(`${row.draft}:r`, draft.reasoning))
      : null;
    if (split) return [extra, this.parts(row, draft, split, words)];
    const calm = row.kind === "dropped";
    const own = calm || row.kind === "same" ? null : "history";
    const clip = `${row.draft}:clip`;
    const clipped = calm && !whole.has(clip);
    return [
      extra,
      h(
        "p",
        { class: clipped ? "tx clip" : "tx", "data-more": clipped ? clip : null },
        found.map((piece, i) => words.piece(piece, `${row.draft}:${i}`, own)),
      ),
    ];
  }

  private parts(
    row: ChangeRow,
    draft: Draft,
    split: { parts: Piece[][]; seams: Piece[] },
    words: MessageText,
  ): HTMLElement {
    const { view, position } = this.state;
    this.alone ??= tokensAlone(view, position);
    const list = h("ol", { class: "parts" });
    for (const [n, part] of split.parts.entries()) {
      const { kind, key } = draft.merged[n];
      const own = sourceOf(kind);
      if (n) list.append(seam(view.texts[view.spans[split.seams[n - 1].span][0]], draft.seams?.[n - 1]));
      const alone = this.alone.get(key);
      const marked = part.map((piece, i) => words.piece(piece, `${row.draft}:${n}.${i}`, own));
      list.append(
        h(
          "li",
          { class: "part", "data-key": key },
          h("span", { class: "who" }, chip(own, harmless(key))),
          h("p", { class: "t tx" }, marked),
          h("span", { class: "num" }, alone === undefined ? "" : grouped(alone)),
        ),
      );
    }
    return list;
  }
}

/** What would have kept a dropped message, where Python has said it. */
export const remedyOf = ({ remedies }: State, draft: Draft): string =>
  keysOf(draft)
    .map((key) => remedies.get(key)?.text)
    .find(Boolean) ?? "";

const chip = (from: string, label: string): HTMLElement =>
  h("span", { class: `chip src-${from}` }, glyph(from), h("span", { class: "lb" }, label));

const tag = (label: string, cls = ""): HTMLElement => h("span", { class: `tag ${cls}` }, label);

function seam(text: string, cost: number | undefined): HTMLElement {
  const sign = text.replaceAll("\n", "\u23ce").trim() || "\u2423";
  return h(
    "li",
    { class: "part seam" },
    h("span", { class: "num", "aria-label": "joined by" }, harmless(sign)),
    h("span", { class: "t" }),
    h("span", { class: "num" }, cost === undefined ? "" : grouped(cost).replace("-", "\u2212")),
  );
}
