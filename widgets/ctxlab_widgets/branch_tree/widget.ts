// The tree of branches: walked, read, dragged, searched and edited. What is asked for becomes a message to Python.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import stands from "../_shared/stands_for.css";
import { type CanvasContent, STEP, TreeCanvas } from "./canvas";
import { Footer, type FooterActions } from "./footer";
import { Gestures } from "./gestures";
import { Grafting, type GraftingHost } from "./grafting";
import { type HeadActions, TreeHead } from "./head";
import { HeightHandle } from "./height_handle";
import type { Command, Report, TreeHost } from "./host";
import { type KeyActions, keyAction } from "./key_bindings";
import { MessageEditor } from "./message_editor";
import { type MouseActions, TreeMouse } from "./mouse";
import { areForced } from "./palette";
import { Preview, type PreviewActions } from "./preview";
import { Reading, type ReadingActions } from "./reading";
import { SearchBox } from "./search_box";
import { Stage } from "./stage";
import { DRAWING, TreeState } from "./state";
import { activeLeaf, isFolded, isOpened, keyOf, type Layout, type Tree, type Way } from "./tree_data";
import type { Mode } from "./views";
import { WheelHint } from "./wheel_hint";
import own from "./widget.css";

const STATE = ["view", "error", "selected", "picked", "shared_history", "query", "hits", "snippets", "editing", "data"];
STATE.push("edits", "preview", "report", "effect", "views", "height", "mode", "tree_layout");
const NOTHING = "Nothing to show: pass a session, a history or a trace, BranchTree(session).";
const NO_MESSAGES = "This session has no messages yet.";
/** Changes that put a message somewhere else: it is marked there. */
const HANGING = ["graft", "move"];

