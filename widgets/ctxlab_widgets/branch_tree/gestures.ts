// The mouse, pen and fingers on the canvas: clicks, pulling the ground, dragging a sign, the wheel and pinching.

import { taken } from "../_shared/keyboard";

export interface Handlers {
  signAt(x: number, y: number): number | null;
  mayDrag(sign: number): boolean;
  /** Says whether a second click at once would be a double click. */
  clicked(sign: number | null, event: MouseEvent, x: number, y: number): boolean;
  /** A double click on the sign that the first of the two was on, wherever the second one lands. */
  twice(sign: number): void;
  panned(dx: number, dy: number): void;
  zoomed(factor: number, x: number, y: number): void;
  /** The wheel was turned for the page, not for the tree. */
  scrolled(event: WheelEvent): void;
  hovered(sign: number | null, x: number, y: number): void;
  /** A sign is held over this place, alone where `one`. */
  dragged(sign: number, x: number, y: number, one: boolean): void;
  dropped(): void;
  released(): void;
}

/** So far the pointer moves before it is no click. */
const STILL = 4;
/** A finger is not as still as a mouse. */
const FINGER_STILL = 10;
/** So long a finger rests on a sign before it lifts it, and so soon a second click makes a double one. */
const LONG = 500;
const TWICE = 500;
/** So near to an edge a held sign pulls the ground along, so many pixels a frame. */
const EDGE = 20;
const PULL = 9;

interface Point {
  x: number;
  y: number;
}

