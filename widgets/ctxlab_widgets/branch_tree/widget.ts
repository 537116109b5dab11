// The tree of branches: walked, dragged, searched and edited. What is asked for becomes a message to Python.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import type { Ask, Door, Facts, Likeness } from "./door";
import { Finder } from "./finder";
import { Foot } from "./foot";
import { Gestures, type Handlers } from "./gestures";
import { type Doings, doing } from "./keys";
import { Panel } from "./panel";
import { items, told } from "./readers";
import type { Drag } from "./scene";
import { type Shown, STEP, Stage } from "./stage";
import {
  activeLeaf,
  BOX,
  endOf,
  hanging,
  isFolded,
  isOpened,
  keyOf,
  TALL,
  type Tree,
  treeOf,
  type Way,
  walked,
} from "./tree";
import own from "./widget.css";

const DRAWING = ["texts", "places", "flags"];
const STATE = ["view", "error", "selected", "picked", "likeness", "query", "hits", "editing", "data", "edits"];
const KEYS: Record<string, string> = { undo: "Ctrl+Z", redo: "Ctrl+Shift+Z" };
const NOTHING = "Nothing to show: pass a session, a history or a trace, BranchTree(session).";
const NO_MESSAGES = "This session has no messages yet.";
/** Nothing smaller is dragged: one would not see what one holds. */
const GRASPED = 0.3;

