// The tree of branches: walked, dragged, searched and edited. What is asked for becomes a message to Python.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { itemLabel, listItems } from "./accessible_list";
import { type CanvasContent, STEP, TreeCanvas } from "./canvas";
import { Footer } from "./footer";
import { Gestures, type Handlers } from "./gestures";
import type { Command, SharedHistory, TreeFacts, TreeHost } from "./host";
import { type KeyActions, keyAction } from "./key_bindings";
import { MessageEditor } from "./message_editor";
import type { Drag } from "./scene";
import { SearchBox } from "./search_box";
import {
  activeLeaf,
  BOX,
  checkDrop,
  endOf,
  isFolded,
  isOpened,
  keyOf,
  TALL,
  type Tree,
  treeOf,
  type Way,
  walked,
} from "./tree_data";
import own from "./widget.css";

const DRAWING = ["texts", "places", "flags"];
const STATE = ["view", "error", "selected", "picked", "shared_history", "query", "hits", "editing", "data", "edits"];
const KEYS: Record<string, string> = { undo: "Ctrl+Z", redo: "Ctrl+Shift+Z" };
const NOTHING = "Nothing to show: pass a session, a history or a trace, BranchTree(session).";
const NO_MESSAGES = "This session has no messages yet.";
/** Nothing smaller is dragged: one would not see what one holds. */
const GRASPED = 0.3;

