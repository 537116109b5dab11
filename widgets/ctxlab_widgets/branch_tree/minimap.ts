// The whole tree in a corner, and a frame around what is seen.

import { h } from "../_shared/dom";
import type { Frame } from "./camera";
import type { Palette } from "./palette";
import { isActive, isLeaf, ROLES, roleOf, type Tree } from "./tree_data";

const WIDTH = 148;
const HEIGHT = 60;
const PAD = 4;

export class Minimap {
  readonly element = h("canvas", { class: "mini", role: "img", "aria-label": "Overview" });
  /** The tree alone: it is drawn once, the frame with every move. */
  private readonly still = document.createElement("canvas");
  private drawn: { tree: Tree; look: string } | null = null;

  constructor(moved: (x: number, y: number) => void, signal: AbortSignal) {
    const { element } = this;
    const go = (event: PointerEvent) => {
      const tree = this.drawn?.tree;
      if (!tree || !(event.buttons & 1)) return;
      event.preventDefault();
      const box = element.getBoundingClientRect();
      const { sx, sy, left, top } = scaled(tree);
      moved((event.clientX - box.left - left) / sx, (event.clientY - box.top - top) / sy);
    };
    element.addEventListener("pointermove", go, { signal });
    element.addEventListener(
      "pointerdown",
      (event) => {
        element.setPointerCapture(event.pointerId);
        go(event);
      },
      { signal },
    );
  }

  /** Where all of the tree is seen anyway, it would only lie on it. */
  draw(tree: Tree, frame: Frame, colours: Palette, ratio: number): void {
    this.element.hidden = isWhole(tree, frame);
    if (this.element.hidden) return;
    const look = `${Object.values(colours).join()} ${ratio}`;
    if (this.drawn?.tree !== tree || this.drawn.look !== look) {
      this.drawn = { tree, look };
      paint(pen(this.still, ratio), tree, colours);
    }
    const to = pen(this.element, ratio);
    to.drawImage(this.still, 0, 0, WIDTH, HEIGHT);
    const { sx, sy, left, top } = scaled(tree);
    const within = (value: number, most: number) => Math.max(1, Math.min(value, most - 1));
    const x0 = within(left + frame.x * sx, WIDTH);
    const y0 = within(top + frame.y * sy, HEIGHT);
    const x1 = within(left + (frame.x + frame.width) * sx, WIDTH);
    const y1 = within(top + (frame.y + frame.height) * sy, HEIGHT);
    to.strokeStyle = colours.focus;
    to.lineWidth = 1.5;
    to.strokeRect(x0, y0, Math.max(3, x1 - x0), Math.max(3, y1 - y0));
  }
}

const isWhole = (tree: Tree, { x, y, width, height }: Frame): boolean =>
  x <= 0 && y <= 0 && x + width >= tree.width && y + height >= tree.height;

function pen(canvas: HTMLCanvasElement, ratio: number): CanvasRenderingContext2D {
  const [width, height] = [Math.round(WIDTH * ratio), Math.round(HEIGHT * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const found = canvas.getContext("2d")!;
  found.setTransform(ratio, 0, 0, ratio, 0, 0);
  return found;
}

/** Both ways as far as there is room: a long conversation is a flat line otherwise. */
function scaled(tree: Tree): { sx: number; sy: number; left: number; top: number } {
  const sx = Math.min((WIDTH - 2 * PAD) / (tree.width || 1), 0.16);
  const sy = Math.min((HEIGHT - 2 * PAD) / (tree.height || 1), 0.16);
  return { sx, sy, left: (WIDTH - tree.width * sx) / 2, top: (HEIGHT - tree.height * sy) / 2 };
}

function paint(to: CanvasRenderingContext2D, tree: Tree, colours: Palette): void {
  const { sx, sy, left, top } = scaled(tree);
  const x = (i: number) => left + (tree.x[i] + tree.grid.wide / 2) * sx;
  const y = (i: number) => top + (tree.y[i] + tree.grid.tall / 2) * sy;
  to.fillStyle = colours.s0;
  to.fillRect(0, 0, WIDTH, HEIGHT);
  for (const active of [false, true]) {
    to.beginPath();
    for (let i = 0; i < tree.n; i++) {
      if (tree.parent[i] < 0 || isActive(tree, i) !== active) continue;
      to.moveTo(x(tree.parent[i]), y(tree.parent[i]));
      to.lineTo(x(i), y(i));
    }
    to.strokeStyle = active ? colours.ink : colours.edge;
    to.lineWidth = active ? 1.5 : 0.8;
    to.stroke();
  }
  const [wide, tall] = tree.n > 400 ? [1, 1] : tree.n > 100 ? [3, 2] : [5, 4];
  for (const role of ROLES) {
    to.fillStyle = colours[role];
    for (let i = 0; i < tree.n; i++)
      if (roleOf(tree, i) === role) to.fillRect(x(i) - wide / 2, y(i) - tall / 2, wide, tall);
  }
  to.fillStyle = colours.ring;
  for (let i = 0; i < tree.n; i++) if (isLeaf(tree, i)) to.fillRect(x(i) - 2.5, y(i) - 2, 5, 4);
}
