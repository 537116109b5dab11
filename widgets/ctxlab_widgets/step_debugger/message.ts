// One message: its role, its state and its text.

import { attachmentChips } from "../_shared/attachment_chip";
import { filesOfDraft } from "../_shared/attachments";
import { type Child, glyph, h, harmless } from "../_shared/dom";
import { type ChangeRow, tokensAlone } from "../_shared/message_changes";
import { grouped, many } from "../_shared/numbers";
import { type RemedyJson, remedyButton } from "../_shared/remedy_button";
import { standsFor } from "../_shared/stands_for";
import { type Piece, parted, pieces, tally } from "../_shared/text_pieces";
import { type Cause, type Draft, draftsAt, keysOf, sourceOf, type View } from "../_shared/trace_view";
import { shortName } from "./jump";
import { MessageText } from "./message_text";
import { type DebuggerHost, type State, scopeOf } from "./state";

const ROLES = new Set(["system", "user", "assistant", "tool"]);
/** The view that shows a step's decisions one by one, by the report that the step left. */
const VIEW_OF_REPORT: Record<string, [view: string, title: string]> = {
  budget: ["budget", "Open in Budget"],
  "rule-hits": ["rules", "Open in Rules"],
};

/** Draws the messages of one moment. */
export class MessageView {
  private alone: Map<string, number> | null = null;

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {}

  message(row: ChangeRow): HTMLElement {
    const { view, selected } = this.state;
    const scope = scopeOf(this.state);
    const draft = view.drafts[row.draft];
    const before = this.before(row, draft);
    const found = pieces(view, draft, before, scope);
    const gone = row.kind === "dropped";
    const no = gone ? "" : said(row.number);
    const role = ROLES.has(draft.role) ? draft.role : "other";
    const label = `${gone ? "dropped" : `message ${no}`}, ${draft.role}, ${shortName(draft.key)}, ${row.kind}, ${many(draft.tokens, "token")}`;
    const chosen = selected !== "" && keysOf(draft).includes(selected);
    return h(
      "article",
      {
        class: `m r-${role} k-${row.kind}${chosen ? " chosen" : ""}`,
        "aria-label": harmless(label),
        "aria-current": chosen ? "true" : null,
        tabindex: -1,
        "data-id": `m:${row.draft}:${row.number ?? ""}`,
        "data-draft": row.draft,
      },
      h("div", { class: "no" }, no),
      h(
        "div",
        { class: "bd" },
        this.line(row, draft, before, found),
        gone && this.cause(row, draft),
        keysOf(draft).map((key) => standsFor(this.state.summaries[key], `${key}:stands`, this.state.reasons)),
        this.files(row, draft),
        this.body(row, draft, found),
      ),
    );
  }

  /** What it has attached, and what became of it up to here. */
  private files(row: ChangeRow, draft: Draft): Child {
    const { view, files, reasons } = this.state;
    return attachmentChips(filesOfDraft(view, draft, files, row.kind === "dropped"), draft.key, reasons);
  }