export class Gestures {
  private readonly down = new Map<number, Point>();
  private start: (Point & { sign: number | null; moved: boolean; finger: boolean }) | null = null;
  /** The click that another one would make a double click. */
  private first: { sign: number; event: MouseEvent } | null = null;
  private patience: ReturnType<typeof setTimeout> | undefined;
  private held: { sign: number; one: boolean; x: number; y: number } | null = null;
  private pulling = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly does: Handlers,
    root: HTMLElement,
    signal: AbortSignal,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(name: K, hear: (event: HTMLElementEventMap[K]) => void) =>
      canvas.addEventListener(name, hear as EventListener, { signal, passive: false });
    on("pointerdown", (event) => this.pressed(event));
    on("pointermove", (event) => this.moved(event));
    on("pointerup", (event) => this.lifted(event));
    on("pointercancel", (event) => this.cancelled(event));
    on("pointerleave", () => this.does.hovered(null, 0, 0));
    on("contextmenu", (event) => this.start?.finger && event.preventDefault());
    root.addEventListener("click", (event) => this.clickedBeside(event), { capture: true, signal });
    on("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) {
        this.does.scrolled(event);
        return;
      }
      event.preventDefault();
      const steps =
        event.deltaMode === 1 ? event.deltaY * 16 : event.deltaMode === 2 ? event.deltaY * 300 : event.deltaY;
      const [x, y] = this.place(event);
      this.does.zoomed(Math.exp(-Math.max(-240, Math.min(steps, 240)) * zoomOf(event)), x, y);
    });
    signal.addEventListener("abort", () => {
      cancelAnimationFrame(this.pulling);
      clearTimeout(this.patience);
    });
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Lets go of what is held, and nothing comes of it. */
  cancel(): void {
    this.start = null;
    clearTimeout(this.patience);
    if (!this.held) return;
    this.held = null;
    this.does.released();
  }

  /** The key that says whether one message goes or all below it too. */
  alone(one: boolean): void {
    if (!this.held || this.held.one === one) return;
    this.held.one = one;
    this.notify();
  }

  private place(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0) return;
    const [x, y] = this.place(event);
    this.down.set(event.pointerId, { x, y });
    this.canvas.setPointerCapture(event.pointerId);
    if (this.down.size > 1) this.cancel();
    else this.begin(x, y, event.pointerType === "touch");
  }

  private begin(x: number, y: number, finger: boolean): void {
    this.start = { x, y, sign: this.does.signAt(x, y), moved: false, finger };
    if (finger) this.patience = setTimeout(() => this.lift(), LONG);
  }

  /** A finger has rested for long enough: what is under it is held. */
  private lift(): void {
    const { start } = this;
    if (!start || start.moved || start.sign === null || !this.does.mayDrag(start.sign)) return;
    start.moved = true;
    this.hold(start.sign, false, start.x, start.y);
  }

  private hold(sign: number, one: boolean, x: number, y: number): void {
    const isNew = !this.held;
    this.held = { sign, one, x, y };
    if (isNew) this.pull();
    this.notify();
  }

  private moved(event: PointerEvent): void {
    const [x, y] = this.place(event);
    const before = this.down.get(event.pointerId);
    if (!before) {
      this.does.hovered(this.does.signAt(x, y), x, y);
      return;
    }
    this.down.set(event.pointerId, { x, y });
    if (this.down.size === 2) this.pinched(event.pointerId, before, { x, y });
    const start = this.start;
    if (!start) return;
    if (!start.moved && Math.hypot(x - start.x, y - start.y) < (start.finger ? FINGER_STILL : STILL)) return;
    const first = !start.moved;
    start.moved = true;
    clearTimeout(this.patience);
    const drags = this.held !== null || (!start.finger && start.sign !== null && this.does.mayDrag(start.sign));
    if (drags) this.hold(start.sign!, event.altKey, x, y);
    else if (first) this.does.panned(x - start.x, y - start.y);
    else this.does.panned(x - before.x, y - before.y);
  }

  private lifted(event: PointerEvent): void {
    this.down.delete(event.pointerId);
    const start = this.start;
    const held = this.held;
    this.start = this.held = null;
    clearTimeout(this.patience);
    if (held) this.does.dropped();
    else if (start && !start.moved) this.click(start.sign, event);
  }

  private click(sign: number | null, event: PointerEvent): void {
    if (this.doubles(event)) return;
    const mayDouble = this.does.clicked(sign, event, ...this.place(event));
    this.first = mayDouble && sign !== null ? { sign, event } : null;
  }

  /** The first click may have made room for something else where the second one lands. */
  private clickedBeside(event: MouseEvent): void {
    if (event.detail && event.target !== this.canvas && this.doubles(event)) taken(event);
  }

  private doubles(event: MouseEvent): boolean {
    const first = this.first;
    this.first = null;
    if (!first || event.timeStamp - first.event.timeStamp > TWICE) return false;
    const far = Math.hypot(event.clientX - first.event.clientX, event.clientY - first.event.clientY);
    if (far > FINGER_STILL) return false;
    this.does.twice(first.sign);
    return true;
  }

  private cancelled(event: PointerEvent): void {
    this.down.delete(event.pointerId);
    this.cancel();
  }

  private pinched(id: number, before: Point, now: Point): void {
    const other = [...this.down].find(([pointer]) => pointer !== id)?.[1];
    if (!other) return;
    const [was, is] = [before, now].map((point) => Math.hypot(point.x - other.x, point.y - other.y));
    this.does.panned((now.x - before.x) / 2, (now.y - before.y) / 2);
    if (was > 8 && is > 8) this.does.zoomed(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
  }

  private notify(): void {
    if (this.held) this.does.dragged(this.held.sign, this.held.x, this.held.y, this.held.one);
  }

  /** The ground comes along while a sign is held at an edge. */
  private pull(): void {
    this.pulling = requestAnimationFrame(() => {
      if (!this.held) return;
      const { clientWidth: width, clientHeight: height } = this.canvas;
      const by = (at: number, of: number) => (at < EDGE ? PULL : at > of - EDGE ? -PULL : 0);
      const [dx, dy] = [by(this.held.x, width), by(this.held.y, height)];
      if (dx || dy) {
        this.does.panned(dx, dy);
        this.notify();
      }
      this.pull();
    });
  }
}

/** A pinch on a touchpad comes as many small turns with Ctrl, a wheel as few large ones. */
const zoomOf = (event: WheelEvent): number => (Math.abs(event.deltaY) < 50 && event.deltaMode === 0 ? 0.01 : 0.002);
