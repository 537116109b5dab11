// What one looks at: the canvas or the outline, and how one drawing of the tree becomes the next.

import { h } from "../_shared/dom";
import { listItems } from "./accessible_list";
import type { CanvasContent, TreeCanvas } from "./canvas";
import type { Grafting } from "./grafting";
import { LayoutMotion } from "./motion";
import type { Reading } from "./reading";
import type { TreeState } from "./state";
import { isBundle, keyOf, nameOf, type Tree, type Way, walked } from "./tree_data";

/** Whether signs move to where they are now, and the message that stands still if both drawings have it. */
interface Replacing {
  moves: boolean;
  at?: string | null;
}

export class Stage {
  readonly element: HTMLElement;
  private wasOutline = false;
  private readonly motion: LayoutMotion;
  private readonly prefix = `t${Math.random().toString(36).slice(2)}`;

  constructor(
    private readonly state: TreeState,
    private readonly canvas: TreeCanvas,
    private readonly reading: Reading,
    private readonly grafting: Grafting,
    signal: AbortSignal,
  ) {
    this.motion = new LayoutMotion(() => canvas.request(), signal);
    this.element = h("div", { class: "stage" }, canvas.element, reading.outline.element);
  }

  get isOutline(): boolean {
    return this.state.views.mode === "outline";
  }

  /** The tree as it is to be drawn now. */
  get moving(): Tree {
    return this.motion.now(this.state.tree);
  }

  /** Whether keys pressed there are about the tree. */
  has(target: EventTarget | null): boolean {
    return target === this.canvas.canvas || target === this.reading.outline.element;
  }

  focus(): void {
    (this.isOutline ? this.reading.outline.element : this.canvas.canvas).focus();
  }

  /** Another drawing of the same tree stands still at what is selected; of another tree it begins anew. */
  replace({ moves, at = null }: Replacing): void {
    const { state, canvas } = this;
    const before = state.tree;
    const tree = state.views.tree(canvas.size);
    if (tree === before) return;
    if (this.wasOutline) canvas.camera = null;
    this.wasOutline = this.isOutline;
    state.tree = tree;
    if (this.isOutline) return;
    const anchors = [at, state.selectedKey, state.facts.leaf, tree.keys[0]];
    const anchor = anchors.find((key) => key && before.signOf.has(key) && tree.signOf.has(key));
    const from = canvas.camera;
    if (!anchor || !from) {
      canvas.camera = null;
      return;
    }
    canvas.follow(before, before.signOf.get(anchor)!, tree, tree.signOf.get(anchor)!);
    const landed = this.grafting.landed(tree);
    if (landed) canvas.hold(landed.sign, landed);
    const to = canvas.camera ?? from;
    const [dx, dy] = [(from.left - to.left) / to.scale, (from.top - to.top) / to.scale];
    if (moves) this.motion.begin(before, tree, dx, dy, landed?.sign ?? null);
  }

  /** As much of the tree as can be read, the rest folded into counts; or all of it. */
  fit(all: boolean): void {
    if (all) this.state.views.showAll();
    else this.state.views.fit();
    this.replace({ moves: false });
    this.canvas.showAll();
  }

  bring(sign: number | null): void {
    if (sign === null) return;
    if (this.isOutline) this.reading.outline.reveal(sign);
    else this.canvas.bring(sign);
  }

  centreOn(sign: number): void {
    if (this.isOutline) this.reading.outline.reveal(sign);
    else this.canvas.centreOn(sign);
  }

  /** Where a key leads from what is in focus. */
  walked(way: Way): number {
    const { tree, current } = this.state;
    return this.isOutline ? this.reading.outline.walked(current, way) : walked(tree, current, way);
  }

  /** Unfolds or folds what the page itself has folded; says whether it did. */
  unfold(sign: number): boolean {
    const { tree, views } = this.state;
    if (this.isOutline) this.reading.outline.toggle(sign);
    else if (isBundle(tree, sign)) {
      views.unfold(tree, sign);
      this.replace({ moves: true, at: keyOf(tree, sign) });
    } else return false;
    return true;
  }

  draw(content: CanvasContent): void {
    const { tree, facts } = this.state;
    this.element.hidden = !tree.n;
    this.canvas.element.hidden = this.canvas.zoomButtons.hidden = this.isOutline;
    this.drawReading(content);
    if (tree.n && !this.isOutline) this.announce(facts.leaf);
    this.canvas.request();
  }

  drawReading({ hits, hit, lifted, selected, picked }: CanvasContent): void {
    const { views, facts, tree } = this.state;
    this.reading.draw(views, views.layoutIn(this.canvas.size), facts, {
      ...{ tree, hits, hit, selected, picked },
      lifted: lifted?.sign ?? null,
      messages: views.facts,
      isEstimated: facts.estimated,
    });
  }

  /** The offscreen list follows the focus. */
  private announce(key: string | null): void {
    const { tree, current, tags, facts } = this.state;
    const { canvas } = this.canvas;
    const { list, focus } = listItems(tree, current, tags, this.prefix);
    const leaf = key === null ? "" : `, active leaf ${nameOf(tree, key)}`;
    canvas.replaceChildren(...list);
    canvas.setAttribute("aria-activedescendant", focus);
    canvas.setAttribute("aria-label", `Branches, ${facts.messages} messages${leaf}`);
  }
}
