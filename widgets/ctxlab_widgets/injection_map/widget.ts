// The injection map: what is defined at the left, what is sent at the right, wires between, and a row to move one.

import { glyph, h, harmless } from "../_shared/dom";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { DefinitionList, type DefinitionListHost } from "./definition_list";
import { MessageList, type MessageListHost } from "./message_list";
import { definitionOf, definitions, exceptions, isOf, type MapView } from "./payload";
import { PlacementEditor, type PlacementEditorHost } from "./placement_editor";
import own from "./widget.css";
import { Wires } from "./wires";

const EMPTY = "Nothing to show: pass a run, InjectionMap(ctxlab.build(session, agent)), or set its trace.";

class InjectionMap implements DefinitionListHost, PlacementEditorHost {
  readonly signal: AbortSignal;
  readonly live: boolean;
  private readonly model: Model;
  private view: MapView | null = null;
  private selected = "";
  private highlighted: string | null = null;
  private due = 0;

  private readonly facts = h("span", { class: "muted facts" });
  private readonly status = h("span", { class: "status", "aria-live": "polite" });
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
    this.definitionList = new DefinitionList(this);
    const host: MessageListHost = {
      signal: this.signal,
      select: (key) => this.select(key, false),
      near: (row) => this.light(row === null ? null : this.ownerOf(row)),
      unfolded: () => this.unfolded(),
    };
    this.messageList = new MessageList(host);
    this.editor = new PlacementEditor(this);
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
    whenChanged(at, ["view", "selected", "error", "undoable"], (changed) => this.onChange(changed));
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
    this.model.send({ command: "undo" });
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
    if (!this.map.isConnected) {
      const sp = h("span", { class: "sp" });
      const head = h("div", { class: "head" }, h("h2", {}, "Injections"), this.facts, sp, this.status);
      this.frame.replaceChildren(head, this.map, this.editor.element);
    }
    const facts = [view.session, view.leaf && `leaf ${view.leaf}`, `history ${grouped(view.history)}`];
    this.facts.textContent = harmless(facts.filter(Boolean).join(", "));
    const wrong = String(this.model.get("error") ?? "");
    this.status.classList.toggle("wrong", Boolean(wrong));
    this.status.replaceChildren(...(wrong ? [harmless(wrong)] : this.result(view)));
    const row = view.rows.find((each) => isOf(each, this.selected));
    const chosen = definitionOf(view, this.selected);
    this.editor.draw(view, chosen, row, Number(this.model.get("undoable") ?? 0));
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

  private result(view: MapView): (Node | string)[] {
    const found = exceptions(view);
    if (!definitions(view).length) return [];
    if (!found.length) return [h("span", { class: "tag" }, glyph("done"), "all as asked")];
    return found.map(([words, warns]) =>
      h("span", { class: warns ? "tag warns" : "tag" }, glyph(warns ? "warning" : "info"), words),
    );
  }

  private drawColumns(): void {
    const view = this.view;
    if (!view) return;
    this.definitionList.draw(view, this.selected);
    this.messageList.draw(view, this.selected, this.landed(view));
    this.wire();
    this.mark();
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
    const watch = new ResizeObserver(() => {
      cancelAnimationFrame(this.due);
      this.due = requestAnimationFrame(() => this.wire());
    });
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
