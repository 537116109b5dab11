// The row under the definition that is selected: the fields that change its place, and the ways to other views.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { change, type Definition, type MapView, type MessageRow, type PlaceFields } from "./payload";

export interface PlacementEditorHost {
  signal: AbortSignal;
  live: boolean;
  place(key: string, change: Record<string, string | number>): void;
  open(view: string, key: string): void;
  /** Views beside this one that can be opened from here. */
  views(): string[];
  /** Gives the focus back to where it came from. */
  leave(): void;
}

type Field = HTMLInputElement | HTMLSelectElement;

export class PlacementEditor {
  readonly element = h("div", { class: "foot", role: "group", "aria-label": "Place" });
  private readonly fields = h("form", { class: "fields" });
  private readonly facts = h("p", { class: "facts" });
  private readonly apply = h("button", { type: "button", class: "btn" }, "Apply");
  private readonly jumps = h("span", { class: "jumps" });
  private readonly by = new Map<string, Field>();
  private definition: Definition | undefined;

  constructor(private readonly host: PlacementEditorHost) {
    const { signal } = host;
    this.element.append(this.fields, this.apply, this.jumps, this.facts);
    this.fields.addEventListener("submit", (event) => event.preventDefault(), { signal });
    this.fields.addEventListener("input", (event) => this.typed(event.target as Field), { signal });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.apply.addEventListener("click", () => this.send(), { signal });
  }

  /** Goes into the first field that can be changed; says whether there is one. */
  focus(): boolean {
    const first = [...this.by.values()].find((field) => !field.disabled);
    first?.focus();
    if (first instanceof HTMLInputElement) first.select();
    return Boolean(first);
  }

  /** What is selected. What was typed stays until the place is another one. */
  draw(view: MapView, chosen: Definition | undefined, row: MessageRow | undefined): void {
    const same = chosen !== undefined && this.definition?.key === chosen.key && this.alike(chosen);
    const moved = !same || JSON.stringify(chosen.place) !== JSON.stringify(this.definition?.place);
    this.definition = chosen;
    this.apply.hidden = !this.host.live || !chosen?.place;
    if (!same) this.build(view, chosen);
    this.jumps.replaceChildren(...(chosen ? jumps(chosen.key, this.host) : []));
    if (moved) this.restore();
    this.facts.textContent = row ? fates(row).join(" ") : "";
    this.facts.hidden = !this.facts.textContent;
    this.changed();
  }

  private alike(now: Definition): boolean {
    const options = this.by.get("anchor") as HTMLSelectElement | undefined;
    const anchor = now.place?.anchor;
    return (
      this.by.size > 0 === Boolean(now.place) &&
      (!options || !anchor || [...options.options].some((o) => o.value === anchor))
    );
  }

  private build(view: MapView, chosen: Definition | undefined): void {
    this.by.clear();
    if (!chosen?.place || !this.host.live) {
      this.fields.replaceChildren(h("span", { class: "ink2" }, harmless(chosen?.fixed || chosen?.ask || "")));
      return;
    }
    this.fields.replaceChildren(
      ...(chosen.place.kind === "lore" ? this.ofLore(view) : this.ofPreset(view, chosen.place)),
    );
  }

  private ofPreset(view: MapView, place: PlaceFields): HTMLElement[] {
    const known = [...view.anchors];
    const anchor = place.anchor ?? "";
    if (anchor && !view.anchors.some(([id]) => id === anchor)) known.push([anchor, `${anchor} (unknown)`]);
    return [
      this.input("depth", "depth", "decimal"),
      this.input("order", "order", "numeric"),
      this.select("anchor", "or anchor", [["", "none"], ...known]),
      this.select("position", "position", [
        ["before", "before"],
        ["after", "after"],
      ]),
    ];
  }

  private ofLore(view: MapView): HTMLElement[] {
    return [
      this.select("position", "position", view.positions),
      this.input("depth", "depth", "numeric"),
      this.input("order", "order", "numeric"),
    ];
  }

