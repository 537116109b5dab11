// The mouse, pen and fingers on the canvas: clicks, pulling the ground, dragging a sign, the wheel and pinching.

export interface Handlers {
  signAt(x: number, y: number): number | null;
  mayDrag(sign: number): boolean;
  clicked(sign: number | null, event: MouseEvent): void;
  twice(sign: number): void;
  panned(dx: number, dy: number): void;
  zoomed(factor: number, x: number, y: number): void;
  hovered(sign: number | null): void;
  /** A sign is held over this place, alone where `one`. */
  dragged(sign: number, x: number, y: number, one: boolean): void;
  dropped(): void;
  released(): void;
}

/** So far the pointer moves before it is no click. */
const STILL = 4;
/** So near to an edge a held sign pulls the ground along, so many pixels a frame. */
const EDGE = 20;
const PULL = 9;

interface Point {
  x: number;
  y: number;
}

export class Gestures {
  private readonly down = new Map<number, Point>();
  private start: (Point & { sign: number | null; moved: boolean }) | null = null;
  private held: { sign: number; one: boolean; x: number; y: number } | null = null;
  private pulling = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly does: Handlers,
    signal: AbortSignal,
  ) {
    const on = <K extends keyof HTMLElementEventMap>(name: K, hear: (event: HTMLElementEventMap[K]) => void) =>
      canvas.addEventListener(name, hear as EventListener, { signal, passive: false });
    on("pointerdown", (event) => this.pressed(event));
    on("pointermove", (event) => this.moved(event));
    on("pointerup", (event) => this.lifted(event));
    on("pointercancel", (event) => this.cancelled(event));
    on("pointerleave", () => this.does.hovered(null));
    on("dblclick", (event) => {
      const sign = this.does.signAt(...this.place(event));
      if (sign !== null) this.does.twice(sign);
    });
    on("wheel", (event) => {
      event.preventDefault();
      const steps =
        event.deltaMode === 1 ? event.deltaY * 16 : event.deltaMode === 2 ? event.deltaY * 300 : event.deltaY;
      const [x, y] = this.place(event);
      this.does.zoomed(Math.exp(-Math.max(-240, Math.min(steps, 240)) * (event.ctrlKey ? 0.01 : 0.002)), x, y);
    });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.pulling));
  }

  get isHolding(): boolean {
    return this.held !== null;
  }

  /** Lets go of what is held, and nothing comes of it. */
  cancel(): void {
    this.start = null;
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
    else this.start = { x, y, sign: this.does.signAt(x, y), moved: false };
  }

  private moved(event: PointerEvent): void {
    const [x, y] = this.place(event);
    const before = this.down.get(event.pointerId);
    if (!before) {
      this.does.hovered(this.does.signAt(x, y));
      return;
    }
    this.down.set(event.pointerId, { x, y });
    if (this.down.size === 2) this.pinched(event.pointerId, before, { x, y });
    const start = this.start;
    if (!start) return;
    if (!start.moved && Math.hypot(x - start.x, y - start.y) < STILL) return;
    const first = !start.moved;
    start.moved = true;
    if (start.sign !== null && this.does.mayDrag(start.sign)) {
      this.held = { sign: start.sign, one: event.altKey, x, y };
      if (first) this.pull();
      this.notify();
    } else if (first) this.does.panned(x - start.x, y - start.y);
    else this.does.panned(x - before.x, y - before.y);
  }

  private lifted(event: PointerEvent): void {
    this.down.delete(event.pointerId);
    const start = this.start;
    const held = this.held;
    this.start = this.held = null;
    if (held) {
      this.does.dropped();
    } else if (start && !start.moved) this.does.clicked(start.sign, event);
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
