// The next request as a bar of its sources, the draft last; what falls hangs outside the window's end.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { barLayout } from "./bar_layout";
import type { Draft, Got } from "./payload";

const MOST_NAMED = 3;

export class BudgetBar {
  readonly element = h("div", { class: "live", hidden: true });
  private readonly bar = h("div", { class: "bx" });
  private readonly words = h("div", { class: "lw" });

  constructor() {
    this.element.append(this.bar, this.words);
  }

  set(draft: Draft | null): void {
    this.element.hidden = !draft || (!draft.totals.length && !draft.error);
    if (!draft) return;
    this.bar.hidden = !draft.totals.length;
    this.bar.replaceChildren(...sourceBar(draft, draft.cutTokens));
    this.words.replaceChildren(...figures(draft));
  }

  /** The figures are of a text that was typed on since. */
  old(isOld: boolean): void {
    this.element.classList.toggle("old", isOld);
  }
}

/** The bar itself and the mark at the window's end. */
export function sourceBar(
  of: Pick<Got, "totals" | "tokens"> & { budget?: number | null },
  cutTokens = 0,
): HTMLElement[] {
  const { pieces, end } = barLayout({ totals: of.totals, budget: of.budget ?? null, cutTokens });
  const says = pieces.map(({ label, tokens }) => `${harmless(label)} ${grouped(tokens)}`).join(", ");
  const bar = h("div", { class: "sm", role: "img", "aria-label": `Tokens by source: ${says}` });
  for (const { source, label, tokens, share } of pieces) {
    const piece = h("i", { class: fillOf(source), title: `${harmless(label)}, ${many(tokens, "token")}` });
    piece.style.width = `${share * 100}%`;
    bar.append(piece);
  }
  if (end === null) return [bar];
  const mark = h("i", { class: "end", title: "The budget ends here" });
  mark.style.left = `${end * 100}%`;
  return [bar, mark];
}

/** Class names of a source's fill; of the draft, which isn't a source, its frame. */
export const fillOf = (source: string): string => (source === "draft" ? "draft" : `fill src-${source}`);

function figures(draft: Draft): HTMLElement[] {
  if (draft.error) return [h("span", { class: "cause" }, glyph("warning"), harmless(draft.error))];
  const { tokens, budget, cut, cutTokens, fires } = draft;
  const own = draft.totals.find(([source]) => source === "draft")?.[2] ?? 0;
  const size = budget === null ? many(tokens, "token") : `${grouped(tokens)} of ${grouped(budget)}`;
  const found = [
    h("span", {}, h("b", {}, size), h("span", { class: "muted" }, own ? ` with the draft, ${grouped(own)}` : "")),
  ];
  if (cutTokens > 0) {
    const keys = cut.slice(0, MOST_NAMED).map(({ key }) => harmless(key));
    const more = cut.length - keys.length;
    const names = keys.join(", ") + (more > 0 ? ` and ${grouped(more)} more` : "");
    found.push(
      h("span", { class: "cause" }, glyph("cut"), h("b", {}, `will cut ${names}`), `\u2212${grouped(cutTokens)}`),
    );
  }
  for (const entry of fires.slice(0, MOST_NAMED)) {
    const fires = entry.chance ? "may fire" : "fires";
    const words = [glyph("lore"), h("b", {}, `lore: ${harmless(entry.name)} ${fires}`), `+${grouped(entry.tokens)}`];
    if (entry.chance) words.push(h("span", { class: "muted" }, harmless(entry.chance)));
    found.push(h("span", { class: "fire src-lore", title: harmless(entry.cause) }, words));
  }
  if (fires.length > MOST_NAMED)
    found.push(
      h("span", { class: "muted" }, `${many(fires.length - MOST_NAMED, "more entry")}`.replace("entrys", "entries")),
    );
  for (const { note } of draft.marks.filter(({ kind }) => kind === "unknown-macro").slice(0, MOST_NAMED))
    found.push(h("span", { class: "cause" }, glyph("warning"), harmless(note)));
  return found;
}
