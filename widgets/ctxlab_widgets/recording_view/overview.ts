// All requests in a narrow strip, and the brush: what of them is in sight.

import { h } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { fillsOf } from "./fills";
import type { Marks, Series } from "./payload";
import { redrawOnChange } from "./redraw";
import { binsOf, clamp, height, LEAST, type Sight, zoomed } from "./scene";

const TALL = 32;
/** Pixels at the ends of the brush that move this end alone. */
const EDGE = 7;

export interface OverviewHost {
  signal: AbortSignal;
  root: HTMLElement;
  look(sight: Sight): void;
}

interface Drag {
  from: number;
  sight: Sight;
  part: "all" | "first" | "last" | "new";
}

export class Overview {
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly brush = h("span", {
    class: "brush",
    role: "slider",
    tabindex: 0,
    "aria-label": "Requests in sight",
    "aria-orientation": "horizontal",
  });
  readonly element = h("div", { class: "over" }, this.canvas, this.brush);
  private series: Series | null = null;
  private marks: Marks | null = null;
  private sight: Sight = { first: 0, last: 0 };
  private drag: Drag | null = null;
  private isDue = false;

  constructor(private readonly host: OverviewHost) {
    const { signal, root } = host;
    redrawOnChange(this.element, root, signal, () => this.later());
    this.element.addEventListener("pointerdown", (event) => this.began(event), { signal });
    this.element.addEventListener("pointermove", (event) => this.moved(event), { signal });
    for (const name of ["pointerup", "pointercancel"] as const)
      this.element.addEventListener(name, () => this.ended(), { signal });
    this.element.addEventListener("wheel", (event) => this.wheeled(event), { signal, passive: false });
    this.brush.addEventListener("keydown", (event) => isSingle(event) && this.pressed(event), { signal });
  }

  draw(series: Series, marks: Marks, sight: Sight): void {
    this.series = series;
    this.marks = marks;
    this.sight = sight;
    this.announce(series);
    this.later();
  }

  private get count(): number {
    return this.series?.ids.length ?? 0;
  }

  private later(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (!this.host.signal.aborted) this.paint();
    });
  }

  private paint(): void {
    const { series, canvas, sight } = this;
    const width = this.element.clientWidth;
    if (!series || !width) return;
    const scale = Math.min(3, devicePixelRatio || 1);
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(TALL * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${TALL}px`;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(canvas.width / width, 0, 0, canvas.height / TALL, 0, 0);
    const fills = fillsOf(this.host.root, scale);
    const bins = binsOf(series, { first: 0, last: this.count - 1 }, width);
    let most = 1;
    for (const bin of bins) most = Math.max(most, height(series, bin.shown));
    const wide = width / bins.length;
    const gap = wide >= 4 ? 1 : 0;
    for (const [n, bin] of bins.entries()) {
      const tall = (height(series, bin.shown) / most) * (TALL - 2);
      const isIn = bin.last >= sight.first && bin.first <= sight.last;
      context.fillStyle = isIn ? fills.ink2 : fills.grey;
      context.fillRect(n * wide, TALL - tall, wide - gap, tall);
    }
    context.fillStyle = fills.err;
    const breaks = (this.marks?.breaks ?? []).filter(([, , , , level]) => level !== "note");
    for (const [at] of breaks) context.fillRect(((at + 0.5) * width) / this.count - 1, 0, 2, 4);
    this.brush.style.left = `${(sight.first / this.count) * 100}%`;
    this.brush.style.width = `${((sight.last - sight.first + 1) / this.count) * 100}%`;
  }

  /** What the brush says of itself, drawn or not. */
  private announce({ numbers }: Series): void {
    const [first, last] = [numbers[this.sight.first] ?? 0, numbers[this.sight.last] ?? 0];
    this.brush.setAttribute("aria-valuemin", String(numbers[0] ?? 0));
    this.brush.setAttribute("aria-valuemax", String(numbers[this.count - 1] ?? 0));
    this.brush.setAttribute("aria-valuenow", String(first));
    this.brush.setAttribute("aria-valuetext", `requests ${grouped(first)} to ${grouped(last)}`);
  }

  // --- the pointer

  private placeOf(event: MouseEvent): number {
    const box = this.element.getBoundingClientRect();
    const share = box.width ? (event.clientX - box.left) / box.width : 0;
    return Math.min(this.count - 1, Math.max(0, Math.floor(share * this.count)));
  }

  private began(event: PointerEvent): void {
    if (event.button !== 0 || !this.count) return;
    const box = this.brush.getBoundingClientRect();
    const { clientX: x } = event;
    const part =
      Math.abs(x - box.left) <= EDGE
        ? "first"
        : Math.abs(x - box.right) <= EDGE
          ? "last"
          : x > box.left && x < box.right
            ? "all"
            : "new";
    const from = this.placeOf(event);
    this.drag = { from, sight: this.sight, part };
    this.element.setPointerCapture(event.pointerId);
    if (part === "new") {
      const half = Math.floor((this.sight.last - this.sight.first) / 2);
      this.drag.sight = clamp(
        { first: from - half, last: from - half + this.sight.last - this.sight.first },
        this.count,
      );
      this.drag.part = "all";
      this.host.look(this.drag.sight);
    }
    this.brush.focus({ preventScroll: true });
    event.preventDefault();
  }

  private moved(event: PointerEvent): void {
    const { drag } = this;
    if (!drag) return;
    const by = this.placeOf(event) - drag.from;
    const { first, last } = drag.sight;
    const least = Math.min(LEAST, this.count) - 1;
    if (drag.part === "all") this.host.look(clamp({ first: first + by, last: last + by }, this.count));
    else if (drag.part === "first")
      this.host.look(clamp({ first: Math.max(0, Math.min(first + by, last - least)), last }, this.count));
    else
      this.host.look(clamp({ first, last: Math.min(this.count - 1, Math.max(last + by, first + least)) }, this.count));
  }

  private ended(): void {
    this.drag = null;
  }

  private wheeled(event: WheelEvent): void {
    if (!this.count) return;
    if (event.ctrlKey || event.metaKey) {
      taken(event);
      this.host.look(zoomed(this.sight, this.placeOf(event), Math.exp(event.deltaY * 0.0022), this.count));
    }
  }

  // --- the keys

  private pressed(event: KeyboardEvent): void {
    const { first, last } = this.sight;
    const wide = last - first + 1;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -wide, PageUp: wide }[event.key];
    let to: Sight | null = null;
    if (by !== undefined && event.shiftKey) to = { first, last: Math.max(first + LEAST - 1, last + by) };
    else if (by !== undefined) to = { first: first + by, last: last + by };
    else if (event.key === "Home") to = { first: 0, last: wide - 1 };
    else if (event.key === "End") to = { first: this.count - wide, last: this.count - 1 };
    else if (event.key === "+" || event.key === "=") to = zoomed(this.sight, (first + last) / 2, 0.7, this.count);
    else if (event.key === "-") to = zoomed(this.sight, (first + last) / 2, 1 / 0.7, this.count);
    if (!to) return;
    taken(event);
    this.host.look(event.shiftKey ? { first, last: Math.min(this.count - 1, to.last) } : clamp(to, this.count));
  }
}
