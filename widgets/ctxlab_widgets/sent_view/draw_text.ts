// The rows of the text as elements: a message with the markup around it, the template's own words, what was dropped.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { type RemedyJson, remedyButton } from "../_shared/remedy_button";
import { roleOf } from "./draw_rows";
import { type Dropped, foldedDropped, type Item, type TextJson, textOfRow } from "./model_text";
import { foldAt } from "./part_text";
import type { Message, State } from "./payload";
import { stretchesOf } from "./text_stretches";

const DASH = "\u2013";
const WORDS = 120;

export interface TextState {
  text: TextJson;
  tokens: ReadonlyMap<number, [ends: number[], inside: number[]]>;
  /** Whether tokens are shown. */
  cut: boolean;
  /** Kinds of effects by row. */
  effects: ReadonlyMap<number, string[]>;
}

export class TextPainter {
  constructor(
    private readonly state: State,
    private readonly shown: () => TextState,
    private readonly keep: (key: string) => void,
  ) {}

  item(item: Item): HTMLElement {
    if (item.kind === "row") return this.row(item.row);
    if (item.kind === "gone") return this.ghost(item.gone);
    const tokens = item.gone.reduce((n, { part }) => n + (part?.tokens ?? 0), 0);
    return h(
      "button",
      { type: "button", class: "foldrow gone", "aria-expanded": "false", "data-fold": item.id, tabindex: -1 },
      h("span", { class: "no", "aria-hidden": "true" }),
      h("span", { "aria-hidden": "true" }, "\u203a"),
      h("span", { class: "lb" }, harmless(foldedDropped(item.gone))),
      h("span", { class: "sp" }),
      h("span", { class: "num" }, grouped(tokens)),
    );
  }

  remedy(key: string): Child {
    const { remedies, live } = this.state;
    const known: RemedyJson | undefined = remedies.get(key);
    const button = remedyButton(known, live, () => this.keep(key));
    if (button) button.tabIndex = -1;
    return button;
  }

  private row(number: number): HTMLElement {
    const { text } = this.shown();
    const row = text.rows[number];
    const message = this.state.messages[row[0]] as Message | undefined;
    const label = message ? `message ${row[0] + 1}, ${message.role}, ${nameOf(message)}` : "the template's own text";
    const source = message?.parts.length === 1 ? message.parts[0].source : message ? "" : "overhead";
    return h(
      "article",
      {
        class: `m first text r-${message ? roleOf(message) : "other"}`,
        "aria-label": harmless(label),
        "data-row": number,
        tabindex: -1,
      },
      h("div", { class: "no" }, message ? row[0] + 1 : ""),
      h(
        "div",
        { class: "bd" },
        h("i", { class: source ? `fill src-${source}` : null, "aria-hidden": "true" }),
        h("div", { class: "words" }, this.words(number)),
        h("div", { class: "mg" }, this.margin(number, message)),
      ),
    );
  }

  private words(number: number): HTMLElement {
    const { text, tokens, cut } = this.shown();
    const { state } = this;
    const id = `t:${number}`;
    const words = textOfRow(state.tables, text.rows[number]);
    const hits = state.hits.get(id) ?? [];
    const fold = foldAt(words);
    const isLong = fold !== null && !state.open.has(`w:${id}`) && !hits.some(([, end]) => end > fold.at);
    const marks = {
      hits,
      tokens: cut ? (tokens.get(number) ?? null) : null,
      limit: isLong ? fold.at : Number.POSITIVE_INFINITY,
    };
    const more =
      isLong &&
      h("button", { type: "button", class: "more", "data-whole": `w:${id}`, tabindex: -1 }, `\u2026 ${fold.more}`);
    return h("pre", { class: "tx" }, stretchesOf(state.tables, text.rows[number], marks), more);
  }

  private margin(number: number, message: Message | undefined): Child[] {
    const { tokens, cut, effects } = this.shown();
    const one = message?.parts.length === 1 ? message.parts[0] : null;
    const count = cut ? tokens.get(number)?.[0].length : undefined;
    const name = message ? nameOf(message) : "the template";
    const found = effects.get(number) ?? [];
    return [
      glyph(one ? one.source : message ? message.role : "overhead"),
      h("span", { class: message ? "nm" : "nm muted", title: one && harmless(one.key) }, harmless(name)),
      h("span", { class: "num", title: "tokens that end here" }, count === undefined ? "" : grouped(count)),
      found.length > 0 &&
        h(
          "span",
          { class: "why" },
          found.map((kind) => h("span", { class: "tag lost" }, kind)),
        ),
    ];
  }

  private ghost(gone: Dropped): HTMLElement {
    const { part, message, key } = gone;
    const { tables } = this.state;
    const name = part?.name ?? key;
    const why = `dropped by the template: message ${message + 1}, ${gone.role}`;
    const words = (part?.spans ?? []).map((i) => tables.texts[tables.spans[i][0]]).join("");
    const role = ["system", "user", "assistant", "tool"].includes(gone.role) ? gone.role : "other";
    return h(
      "article",
      { class: `m ghost r-${role}`, "aria-label": harmless(`${why}, ${name}`), "data-gone": key, tabindex: -1 },
      h("div", { class: "no" }, DASH),
      h(
        "div",
        { class: "bd" },
        h("i", { class: "fill src-cut", "aria-hidden": "true" }),
        h(
          "span",
          { class: "gx" },
          glyph(part?.source ?? gone.role),
          h("span", { class: "nm strong", title: harmless(key) }, harmless(name)),
          h("span", { class: "q" }, harmless(words.slice(0, WORDS).replace(/\s+/g, " "))),
        ),
        h("span", { class: "why warn" }, why),
        h("span", { class: "ga" }, h("span", { class: "keep" }, this.remedy(key))),
        h(
          "span",
          { class: "num", title: "tokens of its words, as the run counts them" },
          part ? grouped(part.tokens) : "",
        ),
      ),
    );
  }
}

const nameOf = ({ parts }: Message): string =>
  parts.length === 1 ? parts[0].name : `joined from ${many(parts.length, "message")}`;