  private input(name: string, words: string, mode: string): HTMLElement {
    const field = h("input", {
      type: "text",
      name,
      "aria-label": words,
      inputmode: mode,
      autocomplete: "off",
      spellcheck: "false",
      class: "field",
    });
    this.by.set(name, field);
    return h("label", {}, words, field);
  }

  private select(name: string, words: string, options: [string, string][]): HTMLElement {
    const field = h(
      "select",
      { name, "aria-label": words },
      options.map(([value, shown]) => h("option", { value }, harmless(shown))),
    );
    this.by.set(name, field);
    return h("label", {}, words, field);
  }

  private restore(): void {
    const place = this.definition?.place;
    if (!place) return;
    for (const [name, field] of this.by) field.value = place[name as "depth"] ?? "";
  }

  private values(): PlaceFields {
    const value = (name: string) => this.by.get(name)?.value ?? "";
    const { kind } = this.definition!.place!;
    return { kind, depth: value("depth"), order: value("order"), anchor: value("anchor"), position: value("position") };
  }

  /** A preset has a depth or an anchor, never both: the one that is given takes the other away. */
  private typed(field: Field): void {
    if (this.definition?.place?.kind === "preset") {
      if (field.name === "depth" && field.value.trim()) this.by.get("anchor")!.value = "";
      if (field.name === "anchor" && field.value) this.by.get("depth")!.value = "";
      const order = this.by.get("order")!;
      if (field.value.trim() && !order.value) order.value = "100";
    }
    this.changed();
  }

  private changed(): void {
    const change = this.changes();
    this.apply.setAttribute("aria-disabled", String(change === null));
    if (!this.definition?.place || !this.by.size) return;
    const { kind, depth, anchor, position } = this.values();
    const disable = (name: string, off: boolean) => {
      this.by.get(name)!.disabled = off;
    };
    if (kind === "lore") disable("depth", position !== "at_depth");
    else {
      disable("position", !anchor);
      disable("order", !anchor && !depth.trim());
    }
  }

  private changes(): Record<string, string | number> | null {
    const place = this.definition?.place;
    return place && this.by.size ? change(place, this.values()) : null;
  }

  private send(): void {
    const changes = this.changes();
    if (changes && this.definition) this.host.place(this.definition.key, changes);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const field = event.target as HTMLElement;
    const does: Record<string, () => void> = {
      Escape: () => {
        this.restore();
        this.changed();
        this.host.leave();
      },
    };
    if (field.matches("input, select")) does.Enter = () => this.send();
    if (field instanceof HTMLInputElement) {
      does.ArrowUp = () => this.step(field, 1);
      does.ArrowDown = () => this.step(field, -1);
    }
    if (!does[event.key]) return;
    taken(event);
    does[event.key]();
  }

  /** One more or one less, where a whole number stands in the field. */
  private step(field: HTMLInputElement, by: number): void {
    const text = field.value.trim();
    if (text !== "" && !/^-?\d+$/.test(text)) return;
    const least = field.name === "depth" ? 0 : Number.NEGATIVE_INFINITY;
    field.value = String(Math.max(least, Number(text) + by));
    this.typed(field);
  }
}

/** What else becomes of a message, each in a sentence. */
export const fates = (row: MessageRow): string[] =>
  [
    row.cut && "A later step takes it out.",
    row.joined && `Sent as one message with its neighbours: ${row.joined} joins them.`,
  ].filter((words): words is string => Boolean(words));

const JUMPS: [view: string, words: string, isFor: (key: string) => boolean][] = [
  ["lore", "Open in Lore", (key) => key.startsWith("lore:")],
  ["steps", "Open in Steps", () => true],
];

/** The ways to the other views of a page; none where the map stands alone. */
export function jumps(key: string, host: Pick<PlacementEditorHost, "live" | "views" | "open">): HTMLElement[] {
  const there = host.live ? host.views() : [];
  return JUMPS.filter(([view, , isFor]) => there.includes(view) && isFor(key)).map(([view, words]) => {
    const button = h("button", { type: "button", class: "lk" }, words);
    button.addEventListener("click", () => host.open(view, key));
    return button;
  });
}