  private before(row: ChangeRow, draft: Draft): Draft[] {
    const { view, position } = this.state;
    const scope = scopeOf(this.state);
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
    if (scopeOf(this.state) === "start" && draft.merged.length && draft.seams?.length)
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
      h("span", { class: "mono muted key", title: harmless(draft.key) }, harmless(shortName(draft.key))),
      !draft.merged.length && chip(source, source),
      draft.speaker && tag(harmless(draft.speaker)),
      draft.calls.length > 0 && chip("tools", many(draft.calls.length, "call")),
      draft.result_of !== null && chip("tools", "result"),
      this.tags(row, draft, found),
      this.actions(row, draft, found),
      h(
        "span",
        { class: "num ink2" },
        was !== draft.tokens && `${grouped(was)}\u2009\u2192\u2009`,
        h("span", { class: row.kind === "dropped" ? "" : "strong" }, grouped(draft.tokens)),
      ),
    );
  }

  private tags(row: ChangeRow, draft: Draft, found: Piece[]): Child[] {
    const { view } = this.state;
    const scope = scopeOf(this.state);
    if (row.kind === "dropped") return [];
    const isNew = row.kind === "added" && scope === "step";
    return [
      isNew && tag("added", "add"),
      draft.merged.length > 0 && tag(`merged ${draft.merged.length}`),
      row.moved && tag(`moved ${said(row.from)}\u2009\u2192\u2009${said(row.number)}`),
      draft.placed && (isNew || scope === "start") && tag(harmless(draft.placed)),
      draft.pinned && row.kind !== "same" && sourceOf(draft.origin.kind) === "history" && tag("never cut"),
      editedByHand(view, draft) && tag("edited by hand", "hand"),
      tally(view, found).map(({ word, rule, count }) =>
        tag(harmless(`${word === "macro" ? many(count, word) : `${grouped(count)} ${word}`}, ${rule}`)),
      ),
    ];
  }

  /** What can be done with a message, or seen of it elsewhere. */
  private actions(row: ChangeRow, draft: Draft, found: Piece[]): Child[] {
    const { live, view } = this.state;
    if (!live) return [];
    const out: Child[] = [];
    const source = sourceOf(draft.origin.kind);
    if (row.kind !== "dropped")
      out.push(
        h("button", { type: "button", class: "btn small act", title: "E", tabindex: -1, "data-edit": "" }, "Edit"),
      );
    if (source === "lore" && !draft.merged.length) out.push(this.link("lore", "Open in Lore", draft.key.split("@")[0]));
    const rule = found
      .map((piece) => view.causes[piece.fresh ? piece.cause : -1])
      .find((why) => why && this.viewOf(why));
    if (rule) out.push(this.link(...this.viewOf(rule)!, rule.rule));
    return out;
  }

  /** The view of the page where a cause is shown among its like. */
  private viewOf({ processor }: Cause): [view: string, title: string] | null {
    const step = this.state.view.steps.find(({ id }) => id === processor);
    const report = Object.keys(step?.reports ?? {}).find((name) => VIEW_OF_REPORT[name]);
    return report ? VIEW_OF_REPORT[report] : null;
  }

  private link(view: string, title: string, key: string): Child {
    if (!this.state.views.includes(view)) return null;
    const button = h("button", { type: "button", class: "btn small act", tabindex: -1 }, title);
    button.addEventListener("click", () => this.host.send({ command: "open_view", view, key }));
    return button;
  }

  private cause(row: ChangeRow, draft: Draft): HTMLElement {
    const why = this.state.view.causes[row.cause];
    const link = this.viewOf(why);
    return h(
      "p",
      { class: "cause" },
      glyph("cut"),
      h(
        "span",
        { class: "strong", title: harmless(why.processor) },
        harmless(`${why.rule}${why.reason ? `: ${why.reason}` : ""}`),
      ),
      h("span", { class: "ink2 remedy" }, this.remedy(draft)),
      link && this.link(...link, draft.key),
    );
  }

  /** What would have kept a dropped message: the button that does it, or the sentence where there is none to press. */
  remedy(draft: Draft): Child {
    const { live, remedies, selected } = this.state;
    const found = remedyOf(this.state, draft);
    if (!found) return null;
    const key = keysOf(draft).find((each) => remedies.has(each)) ?? draft.key;
    const button = remedyButton(found, live, () => this.host.send({ command: "apply_remedy", key }));
    const isSaid = !button || keysOf(draft).includes(selected);
    return [button, isSaid && h("span", { class: "said" }, harmless(found.text))];
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
          h("span", { class: "who", title: harmless(key) }, chip(own, harmless(shortName(key)))),
          h("p", { class: "t tx" }, marked),
          h("span", { class: "num" }, alone === undefined ? "" : grouped(alone)),
        ),
      );
    }
    return list;
  }
}

/** What would have kept a dropped message, where Python has said it. */
const remedyOf = ({ remedies }: State, draft: Draft): RemedyJson | undefined =>
  keysOf(draft)
    .map((key) => remedies.get(key))
    .find(Boolean);

const editedByHand = (view: View, draft: Draft): boolean =>
  draft.spans.some((i) => view.spans[i][3] >= 0 && view.causes[view.spans[i][3]].by_hand === true);

const chip = (from: string, label: string): HTMLElement =>
  h("span", { class: `chip src-${from}` }, glyph(from), h("span", { class: "lb" }, label));

/** A number of a message as it is said: from 1. */
const said = (number: number | null): string => (number === null ? "" : String(number + 1));

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
