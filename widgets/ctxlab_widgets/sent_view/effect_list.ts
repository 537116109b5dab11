// What the template does to the messages: its refusal, each effect with its sentence, and what mends them as buttons.

import { type Child, h, harmless } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import { type RemedyJson, remedyButton } from "../_shared/remedy_button";
import { type EffectJson, LOSSES, type TextJson, tallied } from "./model_text";

/** Effects that are listed before a button shows the others; a few more are shown at once. */
const FIRST = 5;
const FEW_MORE = 3;
/** Key of the remedy for all losses. */
export const ALL = "template";

export interface EffectHost {
  live: boolean;
  keep(key: string): void;
  /** Brings a row of the text, or the ghost of a message, into sight. */
  show(row: number, key: string): void;
}

export class EffectList {
  readonly element = h("section", { class: "fx", "aria-label": "What the template does", hidden: true });
  private isWhole = false;
  private of: TextJson | null = null;

  constructor(private readonly host: EffectHost) {}

  draw(text: TextJson | null, remedies: ReadonlyMap<string, RemedyJson>): void {
    if (text !== this.of) this.isWhole = false;
    this.of = text;
    this.element.hidden = !text?.effects.length;
    if (!text?.effects.length) return;
    this.element.replaceChildren(
      ...[this.head(text, remedies), this.list(text, remedies), this.refusal(text)].filter((each) => each !== null),
    );
  }

  /** How many of each kind, and what mends all that is lost. */
  private head({ counts }: TextJson, remedies: ReadonlyMap<string, RemedyJson>): HTMLElement {
    const { live, keep } = this.host;
    const known = remedies.get(ALL);
    const typed = remedies.get("typed_parts");
    const isLost = LOSSES.some((kind) => counts[kind]);
    const looking = isLost && !known && live;
    const words = known ? known.text : looking ? "Looking for what mends it\u2026" : "";
    return h(
      "div",
      { class: "bar" },
      h("h3", {}, "What the template does"),
      h("span", { class: "muted" }, tallied(counts)),
      h("span", { class: "sp" }),
      words && h("span", { class: "ink2", role: "status" }, harmless(words)),
      remedyButton(known, live, () => keep(ALL)),
      typed && h("span", { class: "ink2" }, harmless(typed.text)),
    );
  }

  private refusal({ refused }: TextJson): HTMLElement | null {
    if (!refused?.source) return null;
    return h(
      "pre",
      { class: "fields" },
      h("span", { class: "muted" }, `line ${grouped(refused.line ?? 0)}  `),
      harmless(refused.source),
    );
  }

  private list(text: TextJson, remedies: ReadonlyMap<string, RemedyJson>): HTMLElement {
    const { effects, counts } = text;
    const shown = this.isWhole || effects.length <= FIRST + FEW_MORE ? effects : effects.slice(0, FIRST);
    const all = Object.values(counts).reduce((a, b) => a + b, 0);
    const rest = all - effects.length;
    return h(
      "ul",
      {},
      shown.map((each) => this.row(each, remedies)),
      shown.length < effects.length && h("li", {}, this.more(all - shown.length, text, remedies)),
      shown.length === effects.length && rest > 0 && h("li", { class: "muted" }, `and ${grouped(rest)} more`),
    );
  }

  private more(count: number, text: TextJson, remedies: ReadonlyMap<string, RemedyJson>): HTMLElement {
    const button = h("button", { type: "button", class: "btn small quiet" }, `${grouped(count)} more`);
    button.addEventListener("click", () => {
      this.isWhole = true;
      this.draw(text, remedies);
    });
    return button;
  }

  private row([kind, key, sentence, line, row]: EffectJson, remedies: ReadonlyMap<string, RemedyJson>): HTMLElement {
    const { live, keep, show } = this.host;
    const isGhost = kind === "dropped" && remedies.has(key);
    const leads = row >= 0 || isGhost;
    const words = harmless(sentence);
    const told: Child = leads
      ? h("button", { type: "button", class: "lk", title: "Show it in the text" }, words)
      : words;
    if (leads) (told as HTMLElement).addEventListener("click", () => show(row, key));
    const name =
      [`${kind} ${key}`, ...(LOSSES.includes(kind) && key ? [key] : [])].find((each) => remedies.has(each)) ?? "";
    const own = remedies.get(name);
    const isForAll = own?.text === remedies.get(ALL)?.text;
    const place = kind === "refused" ? null : line;
    const button = isForAll ? null : remedyButton(own, live, () => keep(name));
    return h(
      "li",
      {},
      h("span", { class: `tag${LOSSES.includes(kind) ? " lost" : ""}` }, kind),
      h("span", { class: "say" }, told, place !== null && h("span", { class: "muted" }, ` line ${grouped(place)}`)),
      button,
    );
  }
}
