// What the mouse and fingers mean for the tree: signs are chosen and dragged, the ground is pulled and zoomed.

import { harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import { itemLabel } from "./accessible_list";
import { LABELS } from "./camera";
import type { TreeCanvas } from "./canvas";
import type { Handlers } from "./gestures";
import type { Drag } from "./scene";
import { checkDrop, isBundle, isFolded, keyOf, type Tree } from "./tree_data";
import type { WheelHint } from "./wheel_hint";

/** Nothing smaller is dragged: one would not see what one holds. */
const GRASPED = 0.3;
/** At the left of a box is its sign; at a folded chain it unfolds. */
const SIGN = 22;
/** How far right of the mouse and below it the held box is drawn. */
const HELD = { x: 10, y: 14 };

export interface MouseActions {
  readonly live: boolean;
  readonly tree: Tree;
  /** Whether clicks pick messages to compare. */
  readonly isPicking: boolean;
  read(sign: number): void;
  switchTo(sign: number): void;
  pickAt(sign: number): void;
  unfoldAt(sign: number): void;
  /** Hangs a message elsewhere; where it succeeds, its box is at this place of the screen. */
  hang(key: string, onto: number, one: boolean, place: { x: number; y: number } | null): void;
}

export class TreeMouse implements Handlers {
  /** What is held now. */
  drag: Drag | null = null;

  constructor(
    private readonly canvas: TreeCanvas,
    private readonly can: MouseActions,
    private readonly hint: WheelHint,
  ) {}

  signAt(x: number, y: number): number | null {
    return this.canvas.signAt(x, y);
  }

  mayDrag(): boolean {
    return this.can.live && (this.canvas.camera?.scale ?? 0) >= GRASPED;
  }

  clicked(sign: number | null, event: MouseEvent, x: number, y: number): boolean {
    if (sign === null) return false;
    if (event.shiftKey || this.can.isPicking) this.can.pickAt(sign);
    else if (this.isAtFold(sign, x, y)) this.can.unfoldAt(sign);
    else {
      this.can.read(sign);
      return true;
    }
    return false;
  }

  twice(sign: number): void {
    this.can.switchTo(sign);
  }

  scrolled(event: WheelEvent): void {
    this.hint.scrolled(event);
  }

  private isAtFold(sign: number, x: number, y: number): boolean {
    const { camera } = this.canvas;
    const { tree, live } = this.can;
    if (!camera || camera.scale < LABELS || !(isBundle(tree, sign) || (live && isFolded(tree, sign)))) return false;
    return this.signAt(x, y) === sign && (x - camera.left) / camera.scale - tree.x[sign] < SIGN;
  }

  panned(dx: number, dy: number): void {
    this.canvas.pan(dx, dy);
  }

  zoomed(factor: number, x: number, y: number): void {
    this.hint.hide();
    this.canvas.zoom(factor, x, y);
  }

  hovered(sign: number | null, x: number, y: number): void {
    this.canvas.canvas.title = sign === null ? "" : this.hoverText(sign, x, y);
    this.canvas.canvas.classList.toggle("over", sign !== null);
  }

  /** Here the whole id is told, which is nowhere else to be read. */
  private hoverText(sign: number, x: number, y: number): string {
    const { tree } = this.can;
    if (this.isAtFold(sign, x, y)) return `Unfold ${many(tree.count[sign], "message")}`;
    const words = itemLabel(tree, sign, new Map());
    const key = harmless(keyOf(tree, sign));
    return words.includes(key) ? words : `${words}\n${key}`;
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
    if (drag && drag.onto !== null) {
      const place = { x: drag.x + HELD.x, y: drag.y + HELD.y };
      this.can.hang(keyOf(this.can.tree, drag.sign), drag.onto, drag.one, place);
    }
    this.canvas.request();
  }

  released(): void {
    this.drag = null;
    this.canvas.request();
  }
}
