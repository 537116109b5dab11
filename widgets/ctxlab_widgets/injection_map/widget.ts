// The injection map: what is defined at the left, what is sent at the right, wires between, and a row to move one.

import { h, harmless } from "../_shared/dom";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { many } from "../_shared/numbers";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { DefinitionList, type DefinitionListHost } from "./definition_list";
import { MessageList, type MessageListHost } from "./message_list";
import { definitionOf, definitions, isOf, type MapView, type MessageRow } from "./payload";
import { PlacementDrag } from "./placement_drag";
import { fates, jumps, PlacementEditor, type PlacementEditorHost } from "./placement_editor";
import own from "./widget.css";
import { Wires } from "./wires";

const EMPTY = "Nothing to show: pass a run, InjectionMap(ctxlab.build(session, agent)), or set its trace.";

const KEYS: KeyList = [
  ["↑ ↓", "the definition or the message above, below; in a number one more, one less"],
  ["Home End", "the first, the last of them"],
  ["Enter", "edit the place of a definition; in a field apply it"],
  ["Esc", "give back what stood in the fields; let go of what is dragged; close this list"],
  ["Tab", "from the definitions to the messages"],
  ["Ctrl+Z", "take the last move back"],
  ["Ctrl+Shift+Z", "make it again, in a page of views"],
  ["?", "this list"],
];

class InjectionMap implements DefinitionListHost, PlacementEditorHost {
  readonly signal: AbortSignal;
  readonly live: boolean;
  private readonly model: Model;
  private view: MapView | null = null;
  private selected = "";
  private highlighted: string | null = null;
  private due = 0;

  private readonly undoButton = h("button", { type: "button", class: "btn", hidden: true }, "Undo");
  private readonly facts = h("p", { class: "chosen-row", hidden: true });
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;
  private readonly definitionList: DefinitionList;
  private readonly messageList: MessageList;
  private readonly editor: PlacementEditor;
  private readonly wires = new Wires();
  private readonly frame = h("div", { class: "w" });
  private readonly map: HTMLElement;

  constructor(at: Mounted) {
    this.model = at.model;
    this.signal = at.signal;
    this.live = at.model.get("live") === true;
    this.editor = new PlacementEditor(this);
    this.definitionList = new DefinitionList(this, this.editor.element);
    const host: MessageListHost = {
      signal: this.signal,
      select: (key) => this.select(key, false),
      near: (row) => this.light(row === null ? null : this.ownerOf(row)),
      unfolded: () => this.unfolded(),
    };
    this.messageList = new MessageList(host);
    new PlacementDrag(this.messageList, {
      signal: this.signal,
      live: this.live,
      view: () => this.view,
      place: (key, change) => this.place(key, change),
    });
    this.head = new ViewHead("Injections", [h("span", { class: "sp" }), this.undoButton], KEYS, at);
    this.banner = new EffectBanner(this.live ? () => this.undo() : null, this.signal);
    this.undoButton.addEventListener("click", () => this.undo(), { signal: this.signal });
    roving(this.head.element, () => this.links(), { signal: this.signal });
    at.root.addEventListener("keydown", (event) => this.pressed(event), { signal: this.signal });
    this.map = h(
      "div",
      { class: "map" },
      this.wires.element,
      this.definitionList.element,
      h("div"),
      this.messageList.element,
    );
    at.root.append(this.frame);
    this.follow();
    whenChanged(at, ["view", "selected", "error", "undoable", "effect", "views"], (changed) => this.onChange(changed));
    this.onChange(new Set(["view"]));
  }

  // --- what parts ask for

  select(key: string, edit: boolean): void {
    this.selected = key;
    save(this.model, { selected: key });
    this.draw(false);
    if (edit && !this.editor.focus()) this.definitionList.focus(key);
  }

  light(key: string | null): void {
    if (key === this.highlighted) return;
    this.highlighted = key;
    this.mark();
  }

  unfolded(): void {
    this.drawColumns();
  }

  place(key: string, change: Record<string, string | number>): void {
    this.model.send({ command: "place", key, ...change });
  }

  undo(): void {
    this.model.send({ command: this.views().length ? "page_undo" : "undo" });
  }

  open(view: string, key: string): void {
    this.model.send({ command: "open_view", view, key });
  }

  views(): string[] {
    return (this.model.get("views") as string[] | undefined) ?? [];
  }

  private pressed(event: KeyboardEvent): void {
    const isUndo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z" && !event.altKey;
    if (!isUndo || !this.live || (event.target as HTMLElement).matches("input")) return;
    taken(event);
    if (!event.shiftKey) this.undo();
    else if (this.views().length) this.model.send({ command: "page_redo" });
  }

  leave(): void {
    const key = this.view && definitionOf(this.view, this.selected)?.key;
    if (key) this.definitionList.focus(key);
  }

  // --- what Python says

