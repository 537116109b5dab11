// A rectangle in the plot: dragged open, resized at its corners, kept in the plot's own scales so that it stays when the plot grows.

import type { Box } from "./labels";
import type { Frame } from "./plot";
import { svg } from "./svg";

/** Shares of the plot's inside, from its left and its top. */
interface Held {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

export interface BrushHost {
  redraw(): void;
  done(frame: Frame): void;
  signal: AbortSignal;
}

const LEAST = 5;
const CORNERS = ["nw", "ne", "sw", "se"] as const;

export class Brush {
  private area: Held | null = null;
  private from: { x: number; y: number; anchored: boolean } | null = null;
  private frame: Frame | null = null;
  private saved: Held | null = null;
  private rest: number[] = [];

  constructor(private readonly host: BrushHost) {
    const { signal } = host;
    addEventListener("pointermove", (event) => this.moved(event), { signal });
    addEventListener("pointerup", (event) => this.ended(event), { signal });
    addEventListener("pointercancel", () => this.cancelled(), { signal });
  }

  /** The rectangle in pixels; null where there is none. */
  held(): Box | null {
    const { area, frame } = this;
    if (!area || !frame) return null;
    return {
      x: frame.left + area.x0 * frame.width,
      y: frame.top + area.y0 * frame.height,
      width: (area.x1 - area.x0) * frame.width,
      height: (area.y1 - area.y0) * frame.height,
    };
  }

  clear(): void {
    this.area = this.from = null;
  }

  /** Takes the rectangle away unless it is just being dragged. */
  forget(): void {
    if (!this.from) this.area = null;
  }

  listen(drawing: SVGElement, frame: Frame): void {
    this.frame = frame;
    drawing.addEventListener("pointerdown", (event) => this.began(event as PointerEvent, drawing));
    const box = drawing.getBoundingClientRect();
    if (box.width) this.rest = [box.left, box.top];
  }

  private began(event: PointerEvent, drawing: SVGElement): void {
    const target = event.target as Element;
    if (event.button !== 0 || !this.frame || target.closest(".pt")) return;
    const box = drawing.getBoundingClientRect();
    this.rest = [box.left, box.top];
    const at = this.place(event);
    const corner = target.getAttribute("data-corner");
    this.saved = this.area;
    if (corner && this.area) {
      const { x0, x1, y0, y1 } = this.area;
      this.from = { x: corner.includes("w") ? x1 : x0, y: corner.includes("n") ? y1 : y0, anchored: true };
    } else this.from = { ...at, anchored: false };
    drawing.parentElement?.setPointerCapture(event.pointerId); // the drawing itself is made anew while it is dragged
  }

  private moved(event: PointerEvent): void {
    const { from, frame } = this;
    if (!from || !frame) return;
    const { x, y } = this.place(event);
    const far = Math.hypot((x - from.x) * frame.width, (y - from.y) * frame.height);
    if (!from.anchored && far < LEAST) return;
    this.area = {
      x0: Math.min(from.x, x),
      x1: Math.max(from.x, x),
      y0: Math.min(from.y, y),
      y1: Math.max(from.y, y),
    };
    this.host.redraw();
  }

  private ended(_: PointerEvent): void {
    if (!this.from || !this.frame) return;
    this.from = null;
    if (this.area === this.saved) this.area = null; // a click beside all points takes the rectangle away
    this.host.done(this.frame);
    this.host.redraw();
  }

  private cancelled(): void {
    if (!this.from) return;
    this.area = this.saved;
    this.from = null;
    this.host.redraw();
  }

  private place(event: PointerEvent): { x: number; y: number } {
    const { left, top, width, height } = this.frame!;
    const inside = (share: number): number => Math.min(1, Math.max(0, share));
    return {
      x: inside((event.clientX - this.rest[0] - left) / width),
      y: inside((event.clientY - this.rest[1] - top) / height),
    };
  }

  /** The ground that takes the pointer, and the rectangle on it. */
  under(frame: Frame): SVGElement[] {
    this.frame = frame;
    const ground = svg("rect", {
      class: "pane",
      x: frame.left,
      y: frame.top,
      width: frame.width,
      height: frame.height,
    });
    const box = this.held();
    return box ? [ground, svg("rect", { class: "brush", ...sides(box) })] : [ground];
  }

  handles(frame: Frame): SVGElement[] {
    this.frame = frame;
    const box = this.held();
    if (!box || this.from) return [];
    return CORNERS.map((corner) => {
      const x = corner.includes("w") ? box.x : box.x + box.width;
      const y = corner.includes("n") ? box.y : box.y + box.height;
      const cursor = corner === "nw" || corner === "se" ? "nwse-resize" : "nesw-resize";
      const style = `cursor:${cursor}`;
      return svg(
        "g",
        { class: "corner", style },
        svg("rect", { class: "grip", x: x - 10, y: y - 10, width: 20, height: 20, "data-corner": corner }),
        svg("rect", { class: "square", x: x - 3, y: y - 3, width: 6, height: 6 }),
      );
    });
  }
}

const sides = ({ x, y, width, height }: Box): Record<string, number> => ({ x, y, width, height });