class BranchTree
  implements
    TreeHost,
    GraftingHost,
    KeyActions,
    MouseActions,
    HeadActions,
    FooterActions,
    PreviewActions,
    ReadingActions
{
  readonly signal: AbortSignal;
  readonly live: boolean;
  /** Whether clicks pick messages to compare, as Shift+click does: a finger has no such key. */
  isPicking = false;
  private readonly state: TreeState;
  private readonly grafting = new Grafting(this);
  /** A refusal of the page's own, until something else is done. */
  private note = "";
  /** The report that nobody wants to read any more. */
  private dismissed = "";
  private edits = 0;
  private wantsPanel = false;
  private readonly model: Model;
  private readonly canvas: TreeCanvas;
  private readonly searchBox: SearchBox;
  private readonly editor: MessageEditor;
  private readonly preview: Preview;
  private readonly footer: Footer;
  private readonly gestures: Gestures;
  private readonly height: HeightHandle;
  private readonly reading: Reading;
  private readonly stage: Stage;
  private readonly empty = h("p", { class: "empty" });
  private readonly frame = h("div", { class: "w" });
  private readonly head: TreeHead;
  private readonly mouse: TreeMouse;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.state = new TreeState(model);
    this.live = this.state.live;
    this.edits = this.state.get("edits", 0);
    this.searchBox = new SearchBox(this, (choose) => this.goToHit(choose));
    this.editor = new MessageEditor(this);
    this.preview = new Preview(this);
    this.canvas = new TreeCanvas(root, this, () => this.shown());
    const hint = new WheelHint(this.canvas.canvas, signal);
    this.mouse = new TreeMouse(this.canvas, this, hint);
    this.gestures = new Gestures(this.canvas.canvas, this.mouse, root, signal);
    this.reading = new Reading(this);
    this.stage = new Stage(this.state, this.canvas, this.reading, this.grafting, signal);
    this.head = new TreeHead(this.searchBox.element, this.reading.controls, this, at);
    this.footer = new Footer(this, this.canvas.zoomButtons);
    this.height = new HeightHandle(this.stage.element, (height) => this.resize(height), signal);
    this.canvas.element.append(hint.element);
    const main = h("div", { class: "main" }, this.stage.element, this.height.element, this.empty);
    const side = h("div", { class: "side" }, this.searchBox.list.element, this.preview.element, this.editor.element);
    const two = h("div", { class: "two" }, main, side);
    this.frame.append(this.head.element, two, this.footer.element);
    root.append(this.frame);
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
    this.stage.focus();
  }

  /** The canvas has another size: boxes take the room that there is. */
  sized(): void {
    this.stage.replace({ moves: false });
    this.stage.drawReading(this.shown());
  }

  // --- how it is read

  look(how: { mode?: Mode; layout?: Layout }): void {
    this.state.look(how);
    this.stage.replace({ moves: false });
    this.draw();
    this.stage.bring(this.state.selected);
  }

  /** The tree with branches folded until labels can be read, or all of it. */
  fit(all: boolean): void {
    this.stage.fit(all);
    this.draw();
  }

  clicked(message: number, event: MouseEvent): void {
    if (event.shiftKey || this.isPicking) this.pickAt(message);
    else this.read(message);
  }

  redraw(): void {
    this.draw();
  }

  // --- what Python holds

  private take(changed: Set<string>): void {
    const { state } = this;
    if (state.error) this.grafting.refused();
    state.takeFacts();
    const isDrawn = DRAWING.some((name) => changed.has(name));
    if (isDrawn) state.takeDrawing();
    state.takeViews();
    this.stage.replace({ moves: isDrawn });
    if (changed.has("report")) this.dismissed = "";
    if (changed.has("selected")) this.stage.bring(state.selected);
    if (["hits", "query", "snippets"].some((name) => changed.has(name)))
      this.searchBox.take(state.get("query", ""), state.get("hits", []), state.snippets);
    this.takePanels();
    this.draw();
  }

  private takePanels(): void {
    const { state } = this;
    const edits = state.get("edits", 0);
    const key = this.live ? state.get("editing", "") : "";
    const isNew = this.editor.take(key, state.get("data", ""), edits !== this.edits, state.error);
    this.preview.take(state.preview, key !== "");
    this.edits = edits;
    if (isNew && this.wantsPanel) this.editor.focus();
    if (isNew) this.wantsPanel = false;
  }

  private resize(height: number): void {
    this.state.height = height;
    this.draw();
  }

  // --- choosing

  /** Focuses a message; an open panel goes along, else its text is asked for. */
  private select(key: string): void {
    this.note = "";
    this.state.select(key);
    if (!this.editor.key) this.ask(key);
    else if (this.editor.key !== key) this.send({ command: "open_message", node: key });
  }

  private ask(key: string): void {
    if (this.preview.key !== key) this.send({ command: "preview", node: key });
  }

  read(sign: number): void {
    this.select(this.state.keyAt(sign));
    this.draw();
  }

  closePreview(): void {
    this.send({ command: "close_preview" });
    this.focus();
  }

  switchTo(sign: number): void {
    const key = this.state.keyAt(sign);
    this.state.select(key);
    this.send({ command: "switch_to", node: key });
    this.draw();
  }

  pickAt(sign: number): void {
    this.dismiss();
    this.state.pick(this.state.keyAt(sign));
    this.draw();
  }

  togglePicking(): void {
    this.dismiss();
    this.isPicking = !this.isPicking;
    this.draw();
  }

  unpick(): void {
    save(this.model, { picked: [] });
    this.isPicking = false;
    this.focus();
    this.draw();
  }

  openCompare(ids: [string, string]): void {
    this.send({ command: "open_view", view: "compare", key: `branches:${JSON.stringify(ids)}` });
  }

  /** What is folded or unfolded has the focus: it stays where it is. */
  unfoldAt(sign: number): void {
    if (!this.stage.isOutline) this.state.select(this.state.keyAt(sign));
    if (this.stage.unfold(sign)) this.draw();
    else if (isFolded(this.tree, sign)) this.send({ command: "unfold", node: this.state.keyAt(sign) });
    else if (isOpened(this.tree, sign)) this.send({ command: "fold", node: keyOf(this.tree, sign) });
  }

  private goToHit(choose: boolean): void {
    const { hit } = this.searchBox;
    if (hit === null) return;
    if (choose) this.select(hit);
    const sign = this.tree.signOf.get(hit);
    this.draw();
    if (sign !== undefined) this.stage.centreOn(sign);
  }

  hang(key: string, onto: number, one: boolean, place: { x: number; y: number } | null): void {
    this.grafting.hang(key, onto, one, place);
  }

  say(words: string): void {
    this.note = words;
    this.draw();
  }

  /** What was said last has been read. */
  private dismiss(): void {
    this.note = "";
    this.dismissed = reportText(this.state.report);
  }

  /** What is still to be read of the last change. */
  private get report(): Report | null {
    const { report } = this.state;
    return reportText(report) === this.dismissed ? null : report;
  }

  // --- keys

  get isHolding(): boolean {
    return this.gestures.isHolding;
  }

  alone(): void {
    this.gestures.alone(true);
  }

  undo(): void {
    this.send({ command: this.state.isInPage ? "page_undo" : "undo" });
  }

  redo(): void {
    this.send({ command: this.state.isInPage ? "page_redo" : "redo" });
  }

  find(): void {
    this.searchBox.input.focus();
    this.searchBox.input.select();
  }

  goToLeaf(): void {
    const leaf = activeLeaf(this.tree);
    if (leaf === null) return;
    this.state.select(this.state.facts.leaf ?? keyOf(this.tree, leaf));
    this.draw();
    this.stage.centreOn(leaf);
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
    const to = this.stage.walked(way);
    this.select(this.state.keyAt(to));
    this.draw();
    this.stage.bring(to);
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
    this.grafting.lift(this.state.current);
  }

  paste(one: boolean): void {
    this.grafting.paste(this.state.current, one);
    this.draw();
  }

  /** Of what is going on the first thing ends: a drag, a cut, a sentence, the panel, the marks of a search, picking. */
  escape(): void {
    if (this.isHolding) this.gestures.cancel();
    else if (this.grafting.cut !== null || this.note || this.report) {
      this.grafting.cut = null;
      this.dismiss();
    } else if (this.editor.key) this.send({ command: "close_message" });
    else if (this.preview.key && this.live) this.closePreview();
    else if (this.searchBox.hits.length) this.searchBox.clear();
    else this.isPicking = false;
    this.draw();
  }

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, [...DRAWING, ...STATE], (changed) => this.take(changed));
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    root.addEventListener("keyup", (event) => event.key === "Alt" && this.gestures.alone(false), { signal });
    areForced().addEventListener("change", () => this.canvas.request(), { signal });
    const { canvas } = this.canvas;
    canvas.addEventListener("focus", () => canvas.matches(":focus-visible") && this.stage.bring(this.state.current), {
      signal,
    });
    for (const name of ["focus", "blur"]) canvas.addEventListener(name, () => this.canvas.request(), { signal });
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.defaultPrevented || event.isComposing || !this.tree.n || target.matches("input, textarea, select"))
      return;
    const does = keyAction(event, this.stage.has(target), this);
    if (!does) return;
    taken(event);
    does();
  }

  // --- drawing

  /** Everything around the canvas now, the canvas with the next frame. */
  private draw(): void {
    const { tree, state } = this;
    const { facts } = state;
    this.frame.classList.toggle("none", !tree.n);
    this.empty.hidden = tree.n > 0;
    if (!tree.n) this.empty.replaceChildren(facts.given ? NO_MESSAGES : NOTHING);
    this.grafting.keep(tree);
    this.height.draw(state.views.contentHeight, state.height);
    this.drawFooter();
    this.head.draw({ tree, facts, isPicking: this.isPicking, isInPage: state.isInPage });
    this.stage.draw(this.shown());
  }

  private drawFooter(): void {
    const { tree, state } = this;
    this.footer.draw({
      tree,
      live: this.live,
      isOutline: this.stage.isOutline,
      wrong: this.note || state.error,
      cut: this.grafting.cut,
      report: this.report,
      effect: state.effect,
      mayUndo: this.live && (state.isInPage || state.facts.undo !== null),
      isPicking: this.isPicking,
      picked: state.picked,
      likeness: state.likeness,
      mayCompare: state.mayOpen("compare"),
    });
  }

  private shown(): CanvasContent {
    const { searchBox, state, report } = this;
    const { tree } = state;
    const { drag } = this.mouse;
    const { canvas } = this.canvas;
    const signOf = (key: string | null | undefined) => (key == null ? null : (tree.signOf.get(key) ?? null));
    const cut = signOf(this.grafting.cut);
    return {
      tree: this.stage.moving,
      selected: state.selected,
      focus: (canvas.getRootNode() as Document | ShadowRoot).activeElement === canvas ? state.current : null,
      picked: state.tags,
      hits: new Set(searchBox.hits.map((key) => tree.signOf.get(key)).filter((i) => i !== undefined)),
      hit: searchBox.isDone ? null : signOf(searchBox.hit),
      hitsAreDim: searchBox.isDone,
      fork: signOf(state.picked.length === 2 ? state.likeness?.fork : null),
      landed: report && HANGING.includes(report.did) ? signOf(report.node) : null,
      lifted: drag ?? (cut === null ? null : { sign: cut, one: false }),
      drag,
    };
  }
}

const reportText = (report: Report | null): string => (report ? `${report.did} ${report.node} ${report.text}` : "");

export default widget("Branch tree", stands + own, (at) => {
  new BranchTree(at);
});
