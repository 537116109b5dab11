// The facts of one token, in a card beside the text.

import { type Child, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { visible } from "./line_breaks";
import { other, type Side, type State, type TokenPlace } from "./state";
import { stretchOf, type Tokens, tokensIn } from "./tokens";

const MOST = 120; // characters of a token that are written out
const MOST_TOKENS = 8;

export class TokenCard {
  readonly element = h("aside", { class: "side", "aria-label": "Token" });
  private readonly token = h("section", { class: "card" });
  private readonly agreement = h("section");

  constructor(private readonly state: State) {
    this.element.append(this.token, this.agreement, h("section", {}, legend()));
  }

  draw(): void {
    this.drawToken();
    const { view, names } = this.state;
    const { first, second, both } = view.boundaries;
    const all = first + second - both;
    const rate = all ? `${((100 * both) / all).toFixed(1)} % in both` : "none between characters";
    const told = view.estimate && h("p", { class: "muted" }, `Counted in this run by an ${view.estimate}`);
    this.agreement.replaceChildren(
      h("h3", {}, "Boundaries", h("span", { class: "sp" }), h("span", { class: "plainly muted" }, rate)),
      h("table", {}, h("tbody", {}, row(names[0], first), row(names[1], second), row("in both", both))),
      ...(told ? [told] : []),
    );
  }

  drawToken(): void {
    const { state } = this;
    const place = state.over ?? state.at;
    const { side, token } = place;
    const tokens = state.sides[side];
    if (!tokens.count) {
      this.token.replaceChildren(h("p", { class: "muted" }, "The text is empty: no tokens."));
      return;
    }
    const [start, end] = stretchOf(state.text, tokens, token);
    const from = this.characters(0, start);
    const count = this.characters(start, end);
    this.token.replaceChildren(
      h(
        "h3",
        {},
        `Token ${grouped(token + 1)}`,
        h("span", { class: "plainly muted" }, `of ${grouped(tokens.count)}`),
        h("span", { class: "sp" }),
        h("span", { class: "plainly muted" }, harmless(state.names[side])),
      ),
      h("p", { class: "words" }, this.words(side, token)),
      h(
        "dl",
        {},
        fact("id", String(tokens.ids[token])),
        fact("characters", `${grouped(count)}, at ${grouped(from)}\u2013${grouped(from + count)}`),
        fact("begins", edge(tokens, token)),
        fact("ends", edge(tokens, token + 1)),
      ),
      ...this.elsewhere(place, start, end),
    );
  }

  /** The same stretch by the other tokenizer. */
  private elsewhere(place: TokenPlace, start: number, end: number): HTMLElement[] {
    const { sides, names } = this.state;
    const side = other(place.side);
    const [first, last] = tokensIn(sides[side], start, end);
    const count = last - first + 1;
    const shown = Array.from({ length: Math.min(count, MOST_TOKENS) }, (_, i) =>
      h("li", {}, this.words(side, first + i)),
    );
    const more = count > MOST_TOKENS && h("li", { class: "muted" }, `${grouped(count - MOST_TOKENS)} more`);
    return [
      h("p", { class: "muted" }, `${harmless(names[side])} has ${many(count, "token")} here`),
      h("ol", {}, shown, more),
    ];
  }

  /** Code points of a stretch: what Python counts. */
  private characters(start: number, end: number): number {
    const { text, view } = this.state;
    if (view.characters === text.length) return end - start;
    let count = 0;
    for (let at = start; at < end; at++) if ((text.charCodeAt(at) & 0xfc00) !== 0xdc00) count++;
    return count;
  }

  /** What a token says; of one that begins or ends inside a character, that it is a part of it. */
  private words(side: Side, token: number): Child[] {
    const { text, sides } = this.state;
    const { inside } = sides[side];
    const part = inside[token] || (token > 0 && inside[token - 1]);
    return [
      part ? h("span", { class: "muted" }, "part of ") : null,
      quoted(text.slice(...stretchOf(text, sides[side], token))),
    ];
  }
}

const fact = (term: string, value: string): Child => [h("dt", {}, term), h("dd", {}, value)];

const row = (name: string, count: number): HTMLElement =>
  h("tr", {}, h("th", { scope: "row" }, harmless(name)), h("td", { class: "num" }, grouped(count)));

/** What is where a token begins, or where the one before it ends. */
function edge(tokens: Tokens, at: number): string {
  if (at === 0 || at === tokens.count) return "with the text";
  if (tokens.inside[at - 1]) return "inside a character";
  return tokens.joint[at] ? "where both cut" : "only here";
}

/** A text between quotes, with all that can't be seen written out. */
function quoted(text: string): HTMLElement {
  const written = (part: string) => visible(part.replaceAll("\n", "\\n").replaceAll("\t", "\\t"));
  if (text.length <= MOST) return h("code", {}, `\u201c${written(text)}\u201d`);
  const half = MOST / 2;
  return h("code", {}, `\u201c${written(text.slice(0, half))} \u2026 ${written(text.slice(-half))}\u201d`);
}

function legend(): HTMLElement {
  const sample = (kind: string, letter: string, words: string) =>
    h("li", {}, h("span", { class: kind, "aria-hidden": "true" }, letter), words);
  return h(
    "ul",
    { class: "legend" },
    sample("t t0", "a", "begins where both cut"),
    sample("t t1 own", "a", "begins only here"),
    sample("t shared", "\u706f", "one character of several tokens"),
  );
}