class BranchTree implements Door, Doings, Handlers {
  readonly signal: AbortSignal;
  readonly live: boolean;
  tree: Tree;
  private facts: Facts = { given: false, leaf: null, messages: 0, leaves: 0, chains: 0, undo: null, redo: null };
  private drag: Drag | null = null;
  private lifted: string | null = null;
  /** A refusal of the page's own, until something else is done. */
  private note = "";
  private edits = 0;
  private wantsPanel = false;
  private readonly model: Model;
  private readonly stage: Stage;
  private readonly finder: Finder;
  private readonly panel: Panel;
  private readonly foot = new Foot();
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
    this.finder = new Finder(this, (choose) => this.goToHit(choose));
    this.panel = new Panel(this);
    this.stage = new Stage(root, this, () => this.shown());
    this.gestures = new Gestures(this.stage.canvas, this, signal);
    const main = h("div", { class: "main" }, this.stage.element, this.empty);
    root.append(
      h("div", { class: "w" }, this.head(), h("div", { class: "two" }, main, this.panel.element), this.foot.element),
    );
    this.listen(root);
    this.take(new Set(STATE));
  }

  // --- what parts ask for

  ask(what: Ask): void {
    this.note = "";
    if (this.live) this.model.send(what);
  }

  focus(): void {
    this.stage.canvas.focus();
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
    if (view) this.facts = JSON.parse(view) as Facts;
    if (changed.has("selected")) this.bring(this.selected());
    if (changed.has("hits") || changed.has("query")) this.finder.take(this.get("query", ""), this.get("hits", []));
    const edits = this.get("edits", 0);
    const key = this.live ? this.get("editing", "") : "";
    const isNew = this.panel.take(key, this.get("data", ""), edits !== this.edits, this.get("error", ""));
    this.edits = edits;
    if (isNew && this.wantsPanel) this.panel.focus();
    if (isNew) this.wantsPanel = false;
    this.draw();
  }

  /** Another drawing of the same tree stands still at what is selected; of another tree it begins anew. */
  private replace(tree: Tree): void {
    const before = this.tree;
    this.tree = tree;
    const anchors = [this.selectedKey(), this.facts.leaf, tree.keys[0]];
    const anchor = anchors.find((key) => key && before.signOf.has(key) && tree.signOf.has(key));
    if (anchor) this.stage.follow(before, before.signOf.get(anchor)!, tree, tree.signOf.get(anchor)!);
    else this.stage.camera = null;
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
    if (this.panel.key && this.panel.key !== key) this.ask({ command: "open_message", node: key });
  }

  private bring(sign: number | null): void {
    if (sign !== null) this.stage.bring(sign);
  }

  private switchTo(sign: number): void {
    const key = this.keyAt(sign);
    this.select(key);
    this.ask({ command: "switch_to", node: key });
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
    if (isFolded(this.tree, sign)) this.ask({ command: "unfold", node: this.keyAt(sign) });
    else if (isOpened(this.tree, sign)) this.ask({ command: "fold", node: keyOf(this.tree, sign) });
  }

  private goToHit(choose: boolean): void {
    const { hit } = this.finder;
    if (hit === null) return;
    if (choose) this.select(hit);
    this.bring(this.tree.signOf.get(hit) ?? null);
    this.draw();
  }

  private hang(key: string, onto: number, one: boolean): void {
    const sign = this.tree.signOf.get(key);
    if (sign === undefined) return;
    const outcome = hanging(this.tree, sign, onto, one);
    if (outcome.refused) this.say(outcome.words);
    else this.ask({ command: one ? "move" : "graft", node: key, parent: endOf(this.tree, onto) });
  }

  private say(words: string): void {
    this.note = words;
    this.draw();
  }

  // --- mouse

  signAt(x: number, y: number): number | null {
    return this.stage.signAt(x, y);
  }

  mayDrag(): boolean {
    return this.live && (this.stage.camera?.scale ?? 0) >= GRASPED;
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
    this.stage.pan(dx, dy);
  }

  zoomed(factor: number, x: number, y: number): void {
    this.stage.zoom(factor, x, y);
  }

  hovered(sign: number | null): void {
    this.stage.canvas.title = sign === null ? "" : told(this.tree, sign, new Map());
    this.stage.canvas.classList.toggle("over", sign !== null);
  }

  dragged(sign: number, x: number, y: number, one: boolean): void {
    const under = this.signAt(x, y);
    const onto = under === sign ? null : under;
    const outcome = onto === null ? { words: "", refused: false } : hanging(this.tree, sign, onto, one);
    this.drag = { sign, one, x, y, onto, ...outcome };
    this.stage.request();
  }

  dropped(): void {
    const drag = this.drag;
    this.drag = null;
    if (drag && drag.onto !== null) this.hang(keyOf(this.tree, drag.sign), drag.onto, drag.one);
    this.stage.request();
  }

  released(): void {
    this.drag = null;
    this.stage.request();
  }

  // --- keys

  get isHolding(): boolean {
    return this.gestures.isHolding;
  }

  alone(): void {
    this.gestures.alone(true);
  }

  undo(): void {
    this.ask({ command: "undo" });
  }

  redo(): void {
    this.ask({ command: "redo" });
  }

  find(): void {
    this.finder.input.select();
  }

  goToLeaf(): void {
    const leaf = activeLeaf(this.tree);
    if (leaf === null) return;
    this.select(this.facts.leaf ?? keyOf(this.tree, leaf));
    this.stage.centre(this.tree.x[leaf] + BOX / 2, this.tree.y[leaf] + TALL / 2);
    this.draw();
  }

  zoomIn(): void {
    this.stage.zoom(STEP);
  }

  zoomOut(): void {
    this.stage.zoom(1 / STEP);
  }

  unzoom(): void {
    this.stage.unzoom();
  }

  edit(): void {
    const key = this.keyAt(this.current());
    this.wantsPanel = this.panel.key !== key;
    if (this.wantsPanel) this.ask({ command: "open_message", node: key });
    else this.panel.focus();
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
    } else if (this.panel.key) this.ask({ command: "close_message" });
    this.draw();
  }

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, [...DRAWING, ...STATE], (changed) => this.take(changed));
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    root.addEventListener("keyup", (event) => event.key === "Alt" && this.gestures.alone(false), { signal });
    const { canvas } = this.stage;
    canvas.addEventListener("focus", () => canvas.matches(":focus-visible") && this.bring(this.current()), { signal });
    for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => this.stage.request(), { signal });
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.isComposing || !this.tree.n || target.matches("input, textarea, select")) return;
    const does = doing(event, target === this.stage.canvas, this);
    if (!does) return;
    taken(event);
    does();
  }

  // --- drawing

  /** Everything around the canvas now, the canvas with the next frame. */
  private draw(): void {
    const { tree, facts } = this;
    this.stage.element.hidden = !tree.n;
    this.empty.hidden = tree.n > 0;
    if (!tree.n) this.empty.replaceChildren(facts.given ? NO_MESSAGES : NOTHING);
    if (this.lifted !== null && !tree.signOf.has(this.lifted)) this.lifted = null;
    const like = this.get<Partial<Likeness>>("likeness", {});
    this.foot.draw({
      tree,
      facts,
      wrong: this.note || this.get("error", ""),
      cut: this.lifted,
      picked: this.picked(),
      likeness: like.ids ? (like as Likeness) : null,
    });
    this.enable("undo", facts.undo !== null, facts.undo);
    this.enable("redo", facts.redo !== null, facts.redo);
    for (const name of ["leaf", "edit"]) this.enable(name, tree.n > 0);
    if (tree.n) this.tell();
    this.stage.request();
  }

  private enable(name: string, on: boolean, what: string | null = null): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
    if (KEYS[name]) button.title = what ? `${harmless(what)} (${KEYS[name]})` : KEYS[name];
  }

  /** The offscreen list follows the focus. */
  private tell(): void {
    const { canvas } = this.stage;
    const { list, focus } = items(this.tree, this.current(), this.tags(), this.prefix);
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

  private shown(): Shown {
    const { tree, finder } = this;
    const drag = this.drag;
    const { canvas } = this.stage;
    const cut = this.lifted === null ? undefined : tree.signOf.get(this.lifted);
    return {
      tree,
      selected: this.selected(),
      focus: (canvas.getRootNode() as Document | ShadowRoot).activeElement === canvas ? this.current() : null,
      picked: this.tags(),
      hits: new Set(finder.hits.map((key) => tree.signOf.get(key)).filter((i) => i !== undefined)),
      hit: finder.hit === null ? null : (tree.signOf.get(finder.hit) ?? null),
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
    return h("div", { class: "head" }, h("h2", {}, "Branches"), this.finder.element, h("span", { class: "sp" }), tools);
  }
}

export default widget("Branch tree", own, (at) => {
  new BranchTree(at);
});
