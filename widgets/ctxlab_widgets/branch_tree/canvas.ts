// The canvas with its overview and its zoom buttons: which part of the tree is seen, and when it is drawn again.

import { h } from "../_shared/dom";
import { roving } from "../_shared/keyboard";
import { aside, type Camera, centred, type Frame, fitted, kept, type Size, seen, showing, zoomed } from "./camera";
import { READABLE } from "./grid";
import type { TreeHost } from "./host";
import { initialView } from "./initial_view";
import { Minimap } from "./minimap";
import { Painter } from "./painter";
import { paletteOf } from "./palette";
import type { Scene } from "./scene";
import { activeLeaf, signAt, type Tree, wayUp } from "./tree_data";

export const STEP = 1.25;
/** A theme that changes may hide the page for a moment, and its colours come late. */
const AFTER_THEME = 200;
/** With some room around them. */
const OVERVIEW = { width: 164, height: 76 };

/** What is drawn, but for where one looks. */
export type CanvasContent = Omit<Scene, "camera" | "size">;

export class TreeCanvas {
  readonly canvas = h("canvas", { class: "cv", tabindex: 0, role: "tree", "aria-label": "Branches" });
  readonly element: HTMLElement;
  /** They stand beside the canvas, so that they cover nothing. */
  readonly zoomButtons: HTMLElement;
  camera: Camera | null = null;
  size: Size = { width: 0, height: 0 };
  private readonly pen = this.canvas.getContext("2d", { alpha: false })!;
  private readonly percent = h("button", { type: "button", class: "btn pc", title: "To 100 % (0)" });
  private readonly painter = new Painter();
  private readonly minimap: Minimap;
  /** Whether nobody has looked elsewhere since it began. */
  private isFirst = false;
  private due = 0;
  private isDrawn = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly host: TreeHost,
    private readonly shown: () => CanvasContent,
  ) {
    const { signal } = host;
    this.minimap = new Minimap((x, y) => this.centre(x, y), signal);
    this.zoomButtons = this.zoomGroup();
    this.element = h("div", { class: "tree" }, this.canvas, this.minimap.element);
    const sizes = new ResizeObserver(() => this.resized());
    sizes.observe(this.element);
    let late: ReturnType<typeof setTimeout> | undefined;
    const looks = new MutationObserver(() => {
      this.request();
      clearTimeout(late);
      late = setTimeout(() => this.request(), AFTER_THEME);
    });
    looks.observe(root, { attributes: true, attributeFilter: ["data-theme"] });
    addEventListener("resize", () => this.request(), { signal });
    signal.addEventListener("abort", () => {
      sizes.disconnect();
      looks.disconnect();
      clearTimeout(late);
      cancelAnimationFrame(this.due);
    });
  }

  /** Draws with the next frame. */
  request(): void {
    this.due ||= requestAnimationFrame(() => {
      this.due = 0;
      this.paint();
    });
  }

  /** Another drawing takes the place of one: and the sign that both have stays where it is. */
  follow(before: Tree, was: number, now: Tree, is: number): void {
    if (!this.camera) return;
    const { scale, left, top } = this.camera;
    const [dx, dy] = [before.x[was] - now.x[is], before.y[was] - now.y[is]];
    this.camera = { scale, left: left + dx * scale, top: top + dy * scale };
  }

  /** A sign at a place of the screen, with the others around it. */
  hold(sign: number, { x, y }: { x: number; y: number }): void {
    if (!this.camera) return;
    const { scale } = this.camera;
    this.look({ scale, left: x - this.host.tree.x[sign] * scale, top: y - this.host.tree.y[sign] * scale });
    this.bring(sign);
  }

  /** The sign under a point of the canvas; null where there is only ground. */
  signAt(x: number, y: number): number | null {
    if (!this.camera) return null;
    const { left, top, scale } = this.camera;
    return signAt(this.host.tree, (x - left) / scale, (y - top) / scale, 4 / scale);
  }

  pan(dx: number, dy: number): void {
    if (this.camera) this.look({ ...this.camera, left: this.camera.left + dx, top: this.camera.top + dy });
  }

  zoom(factor: number, x = this.size.width / 2, y = this.size.height / 2): void {
    if (this.camera) this.look(zoomed(this.camera, factor, x, y, fitted(this.host.tree, this.size).scale));
  }

  unzoom(): void {
    this.zoom(1 / (this.camera?.scale ?? 1));
  }

  /** The whole tree, as it is drawn now; where it can be read, with nothing lying on it as far as that goes. */
  showAll(): void {
    if (!this.size.width || !this.host.tree.n) return;
    this.open(this.host.tree, null);
    const all = fitted(this.host.tree, this.size);
    this.look(all.scale >= READABLE ? this.camera! : all);
  }

  /** A place of the tree in the middle. */
  centre(x: number, y: number): void {
    if (this.camera) this.look(centred(this.camera, this.size, x, y));
  }

  /** A sign in the middle. */
  centreOn(sign: number): void {
    const { x, y, width, height } = boxOf(this.host.tree, sign);
    this.centre(x + width / 2, y + height / 2);
  }

  /** A sign in view, with nothing lying on it. */
  bring(sign: number): void {
    if (!this.camera) return;
    const place = boxOf(this.host.tree, sign);
    const camera = showing(this.camera, this.size, place);
    const [overview] = this.over();
    this.look(aside(camera, place, overview, -1));
  }

  /** What lies on the canvas: the overview. */
  private over(): [Frame] {
    const { width, height } = this.size;
    return [{ x: width - OVERVIEW.width, y: height - OVERVIEW.height, ...OVERVIEW }];
  }

  private look(camera: Camera): void {
    this.camera = kept(camera, this.host.tree, this.size);
    this.isFirst = false;
    this.request();
  }

  private resized(): void {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (!width || !height) return;
    const { selected } = this.shown();
    const narrower = width < this.size.width;
    this.size = { width, height };
    this.host.sized();
    if (this.isFirst && selected === null) this.camera = null;
    else if (narrower && selected !== null) this.bring(selected);
    this.paint();
  }

  private paint(): void {
    const still = this.shown();
    const tree = still.tree;
    const { canvas, size } = this;
    const pen = this.pen;
    if (!tree.n || !size.width || !size.height || !this.element.clientWidth) return;
    if (!this.camera) this.open(tree, still.selected);
    const camera = this.camera!;
    const ratio = devicePixelRatio || 1;
    const [wide, tall] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== wide || canvas.height !== tall) {
      canvas.width = wide;
      canvas.height = tall;
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const colours = paletteOf(this.root);
    this.painter.draw(pen, { ...still, camera, size }, colours);
    this.minimap.draw(tree, seen(camera, size), colours, ratio);
    this.percent.replaceChildren(camera.scale < 0.01 ? "< 1 %" : `${Math.round(camera.scale * 100)} %`);
    canvas.dataset.camera = `${camera.scale} ${camera.left} ${camera.top}`;
    const { grid } = tree;
    canvas.dataset.grid = `${grid.column} ${grid.row} ${grid.wide} ${grid.tall} ${grid.layout}`;
    if (this.isDrawn) return;
    this.isDrawn = true;
    performance.mark("ctxlab:branch-tree:drawn");
  }

  private open(tree: Tree, selected: number | null): void {
    const boxes = Array.from({ length: tree.n }, (_, i) => boxOf(tree, i));
    const path = wayUp(tree, activeLeaf(tree)).map((i) => boxes[i]);
    this.camera = initialView({ tree, boxes, path }, this.size, this.over());
    if (selected !== null) this.bring(selected);
    else if (path.length && fitted(tree, this.size).scale < this.camera.scale)
      this.camera = aside(this.camera, path[0], this.over()[0], -1);
    this.isFirst = true;
  }

  private zoomGroup(): HTMLElement {
    const percent = this.percent;
    const { signal } = this.host;
    const make = (label: string, title: string, name: string, does: () => void) => {
      const button = h("button", { type: "button", class: "btn", title, "aria-label": name }, label);
      button.addEventListener("click", does, { signal });
      return button;
    };
    percent.addEventListener("click", () => this.unzoom(), { signal });
    const all = [
      make("−", "-", "Zoom out", () => this.zoom(1 / STEP)),
      percent,
      make("+", "+", "Zoom in", () => this.zoom(STEP)),
      make("Fit", "As much of the tree as can be read; the rest is folded into counts", "Fit", () =>
        this.host.fit(false),
      ),
      make("All", "The whole tree, however small", "All", () => this.host.fit(true)),
    ];
    const group = h("div", { class: "zoom group", role: "toolbar", "aria-label": "Zoom" }, all);
    for (const [i, each] of all.entries()) each.tabIndex = i === 1 ? 0 : -1;
    roving(group, () => all, { signal });
    return group;
  }
}

const boxOf = (tree: Tree, i: number): Frame => {
  const { wide: width, tall: height } = tree.grid;
  return { x: tree.x[i], y: tree.y[i], width, height };
};