class BranchTree implements TreeHost, KeyActions, Handlers {
  readonly signal: AbortSignal;
  readonly live: boolean;
  tree: Tree;
  private facts: TreeFacts = { given: false, leaf: null, messages: 0, leaves: 0, chains: 0, undo: null, redo: null };
  private drag: Drag | null = null;
  private lifted: string | null = null;
  /** A refusal of the page's own, until something else is done. */
  private note = "";
  private edits = 0;
  private wantsPanel = false;
  private readonly model: Model;
  private readonly canvas: TreeCanvas;
  private readonly searchBox: SearchBox;
  private readonly editor: MessageEditor;
  private readonly footer = new Footer();
  private readonly gestures: Gestures;
  private readonly empty = h("p", { class: "empty" });
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly prefix = `t${Math.random().toString(36).slice(2)}`;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.live = model.get("live") === true;
    this.tree = this.read();
    this.edits = this.get("edits", 0);
    this.searchBox = new SearchBox(this, (choose) => this.goToHit(choose));
    this.editor = new MessageEditor(this);
    this.canvas = new TreeCanvas(root, this, () => this.shown());
    this.gestures = new Gestures(this.canvas.canvas, this, signal);
    const main = h("div", { class: "main" }, this.canvas.element, this.empty);
    root.append(
      h("div", { class: "w" }, this.head(), h("div", { class: "two" }, main, this.editor.element), this.footer.element),
    );
    this.listen(root);
    this.take(new Set(STATE));
  }

  // --- what parts ask for

  send(what: Command): void {
    this.note = "";
    if (this.live) this.model.send(what);
  }

  focus(): void {
    this.canvas.canvas.focus();
  }

  // --- what Python holds

  private get<T>(name: string, otherwise: T): T {
    return (this.model.get(name) as T | null | undefined) ?? otherwise;
  }

  private read(): Tree {
    return treeOf({
      texts: this.get("texts", ""),
      places: this.get<DataView | null>("places", null),
      flags: this.get<DataView | null>("flags", null),
    });
  }

  private take(changed: Set<string>): void {
    if (DRAWING.some((name) => changed.has(name))) this.replace(this.read());
    const view = this.get("view", "");
    if (view) this.facts = JSON.parse(view) as TreeFacts;
    if (changed.has("selected")) this.bring(this.selected());
    if (changed.has("hits") || changed.has("query")) this.searchBox.take(this.get("query", ""), this.get("hits", []));
    const edits = this.get("edits", 0);
    const key = this.live ? this.get("editing", "") : "";
    const isNew = this.editor.take(key, this.get("data", ""), edits !== this.edits, this.get("error", ""));
    this.edits = edits;
    if (isNew && this.wantsPanel) this.editor.focus();
    if (isNew) this.wantsPanel = false;
    this.draw();
  }

  /** Another drawing of the same tree stands still at what is selected; of another tree it begins anew. */
  private replace(tree: Tree): void {
    const before = this.tree;
    this.tree = tree;
    const anchors = [this.selectedKey(), this.facts.leaf, tree.keys[0]];
    const anchor = anchors.find((key) => key && before.signOf.has(key) && tree.signOf.has(key));
    if (anchor) this.canvas.follow(before, before.signOf.get(anchor)!, tree, tree.signOf.get(anchor)!);
    else this.canvas.camera = null;
  }

  private selectedKey(): string | null {
    const selected = this.get("selected", "");
    return selected.startsWith("node:") ? selected.slice(5) : null;
  }

  /** The sign in focus; null where the selected message is none of this tree. */
  private selected(): number | null {
    const key = this.selectedKey();
    return key === null ? null : (this.tree.signOf.get(key) ?? null);
  }

  /** Where the keys begin. */
  private current(): number {
    return this.selected() ?? activeLeaf(this.tree) ?? 0;
  }

  /** The message that is meant by a sign: in a chain the selected one if it is in there, else the first. */
  private keyAt(sign: number): string {
    return this.selected() === sign ? this.selectedKey()! : keyOf(this.tree, sign);
  }

  private picked(): string[] {
    return this.get<string[]>("picked", []).filter((key) => this.tree.signOf.has(key));
  }

  // --- choosing

  private select(key: string): void {
    this.note = "";
    if (this.selectedKey() !== key) save(this.model, { selected: `node:${key}` });
    if (this.editor.key && this.editor.key !== key) this.send({ command: "open_message", node: key });
  }

  private bring(sign: number | null): void {
    if (sign !== null) this.canvas.bring(sign);
  }

  private switchTo(sign: number): void {
    const key = this.keyAt(sign);
    this.select(key);
    this.send({ command: "switch_to", node: key });
    this.draw();
  }

  private pickAt(sign: number): void {
    const key = this.keyAt(sign);
    const before = this.picked();
    const now = before.includes(key) ? before.filter((each) => each !== key) : [...before.slice(-1), key];
    this.note = "";
    save(this.model, { picked: now });
    this.draw();
  }

  private unfoldAt(sign: number): void {
    if (isFolded(this.tree, sign)) this.send({ command: "unfold", node: this.keyAt(sign) });
    else if (isOpened(this.tree, sign)) this.send({ command: "fold", node: keyOf(this.tree, sign) });
  }

  private goToHit(choose: boolean): void {
    const { hit } = this.searchBox;
    if (hit === null) return;
    if (choose) this.select(hit);
    this.bring(this.tree.signOf.get(hit) ?? null);
    this.draw();
  }

  private hang(key: string, onto: number, one: boolean): void {
    const sign = this.tree.signOf.get(key);
    if (sign === undefined) return;
    const outcome = checkDrop(this.tree, sign, onto, one);
    if (outcome.refused) this.say(outcome.words);
    else this.send({ command: one ? "move" : "graft", node: key, parent: endOf(this.tree, onto) });
  }

  private say(words: string): void {
    this.note = words;
    this.draw();
  }

  // --- mouse

  signAt(x: number, y: number): number | null {
    return this.canvas.signAt(x, y);
  }

  mayDrag(): boolean {
    return this.live && (this.canvas.camera?.scale ?? 0) >= GRASPED;
  }

  clicked(sign: number | null, event: MouseEvent): void {
    if (sign === null) return;
    if (event.shiftKey) this.pickAt(sign);
    else this.switchTo(sign);
  }

  twice(sign: number): void {
    this.unfoldAt(sign);
  }

  panned(dx: number, dy: number): void {
    this.canvas.pan(dx, dy);
  }

  zoomed(factor: number, x: number, y: number): void {
    this.canvas.zoom(factor, x, y);
  }

  hovered(sign: number | null): void {
    this.canvas.canvas.title = sign === null ? "" : itemLabel(this.tree, sign, new Map());
    this.canvas.canvas.classList.toggle("over", sign !== null);
  }

  dragged(sign: number, x: number, y: number, one: boolean): void {
    const under = this.signAt(x, y);
    const onto = under === sign ? null : under;
    const outcome = onto === null ? { words: "", refused: false } : checkDrop(this.tree, sign, onto, one);
    this.drag = { sign, one, x, y, onto, ...outcome };
    this.canvas.request();
  }

  dropped(): void {
    const drag = this.drag;
    this.drag = null;
    if (drag && drag.onto !== null) this.hang(keyOf(this.tree, drag.sign), drag.onto, drag.one);
    this.canvas.request();
  }

  released(): void {
    this.drag = null;
    this.canvas.request();
  }

  // --- keys

  get isHolding(): boolean {
    return this.gestures.isHolding;
  }

  alone(): void {
    this.gestures.alone(true);
  }

  undo(): void {
    this.send({ command: "undo" });
  }

  redo(): void {
    this.send({ command: "redo" });
  }

  find(): void {
    this.searchBox.input.select();
  }

  goToLeaf(): void {
    const leaf = activeLeaf(this.tree);
    if (leaf === null) return;
    this.select(this.facts.leaf ?? keyOf(this.tree, leaf));
    this.canvas.centre(this.tree.x[leaf] + BOX / 2, this.tree.y[leaf] + TALL / 2);
    this.draw();
  }

  zoomIn(): void {
    this.canvas.zoom(STEP);
  }

  zoomOut(): void {
    this.canvas.zoom(1 / STEP);
  }

  unzoom(): void {
    this.canvas.unzoom();
  }

  edit(): void {
    const key = this.keyAt(this.current());
    this.wantsPanel = this.editor.key !== key;
    if (this.wantsPanel) this.send({ command: "open_message", node: key });
    else this.editor.focus();
  }

  walk(way: Way): void {
    const to = walked(this.tree, this.current(), way);
    this.select(this.keyAt(to));
    this.bring(to);
    this.draw();
  }

  enter(): void {
    this.switchTo(this.current());
  }

  pick(): void {
    this.pickAt(this.current());
  }

  unfold(): void {
    this.unfoldAt(this.current());
  }

  cut(): void {
    const sign = this.current();
    const key = keyOf(this.tree, sign);
    if (this.tree.parent[sign] < 0) this.say(`refused: ${harmless(key)} is a root`);
    else {
      this.lifted = this.lifted === key ? null : key;
      this.say("");
    }
  }

  paste(one: boolean): void {
    if (this.lifted === null) {
      this.say("Nothing is cut: X cuts the message in focus");
      return;
    }
    this.hang(this.lifted, this.current(), one);
    if (!this.note) this.lifted = null;
    this.draw();
  }

  /** Of what is going on the first thing ends: a drag, a cut, a sentence, the panel. */
  escape(): void {
    if (this.isHolding) this.gestures.cancel();
    else if (this.lifted !== null || this.note) {
      this.lifted = null;
      this.note = "";
    } else if (this.editor.key) this.send({ command: "close_message" });
    this.draw();
  }

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, [...DRAWING, ...STATE], (changed) => this.take(changed));
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    root.addEventListener("keyup", (event) => event.key === "Alt" && this.gestures.alone(false), { signal });
    const { canvas } = this.canvas;
    canvas.addEventListener("focus", () => canvas.matches(":focus-visible") && this.bring(this.current()), { signal });
    for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => this.canvas.request(), { signal });
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.isComposing || !this.tree.n || target.matches("input, textarea, select")) return;
    const does = keyAction(event, target === this.canvas.canvas, this);
    if (!does) return;
    taken(event);
    does();
  }

  // --- drawing

  /** Everything around the canvas now, the canvas with the next frame. */
  private draw(): void {
    const { tree, facts } = this;
    this.canvas.element.hidden = !tree.n;
    this.empty.hidden = tree.n > 0;
    if (!tree.n) this.empty.replaceChildren(facts.given ? NO_MESSAGES : NOTHING);
    if (this.lifted !== null && !tree.signOf.has(this.lifted)) this.lifted = null;
    const like = this.get<Partial<SharedHistory>>("shared_history", {});
    this.footer.draw({
      tree,
      facts,
      wrong: this.note || this.get("error", ""),
      cut: this.lifted,
      picked: this.picked(),
      likeness: like.ids ? (like as SharedHistory) : null,
    });
    this.enable("undo", facts.undo !== null, facts.undo);
    this.enable("redo", facts.redo !== null, facts.redo);
    for (const name of ["leaf", "edit"]) this.enable(name, tree.n > 0);
    if (tree.n) this.announce();
    this.canvas.request();
  }

  private enable(name: string, on: boolean, what: string | null = null): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
    if (KEYS[name]) button.title = what ? `${harmless(what)} (${KEYS[name]})` : KEYS[name];
  }

  /** The offscreen list follows the focus. */
  private announce(): void {
    const { canvas } = this.canvas;
    const { list, focus } = listItems(this.tree, this.current(), this.tags(), this.prefix);
    const leaf = this.facts.leaf === null ? "" : `, active leaf ${harmless(this.facts.leaf)}`;
    canvas.replaceChildren(...list);
    canvas.setAttribute("aria-activedescendant", focus);
    canvas.setAttribute("aria-label", `Branches, ${this.facts.messages} messages${leaf}`);
  }

  private tags(): Map<number, string> {
    const tags = new Map<number, string>();
    for (const [i, key] of this.picked().entries()) {
      const sign = this.tree.signOf.get(key)!;
      tags.set(sign, tags.has(sign) ? "12" : String(i + 1));
    }
    return tags;
  }

  private shown(): CanvasContent {
    const { tree, searchBox } = this;
    const drag = this.drag;
    const { canvas } = this.canvas;
    const cut = this.lifted === null ? undefined : tree.signOf.get(this.lifted);
    return {
      tree,
      selected: this.selected(),
      focus: (canvas.getRootNode() as Document | ShadowRoot).activeElement === canvas ? this.current() : null,
      picked: this.tags(),
      hits: new Set(searchBox.hits.map((key) => tree.signOf.get(key)).filter((i) => i !== undefined)),
      hit: searchBox.hit === null ? null : (tree.signOf.get(searchBox.hit) ?? null),
      lifted: drag ?? (cut === undefined ? null : { sign: cut, one: false }),
      drag,
    };
  }

  private head(): HTMLElement {
    const button = (name: string, label: string, title: string, does: () => void) => {
      const made = h("button", { type: "button", class: "btn", title }, label);
      const click = () => made.getAttribute("aria-disabled") !== "true" && does();
      made.addEventListener("click", click, { signal: this.signal });
      this.buttons.set(name, made);
      return made;
    };
    const all = [button("leaf", "Active leaf", "A", () => this.goToLeaf())];
    if (this.live) {
      all.push(button("edit", "Edit", "E", () => this.edit()));
      all.push(
        button("undo", "Undo", "", () => this.undo()),
        button("redo", "Redo", "", () => this.redo()),
      );
    }
    const tools = h("div", { class: "tools" }, all);
    return h(
      "div",
      { class: "head" },
      h("h2", {}, "Branches"),
      this.searchBox.element,
      h("span", { class: "sp" }),
      tools,
    );
  }
}

export default widget("Branch tree", own, (at) => {
  new BranchTree(at);
});
