// What the mouse and fingers mean for the tree: signs are chosen and dragged, the ground is pulled and zoomed.

import { itemLabel } from "./accessible_list";
import type { TreeCanvas } from "./canvas";
import type { Handlers } from "./gestures";
import type { Drag } from "./scene";
import { checkDrop, keyOf, type Tree } from "./tree_data";

/** Nothing smaller is dragged: one would not see what one holds. */
const GRASPED = 0.3;

export interface MouseActions {
  readonly live: boolean;
  readonly tree: Tree;
  switchTo(sign: number): void;
  pickAt(sign: number): void;
  unfoldAt(sign: number): void;
  hang(key: string, onto: number, one: boolean): void;
}

export class TreeMouse implements Handlers {
  /** What is held now. */
  drag: Drag | null = null;

  constructor(
    private readonly canvas: TreeCanvas,
    private readonly can: MouseActions,
  ) {}

  signAt(x: number, y: number): number | null {
    return this.canvas.signAt(x, y);
  }

  mayDrag(): boolean {
    return this.can.live && (this.canvas.camera?.scale ?? 0) >= GRASPED;
  }

  clicked(sign: number | null, event: MouseEvent): void {
    if (sign === null) return;
    if (event.shiftKey) this.can.pickAt(sign);
    else this.can.switchTo(sign);
  }

  twice(sign: number): void {
    this.can.unfoldAt(sign);
  }

  panned(dx: number, dy: number): void {
    this.canvas.pan(dx, dy);
  }

  zoomed(factor: number, x: number, y: number): void {
    this.canvas.zoom(factor, x, y);
  }

  hovered(sign: number | null): void {
    this.canvas.canvas.title = sign === null ? "" : itemLabel(this.can.tree, sign, new Map());
    this.canvas.canvas.classList.toggle("over", sign !== null);
  }

  dragged(sign: number, x: number, y: number, one: boolean): void {
    const under = this.signAt(x, y);
    const onto = under === sign ? null : under;
    const outcome = onto === null ? { words: "", refused: false } : checkDrop(this.can.tree, sign, onto, one);
    this.drag = { sign, one, x, y, onto, ...outcome };
    this.canvas.request();
  }

  dropped(): void {
    const drag = this.drag;
    this.drag = null;
    if (drag && drag.onto !== null) this.can.hang(keyOf(this.can.tree, drag.sign), drag.onto, drag.one);
    this.canvas.request();
  }

  released(): void {
    this.drag = null;
    this.canvas.request();
  }
}
