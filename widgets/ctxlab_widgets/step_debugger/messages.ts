// The messages after a step: what it added, rewrote, moved, merged and dropped.

import { aloneTokens, type Row, type Scope, summary } from "../_shared/changes";
import { differing, ends } from "../_shared/diff";
import { type Child, glyph, h, harmless } from "../_shared/dom";
import { folded, OPENING } from "../_shared/folding";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import { type Piece, parted, pieces, tally } from "../_shared/pieces";
import { type Radios, radios } from "../_shared/radios";
import { type Draft, draftsAt, sourceOf, tokens } from "../_shared/view";
import { ChainCard } from "./chain_card";
import type { Door, State } from "./state";

const KEEP = 240; // characters at each end of a long unchanged stretch
const ROLES = new Set(["system", "user", "assistant", "tool"]);

export class Messages {
  readonly element = h("div", { class: "msgs" });
  private readonly feed = h("div", { class: "feed", role: "feed" });
  private readonly head = h("div", { class: "bar" });
  private readonly count = h("span", { class: "muted" });
  private readonly card: ChainCard;
  private readonly scope: Radios;
  private readonly colour: Radios;

  constructor(
    private readonly state: State,
    door: Door,
  ) {
    const { signal } = door;
    this.card = new ChainCard(state, signal);
    const scopes = { step: "This step", start: "Since start" };
    const colours = { source: "Source", plain: "Plain" };
    this.scope = radios("Show changes of", scopes, (scope) => door.change({ scope: scope as Scope }), signal);
    this.colour = radios(
      "Colour text by",
      colours,
      (colour) => door.change({ colour: colour as State["colour"] }),
      signal,
    );
    this.head.append(this.scope.element, this.colour.element, h("span", { class: "sp" }), this.count);
    this.element.append(this.head, this.feed);
    roving(this.feed, () => this.stops(), { signal, vertical: true });
    this.feed.addEventListener("click", (event) => this.clicked(event), { signal });
    this.feed.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.feed.addEventListener("focusin", (event) => this.came(event), { signal });
    this.card.listen(this.feed);
  }

  draw(focus?: string): void {
    const { state } = this;
    const had = focus ?? document.activeElement?.closest<HTMLElement>(".feed [data-id]")?.dataset.id;
    this.card.close();
    const items = folded(state.rows, state.open);
    this.feed.replaceChildren(...items.map((item) => ("row" in item ? this.message(item.row) : this.fold(item.fold))));
    this.feed.classList.toggle("big", items.length > 60);
    const step = state.view.steps[state.position - 1];
    this.feed.setAttribute("aria-label", step ? `Messages after ${step.id}` : "Messages before the first step");
    if (!items.length) this.feed.append(h("p", { class: "empty" }, this.nothing()));
    const kept = draftsAt(state.view, state.position).length;
    const said = state.scope === "step" && state.position ? `, ${summary(state.rows)}` : this.dropped();
    this.count.textContent = `${many(kept, "message")}${said}`;
    this.scope.set(state.scope);
    this.colour.set(state.colour);
    const stops = this.stops();
    const at = stops.findIndex((each) => each.dataset.id === had);
    onlyStop(stops, Math.max(at, 0));
    if (had !== undefined && at >= 0) stops[at].focus({ preventScroll: focus === undefined });
  }

  private dropped(): string {
    const n = this.state.rows.filter((row) => row.kind === "dropped").length;
    return n ? `, ${grouped(n)} dropped` : "";
  }

  private nothing(): string {
    const { state } = this;
    if (state.position === 0 && state.view.steps.length) return "Nothing yet: the first step loads the conversation.";
    return "No messages here.";
  }

  private stops(): HTMLElement[] {
    return [...this.feed.querySelectorAll<HTMLElement>(":scope > [data-id]")];
  }

  private came(event: FocusEvent): void {
    const stops = this.stops();
    const at = stops.findIndex((each) => each.contains(event.target as Node));
    if (at >= 0) onlyStop(stops, at);
  }

