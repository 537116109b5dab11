// The left column: the definitions, by group. What isn't sent folds when there is much of it.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { type Definition, definitionOf, type MapView } from "./payload";

/** So many that aren't sent are shown as they are. */
const SHORT = 4;

export type Item = { heading: string } | { definition: Definition } | { fold: string; count: number; open: boolean };

/** The rows of the column. `open` are the groups that show everything; `kept` is never folded away. */
export function items(view: MapView, open: ReadonlySet<string>, kept: string): Item[] {
  const out: Item[] = [];
  for (const { name, definitions } of view.groups) {
    out.push({ heading: name });
    const absent = definitions.filter((each) => !each.landings.length);
    const hidden = new Set(absent.length > SHORT && !open.has(name) ? absent.filter((each) => each.key !== kept) : []);
    for (const definition of definitions) if (!hidden.has(definition)) out.push({ definition });
    if (absent.length > SHORT) out.push({ fold: name, count: hidden.size || absent.length, open: !hidden.size });
  }
  return out;
}

export interface DefinitionListHost {
  signal: AbortSignal;
  select(key: string, edit: boolean): void;
  light(key: string | null): void;
  unfolded(): void;
}

export class DefinitionList {
  readonly element = h("div", { class: "defs", role: "group", "aria-label": "Defined here" });
  private readonly open = new Set<string>();
  private stop = "";

  /** `editor` stands right under the definition that is selected. */
  constructor(
    private readonly host: DefinitionListHost,
    private readonly editor: HTMLElement,
  ) {
    const { element } = this;
    const { signal } = host;
    roving(element, () => this.buttons(), { signal, vertical: true });
    element.addEventListener("click", (event) => this.clicked(event), { signal });
    element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    element.addEventListener("focusin", (event) => this.near(event.target, true), { signal });
    element.addEventListener("focusout", () => host.light(null), { signal });
    element.addEventListener("pointerover", (event) => this.near(event.target, false), { signal });
    element.addEventListener("pointerleave", () => host.light(null), { signal });
  }

  /** The element of each definition that is shown, by key. */
  places(): Map<string, HTMLElement> {
    return new Map(this.buttons().map((each) => [each.dataset.key ?? "", each]));
  }

  focus(key: string): void {
    this.places().get(key)?.focus();
  }

  draw(view: MapView, selected: string): void {
    const focused = this.element.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const held = focused?.dataset.key ?? focused?.dataset.fold;
    const chosen = definitionOf(view, selected)?.key ?? "";
    const all = items(view, this.open, chosen);
    const typing = this.editor.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    this.element.replaceChildren(
      ...all.map((item) => {
        if ("heading" in item) return h("h3", {}, item.heading);
        if ("fold" in item) return folded(item);
        return card(item.definition, item.definition.key === chosen);
      }),
    );
    this.placeEditor(chosen);
    typing?.focus({ preventScroll: true });
    const nothing = view.unplaced || (view.groups.length ? "" : NOTHING);
    if (nothing) this.element.prepend(h("p", { class: "none" }, harmless(nothing)));
    const buttons = this.buttons();
    const at = buttons.findIndex((each) => name(each) === (held ?? (chosen || this.stop)));
    onlyStop(buttons, Math.max(0, at));
    if (held && at >= 0) buttons[at].focus({ preventScroll: true });
  }

  /** Another definition is selected; says whether it is in sight. */
  pick(view: MapView, selected: string): boolean {
    const chosen = definitionOf(view, selected)?.key ?? "";
    const buttons = this.buttons();
    if (chosen && !buttons.some((each) => each.dataset.key === chosen)) return false;
    for (const each of buttons.filter((each) => each.dataset.key)) {
      each.classList.toggle("chosen", each.dataset.key === chosen);
      each.setAttribute("aria-pressed", String(each.dataset.key === chosen));
    }
    this.placeEditor(chosen);
    return true;
  }

  private placeEditor(chosen: string): void {
    const card = this.places().get(chosen);
    if (!card) this.editor.remove();
    else if (card.nextSibling !== this.editor) card.after(this.editor);
  }

  private buttons(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("button.d")];
  }

  private clicked(event: Event): void {
    const button = (event.target as HTMLElement).closest<HTMLElement>("button.d");
    if (!button) return;
    const { key, fold } = button.dataset;
    onlyStop(this.buttons(), this.buttons().indexOf(button));
    this.stop = name(button);
    if (key) {
      this.host.select(key, false);
      this.editor.scrollIntoView({ block: "nearest" });
    } else if (fold) this.toggle(fold);
  }

  private toggle(fold: string): void {
    if (!this.open.delete(fold)) this.open.add(fold);
    this.host.unfolded();
  }

  private pressed(event: KeyboardEvent): void {
    const key = (event.target as HTMLElement).dataset.key;
    if (event.key !== "Enter" || !key || event.ctrlKey || event.metaKey || event.altKey) return;
    taken(event);
    this.host.select(key, true);
  }

  private near(target: EventTarget | null, focused: boolean): void {
    const button = (target as HTMLElement | null)?.closest<HTMLElement>("button.d") ?? null;
    if (button && focused) this.stop = name(button);
    this.host.light(button?.dataset.key ?? null);
  }
}

const NOTHING = "Nothing is injected: no preset and no lore goes around the history or into it.";

const name = (button: HTMLElement): string => button.dataset.key ?? button.dataset.fold ?? "";

function card(each: Definition, chosen: boolean): HTMLElement {
  const absent = !each.landings.length;
  const warns = each.outcome === "unknown anchor" || each.outcome === "warned";
  const ask = absent ? (each.outcome === "not fired" ? "not fired" : "not sent") : each.ask;
  const button = h(
    "button",
    {
      type: "button",
      class: `d src-${each.look}${chosen ? " chosen" : ""}${absent ? " absent" : ""}`,
      "data-key": each.key,
      "data-outcome": each.outcome,
      "aria-pressed": String(chosen),
      title: harmless(`${each.name}: ${each.ask} (${each.key})`),
    },
    h(
      "span",
      { class: "line" },
      glyph(each.look),
      h("span", { class: "nm" }, harmless(each.name)),
      h("span", { class: "ask" }, harmless(ask)),
    ),
  );
  for (const file of each.files)
    button.append(h("span", { class: "why file src-attachment" }, glyph("attachment"), h("span", {}, harmless(file))));
  if (each.why) {
    const sign = glyph(warns ? "warning" : "info");
    button.append(
      h("span", { class: `why${warns ? " warns" : ""}` }, sign, h("span", {}, harmless(sentence(each.why)))),
    );
  }
  return button;
}

/** Keys and ids of steps at the front stay as they are. */
const sentence = (words: string): string => {
  const first = /^[a-z]+[ ,]/.test(words) ? words.charAt(0).toUpperCase() + words.slice(1) : words;
  return /[.!?。]$/.test(first) ? first : `${first}.`;
};

function folded(item: { fold: string; count: number; open: boolean }): HTMLElement {
  const noun =
    item.fold === "Lore" ? (item.count === 1 ? "entry" : "entries") : item.count === 1 ? "preset" : "presets";
  const words = item.open ? "Fold what is not sent" : `${grouped(item.count)} more ${noun} not sent`;
  return h(
    "button",
    { type: "button", class: "d more", "data-fold": item.fold, "aria-expanded": String(item.open) },
    h("span", { class: "line" }, glyph("todo"), h("span", { class: "nm" }, words)),
  );
}