  private onChange(changed: Set<string>): void {
    const selected = String(this.model.get("selected") ?? "");
    if (changed.size === 1 && changed.has("selected") && selected === this.selected) return;
    this.selected = selected;
    if (changed.has("view")) {
      const text = String(this.model.get("view") ?? "");
      this.view = text ? (JSON.parse(text) as MapView) : null;
      this.messageList.forget();
    }
    if (this.view) this.draw(changed.has("view"));
    else this.frame.replaceChildren(h("p", { class: "empty" }, EMPTY));
  }

  // --- drawing

  private draw(anew: boolean): void {
    const view = this.view;
    if (!view) return;
    if (!this.map.isConnected) this.frame.replaceChildren(this.head.element, this.banner.element, this.map, this.facts);
    this.drawHead(view);
    const row = view.rows.find((each) => isOf(each, this.selected));
    const chosen = definitionOf(view, this.selected);
    this.editor.draw(view, chosen, row);
    this.drawFacts(chosen ? undefined : row);
    if (anew || !this.picked(view)) this.drawColumns();
  }

  /** Whether everything that is selected is in sight, so that marking it is enough. */
  private picked(view: MapView): boolean {
    return (
      this.definitionList.pick(view, this.selected) && this.messageList.pick(view, this.selected, this.landed(view))
    );
  }

  private landed(view: MapView): Set<number> {
    return new Set(definitionOf(view, this.selected)?.landings ?? []);
  }

  private drawHead(view: MapView): void {
    const wrong = String(this.model.get("error") ?? "");
    this.head.answer(
      wrong ? harmless(wrong) : view.answer.map(([words, key]) => this.part(words, key)),
      Boolean(wrong),
    );
    onlyStop(this.links(), 0);
    this.banner.draw((this.model.get("effect") as Partial<Effect> | undefined) ?? {});
    this.undoButton.hidden = !this.live || this.views().length > 0 || !this.model.get("undoable");
  }

  /** The definitions that the sentence names: one tab stop. */
  private links(): HTMLElement[] {
    return [...this.head.element.querySelectorAll<HTMLElement>(".answer button")];
  }

  private part(words: string, key: string): Node | string {
    if (!key) return harmless(words);
    const button = h("button", { type: "button", class: "lk" }, harmless(words));
    button.addEventListener("click", () => {
      this.select(key, false);
      this.editor.element.scrollIntoView({ block: "nearest" });
    });
    return button;
  }

  /** A message that no definition put there says where it is, below the map and in sight. */
  private drawFacts(row: MessageRow | undefined): void {
    this.facts.hidden = !row;
    if (!row) return;
    const name = h("b", { title: harmless(row.key) }, harmless(row.id || `“${row.text.slice(0, 40)}”`));
    const place = `, ${row.role}, ${many(row.below, "message")} of the history below it.`;
    this.facts.replaceChildren(name, place, ...fates(row).map((words) => ` ${words}`), " ", ...jumps(row.key, this));
  }

  private drawColumns(): void {
    const view = this.view;
    if (!view) return;
    this.definitionList.draw(view, this.selected);
    this.messageList.draw(view, this.selected, this.landed(view));
    this.wire();
    this.mark();
    this.wireSoon(); // the rows move when an editor opens among them
  }

  private wireSoon(): void {
    cancelAnimationFrame(this.due);
    this.due = requestAnimationFrame(() => this.wire());
  }

  private wire(): void {
    const view = this.view;
    if (!view) return;
    const places = this.definitionList.places();
    const there = (each: HTMLElement | undefined) => each !== undefined;
    this.wires.draw(
      definitions(view).flatMap((definition) => {
        const from = places.get(definition.key);
        if (!from || !definition.landings.length) return [];
        const landings = [...new Set(definition.landings.map((at) => this.messageList.place(at)).filter(there))];
        const ghosts = definition.missing.map((depth) => this.messageList.ghost(depth)).filter(there);
        return [{ definition, from, landings, ghosts }];
      }),
    );
  }

  private mark(): void {
    const view = this.view;
    if (!view) return;
    const definition = this.highlighted === null ? undefined : definitionOf(view, this.highlighted);
    this.wires.light(definition?.landings.length ? definition.key : null);
    for (const each of this.map.querySelectorAll(".bx.lit, .d.lit")) each.classList.remove("lit");
    if (!definition) return;
    this.definitionList.places().get(definition.key)?.classList.add("lit");
    for (const at of definition.landings) this.messageList.row(at)?.classList.add("lit");
  }

  private ownerOf(row: number): string | null {
    return (this.view && definitions(this.view).find((each) => each.landings.includes(row))?.key) ?? null;
  }

  /** The lines go where the rows go: in another width, another font, another fold. */
  private follow(): void {
    const watch = new ResizeObserver(() => this.wireSoon());
    for (const each of [this.map, this.definitionList.element, this.messageList.element]) watch.observe(each);
    this.signal.addEventListener("abort", () => {
      watch.disconnect();
      cancelAnimationFrame(this.due);
    });
  }
}

export default widget("Injection map", own, (at) => {
  new InjectionMap(at);
});