  private clicked(event: MouseEvent): void {
    const button = (event.target as Element).closest<HTMLElement>("[data-fold],[data-more]");
    if (!button) return;
    const { fold, more } = button.dataset;
    if (more !== undefined) {
      this.state.whole.add(more);
      this.draw(button.closest<HTMLElement>("[data-id]")?.dataset.id);
    } else if (fold !== undefined) {
      const { open } = this.state;
      const previous = button.previousElementSibling as HTMLElement | null;
      open.set(fold, (open.get(fold) ?? 0) + OPENING);
      this.draw();
      const next = previous?.dataset.id;
      const stops = this.stops();
      const at = stops.findIndex((each) => each.dataset.id === next) + 1;
      onlyStop(stops, at);
      stops[at]?.focus({ preventScroll: true });
    }
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.key !== "Enter" || !target.matches("article.m")) return;
    event.preventDefault();
    event.stopPropagation();
    const clipped = target.querySelector<HTMLElement>(".clip");
    if (clipped) clipped.click();
    else this.card.enter(target);
  }

  private fold({ id, rows }: { id: string; rows: Row[] }): HTMLElement {
    const { view } = this.state;
    const [first] = rows;
    const last = rows[rows.length - 1];
    const places = first.number !== null && last.number !== null ? `, ${range(first.number, last.number)}` : "";
    const words = {
      same: `${many(rows.length, "unchanged message")}${places}`,
      added: `${grouped(rows.length)} more added${places}`,
      rewritten: `${grouped(rows.length)} more rewritten${places}`,
      merged: `${grouped(rows.length)} more merged${places}`,
      moved: `${grouped(rows.length)} more moved${places}`,
      dropped: `${many(rows.length, "older message")}, dropped by the same rule`,
    };
    const sum = tokens(
      view,
      rows.map((row) => row.draft),
    );
    return h(
      "button",
      {
        type: "button",
        class: `foldrow f-${first.kind}`,
        "aria-expanded": "false",
        "data-fold": id,
        "data-id": `fold:${id}`,
      },
      "\u203a",
      h("span", {}, words[first.kind]),
      h("span", { class: "sp" }),
      h("span", {}, many(sum, "token")),
    );
  }

  private message(row: Row): HTMLElement {
    const { view } = this.state;
    const draft = view.drafts[row.draft];
    const before = this.before(row, draft);
    const found = pieces(view, draft, before, this.state.scope);
    const gone = row.kind === "dropped";
    const no = gone ? "\u2013" : String(row.number);
    const role = ROLES.has(draft.role) ? draft.role : "other";
    const label = `${gone ? "dropped" : `message ${no}`}, ${draft.role}, ${draft.key}, ${row.kind}, ${many(draft.tokens, "token")}`;
    return h(
      "article",
      {
        class: `m r-${role} k-${row.kind}`,
        "aria-label": harmless(label),
        tabindex: -1,
        "data-id": `m:${row.draft}:${no}`,
      },
      h("div", { class: "no" }, no),
      h(
        "div",
        { class: "bd" },
        this.line(row, draft, before, found),
        gone && this.cause(row),
        this.body(row, draft, found),
      ),
    );
  }

  private before(row: Row, draft: Draft): Draft[] {
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

  private line(row: Row, draft: Draft, before: Draft[], found: Piece[]): HTMLElement {
    const was = before.length && row.kind !== "dropped" ? before.reduce((n, each) => n + each.tokens, 0) : draft.tokens;
    const source = sourceOf(draft.origin.kind);
    return h(
      "div",
      { class: "mh" },
      h("span", { class: "role" }, glyph(draft.role), harmless(draft.role)),
      h("span", { class: "mono muted key" }, harmless(draft.key)),
      !draft.merged.length && chip(source, source),
      draft.name && tag(harmless(draft.name)),
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

  private tags(row: Row, draft: Draft, found: Piece[]): Child[] {
    const { view, scope } = this.state;
    if (row.kind === "dropped") return [];
    const isNew = row.kind === "added" && scope === "step";
    return [
      isNew && tag("added", "add"),
      draft.merged.length > 0 && tag(`merged ${draft.merged.length}`),
      row.moved && tag(`moved ${row.from}\u2009\u2192\u2009${row.number}`),
      draft.placed && (isNew || scope === "start") && tag(harmless(draft.placed)),
      draft.pinned && row.kind !== "same" && source(draft) === "history" && tag("never cut"),
      tally(view, found).map(({ processor, word, rule, count }) =>
        tag(harmless(`${processor === "macros" ? many(count, "macro") : `${grouped(count)} ${word}`}, ${rule}`)),
      ),
    ];
  }

  private cause(row: Row): HTMLElement {
    const { processor, rule, reason } = this.state.view.causes[row.cause];
    const short = row.needed !== null && row.left !== null ? row.needed - row.left : 0;
    return h(
      "p",
      { class: "cause" },
      glyph("cut"),
      h("span", { class: "strong" }, harmless(`${processor} / ${rule}${reason ? `: ${reason}` : ""}`)),
      short > 0 && h("span", { class: "ink2" }, `${many(short, "more token")} would keep it`),
    );
  }

  private body(row: Row, draft: Draft, found: Piece[]): Child {
    const { view, position } = this.state;
    const split = draft.merged.length && row.kind !== "dropped" ? parted(view, draft, found) : null;
    const extra = draft.reasoning
      ? h("p", { class: "tx thought" }, this.shown(`${row.draft}:r`, draft.reasoning))
      : null;
    if (!split) {
      const calm = row.kind === "dropped";
      const own = calm || row.kind === "same" ? null : "history";
      const clip = `${row.draft}:clip`;
      const clipped = calm && !this.state.whole.has(clip);
      return [
        extra,
        h(
          "p",
          { class: clipped ? "tx clip" : "tx", "data-more": clipped ? clip : null },
          found.map((piece, i) => this.piece(piece, `${row.draft}:${i}`, own)),
        ),
      ];
    }
    const list = h("ol", { class: "parts" });
    split.parts.forEach((part, n) => {
      const { kind, key } = draft.merged[n];
      const own = sourceOf(kind);
      if (n) list.append(seam(view.texts[view.spans[split.seams[n - 1].span][0]]));
      const alone = aloneTokens(view, key, position);
      const marked = part.map((piece, i) => this.piece(piece, `${row.draft}:${n}.${i}`, own));
      list.append(
        h(
          "li",
          { class: "part" },
          h("span", { class: "who" }, chip(own, harmless(key))),
          h("p", { class: "t tx" }, marked),
          h("span", { class: "num" }, alone === null ? "" : grouped(alone)),
        ),
      );
    });
    return [extra, list];
  }

  private piece(piece: Piece, id: string, own: string | null): Child {
    const { view, colour } = this.state;
    const why = piece.cause >= 0 ? view.causes[piece.cause] : null;
    const title = why ? harmless(`${why.processor}, ${why.rule}`) : null;
    const story = { "data-span": piece.span, tabindex: -1 };
    if (piece.fresh) return this.rewritten(piece, id, title, story);
    const marked =
      colour === "source" &&
      own !== null &&
      piece.source !== own &&
      piece.source !== "history" &&
      piece.source !== "overhead";
    const cls = marked ? `s src-${piece.source} u-${piece.source}` : null;
    return h("span", { class: cls, title: marked ? title : null, ...story }, this.shown(id, piece.text));
  }

  /** What went and what came, cut to the smallest stretch: what both begin and end with stays unmarked. */
  private rewritten(piece: Piece, id: string, title: string | null, story: Record<string, string | number>): Child {
    const { start, removed, added } = differing(piece.removed, piece.text);
    const end = piece.text.length - start - added.length;
    const shares = start + end > 2;
    const [gone, came] = shares ? [removed, added] : [piece.removed, piece.text];
    const same = (text: string, part: string) => text && h("span", story, this.shown(`${id}${part}`, text));
    const out = gone ? h("del", { title, ...(came ? {} : story) }, this.shown(`${id}d`, gone)) : null;
    const put = came ? h("ins", { title, ...story }, this.shown(`${id}i`, came)) : null;
    const marks = out && put ? h("span", { class: "rw" }, out, put) : (out ?? put);
    if (!shares) return marks;
    return [same(piece.text.slice(0, start), "a"), marks, same(piece.text.slice(piece.text.length - end), "z")];
  }

  /** A text as it may be shown: controls written out, the middle of a long stretch behind a button. */
  private shown(id: string, text: string): Child {
    const cut = this.state.whole.has(id) ? null : ends(text, KEEP);
    if (!cut) return harmless(text);
    const more = `\u2026 ${many(cut.out, "character")} more \u2026`;
    return [
      harmless(cut.head),
      h("button", { type: "button", class: "more", "data-more": id, tabindex: -1 }, more),
      harmless(cut.tail),
    ];
  }
}

const range = (from: number, to: number): string => (from === to ? String(from) : `${from}\u2013${to}`);

const source = (draft: Draft): string => sourceOf(draft.origin.kind);

export const chip = (from: string, label: string): HTMLElement =>
  h("span", { class: `chip src-${from}` }, glyph(from), h("span", { class: "lb" }, label));

const tag = (label: string, cls = ""): HTMLElement => h("span", { class: `tag ${cls}` }, label);

function seam(text: string): HTMLElement {
  const sign = text.replaceAll("\n", "\u23ce").trim() || "\u2423";
  return h(
    "li",
    { class: "part seam" },
    h("span", { class: "num", "aria-label": "joined by" }, harmless(sign)),
    h("span", { class: "t" }),
    h("span", { class: "num" }),
  );
}
