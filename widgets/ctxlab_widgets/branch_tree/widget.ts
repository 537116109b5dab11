// The tree of branches: walked, dragged, searched and edited. What is asked for becomes a message to Python.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { listItems } from "./accessible_list";
import { type CanvasContent, STEP, TreeCanvas } from "./canvas";
import { Footer } from "./footer";
import { Gestures } from "./gestures";
import { type HeadActions, TreeHead } from "./head";
import type { Command, TreeHost } from "./host";
import { type KeyActions, keyAction } from "./key_bindings";
import { MessageEditor } from "./message_editor";
import { type MouseActions, TreeMouse } from "./mouse";
import { SearchBox } from "./search_box";
import { DRAWING, TreeState } from "./state";
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
  type Way,
  walked,
} from "./tree_data";
import own from "./widget.css";

const STATE = ["view", "error", "selected", "picked", "shared_history", "query", "hits", "editing", "data", "edits"];
const NOTHING = "Nothing to show: pass a session, a history or a trace, BranchTree(session).";
const NO_MESSAGES = "This session has no messages yet.";

class BranchTree implements TreeHost, KeyActions, MouseActions, HeadActions {
  readonly signal: AbortSignal;
  readonly live: boolean;
  private readonly state: TreeState;
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
  private readonly head: TreeHead;
  private readonly mouse: TreeMouse;
  private readonly prefix = `t${Math.random().toString(36).slice(2)}`;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.state = new TreeState(model);
    this.live = this.state.live;
    this.edits = this.state.get("edits", 0);
    this.searchBox = new SearchBox(this, (choose) => this.goToHit(choose));
    this.editor = new MessageEditor(this);
    this.canvas = new TreeCanvas(root, this, () => this.shown());
    this.mouse = new TreeMouse(this.canvas, this);
    this.gestures = new Gestures(this.canvas.canvas, this.mouse, signal);
    this.head = new TreeHead(this.searchBox.element, this);
    const main = h("div", { class: "main" }, this.canvas.element, this.empty);
    root.append(
      h(
        "div",
        { class: "w" },
        this.head.element,
        h("div", { class: "two" }, main, this.editor.element),
        this.footer.element,
      ),
    );
    this.listen(root);
    this.take(new Set(STATE));
  }

  // --- what parts ask for

  get tree(): Tree {
    return this.state.tree;
  }

  send(what: Command): void {
    this.note = "";
    if (this.live) this.model.send(what);
  }

  focus(): void {
    this.canvas.canvas.focus();
  }

  // --- what Python holds

  private take(changed: Set<string>): void {
    if (DRAWING.some((name) => changed.has(name))) this.replace(this.state.drawing());
    this.state.takeFacts();
    if (changed.has("selected")) this.bring(this.state.selected);
    if (changed.has("hits") || changed.has("query"))
      this.searchBox.take(this.state.get("query", ""), this.state.get("hits", []));
    const edits = this.state.get("edits", 0);
    const key = this.live ? this.state.get("editing", "") : "";
    const isNew = this.editor.take(key, this.state.get("data", ""), edits !== this.edits, this.state.error);
    this.edits = edits;
    if (isNew && this.wantsPanel) this.editor.focus();
    if (isNew) this.wantsPanel = false;
    this.draw();
  }

  /** Another drawing of the same tree stands still at what is selected; of another tree it begins anew. */
  private replace(tree: Tree): void {
    const before = this.tree;
    this.state.tree = tree;
    const anchors = [this.state.selectedKey, this.state.facts.leaf, tree.keys[0]];
    const anchor = anchors.find((key) => key && before.signOf.has(key) && tree.signOf.has(key));
    if (anchor) this.canvas.follow(before, before.signOf.get(anchor)!, tree, tree.signOf.get(anchor)!);
    else this.canvas.camera = null;
  }

  // --- choosing

  private select(key: string): void {
    this.note = "";
    this.state.select(key);
    if (this.editor.key && this.editor.key !== key) this.send({ command: "open_message", node: key });
  }

  private bring(sign: number | null): void {
    if (sign !== null) this.canvas.bring(sign);
  }

  switchTo(sign: number): void {
    const key = this.state.keyAt(sign);
    this.select(key);
    this.send({ command: "switch_to", node: key });
    this.draw();
  }

  pickAt(sign: number): void {
    this.note = "";
    this.state.pick(this.state.keyAt(sign));
    this.draw();
  }

  unfoldAt(sign: number): void {
    if (isFolded(this.tree, sign)) this.send({ command: "unfold", node: this.state.keyAt(sign) });
    else if (isOpened(this.tree, sign)) this.send({ command: "fold", node: keyOf(this.tree, sign) });
  }

  private goToHit(choose: boolean): void {
    const { hit } = this.searchBox;
    if (hit === null) return;
    if (choose) this.select(hit);
    this.bring(this.tree.signOf.get(hit) ?? null);
    this.draw();
  }

  hang(key: string, onto: number, one: boolean): void {
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
    this.select(this.state.facts.leaf ?? keyOf(this.tree, leaf));
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
    const key = this.state.keyAt(this.state.current);
    this.wantsPanel = this.editor.key !== key;
    if (this.wantsPanel) this.send({ command: "open_message", node: key });
    else this.editor.focus();
  }

  walk(way: Way): void {
    const to = walked(this.tree, this.state.current, way);
    this.select(this.state.keyAt(to));
    this.bring(to);
    this.draw();
  }

  enter(): void {
    this.switchTo(this.state.current);
  }

  pick(): void {
    this.pickAt(this.state.current);
  }

  unfold(): void {
    this.unfoldAt(this.state.current);
  }

  cut(): void {
    const sign = this.state.current;
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
    this.hang(this.lifted, this.state.current, one);
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
    canvas.addEventListener("focus", () => canvas.matches(":focus-visible") && this.bring(this.state.current), {
      signal,
    });
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
    const { tree } = this;
    const { facts } = this.state;
    this.canvas.element.hidden = !tree.n;
    this.empty.hidden = tree.n > 0;
    if (!tree.n) this.empty.replaceChildren(facts.given ? NO_MESSAGES : NOTHING);
    if (this.lifted !== null && !tree.signOf.has(this.lifted)) this.lifted = null;
    this.footer.draw({
      tree,
      facts,
      wrong: this.note || this.state.error,
      cut: this.lifted,
      picked: this.state.picked,
      likeness: this.state.likeness,
    });
    this.head.draw(facts, tree.n > 0);
    if (tree.n) this.announce();
    this.canvas.request();
  }

  /** The offscreen list follows the focus. */
  private announce(): void {
    const { canvas } = this.canvas;
    const { list, focus } = listItems(this.tree, this.state.current, this.state.tags, this.prefix);
    const leaf = this.state.facts.leaf === null ? "" : `, active leaf ${harmless(this.state.facts.leaf)}`;
    canvas.replaceChildren(...list);
    canvas.setAttribute("aria-activedescendant", focus);
    canvas.setAttribute("aria-label", `Branches, ${this.state.facts.messages} messages${leaf}`);
  }

  private shown(): CanvasContent {
    const { tree, searchBox } = this;
    const { drag } = this.mouse;
    const { canvas } = this.canvas;
    const cut = this.lifted === null ? undefined : tree.signOf.get(this.lifted);
    return {
      tree,
      selected: this.state.selected,
      focus: (canvas.getRootNode() as Document | ShadowRoot).activeElement === canvas ? this.state.current : null,
      picked: this.state.tags,
      hits: new Set(searchBox.hits.map((key) => tree.signOf.get(key)).filter((i) => i !== undefined)),
      hit: searchBox.hit === null ? null : (tree.signOf.get(searchBox.hit) ?? null),
      lifted: drag ?? (cut === undefined ? null : { sign: cut, one: false }),
      drag,
    };
  }
}

export default widget("Branch tree", own, (at) => {
  new BranchTree(at);
});
