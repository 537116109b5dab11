// The context over time: a canvas with a stack for each request, the cached prefix over it, and what is chosen in frames.

import { h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { areForced, type Fills, fillsOf } from "./fills";
import type { Column, Marks, Series, StackName } from "./payload";
import { redrawOnChange } from "./redraw";
import {
  type Bin,
  binsOf,
  columnsOf,
  height,
  isReported,
  leastPrefix,
  prefixOf,
  type Sight,
  scaleOf,
  short,
  wholeOf,
  zoomed,
} from "./scene";

const TALL = 248;
const GAP = 4;
const STRIP = 14;
const WHEEL = 0.0022;
/** From the line of a compression to its words. */
const BESIDE = 8;

export interface ChartHost {
  signal: AbortSignal;
  root: HTMLElement;
  /** A request that was pointed at, by its place; with `pair` the one that the chosen one is set against. */
  choose(at: number, pair: boolean): void;
  /** Another stretch of requests. */
  look(sight: Sight): void;
  pressed(event: KeyboardEvent): void;
}

/** All that the chart draws. */
export interface Shown {
  series: Series;
  marks: Marks;
  stack: StackName;
  sight: Sight;
  chosen: number;
  base: number;
}

export class Chart {
  private readonly canvas = h("canvas", { "aria-hidden": "true" });
  private readonly words = h("div", { class: "over0", "aria-hidden": "true" });
  private readonly frame = h("i", { class: "selr" });
  private readonly other = h("i", { class: "selr o" });
  private readonly strip = h("span", { class: "sl", style: `top:${TALL + GAP}px` });
  readonly element = h(
    "div",
    { class: "plot", role: "slider", tabindex: 0, "aria-label": "Chosen request", "aria-orientation": "horizontal" },
    this.canvas,
    this.words,
    this.frame,
    this.other,
    this.strip,
  );
  private shown: Shown | null = null;
  private bins: Bin[] = [];
  private isDue = false;

  constructor(private readonly host: ChartHost) {
    const { signal, root } = host;
    redrawOnChange(this.element, root, signal, () => this.later());
    this.element.addEventListener("pointerdown", (event) => this.pointed(event), { signal });
    this.element.addEventListener("pointermove", (event) => this.hovered(event), { signal });
    this.element.addEventListener("wheel", (event) => this.wheeled(event), { signal, passive: false });
    this.element.addEventListener("keydown", (event) => isSingle(event) && host.pressed(event), { signal });
  }

  draw(shown: Shown): void {
    this.shown = shown;
    this.say(shown);
    this.later();
  }

  /** Drawn once for all that changes before the next frame. */
  private later(): void {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => {
      this.isDue = false;
      if (!this.host.signal.aborted) this.paint();
    });
  }

  // --- what a person does

  private placeAt(event: MouseEvent): number | null {
    const { shown } = this;
    const box = this.canvas.getBoundingClientRect();
    if (!shown || !box.width || !this.bins.length) return null;
    const share = (event.clientX - box.left) / box.width;
    const bin = this.bins[Math.min(this.bins.length - 1, Math.max(0, Math.floor(share * this.bins.length)))];
    return bin.shown;
  }

  private pointed(event: PointerEvent): void {
    if (event.button !== 0 || (event.target as Element).closest("button")) return;
    const at = this.placeAt(event);
    if (at !== null) this.host.choose(at, event.shiftKey);
  }

  private hovered(event: PointerEvent): void {
    const at = this.placeAt(event);
    if (at !== null && this.shown) this.element.title = wordsOf(this.shown, at);
  }

  private wheeled(event: WheelEvent): void {
    const { shown } = this;
    if (!shown) return;
    const count = shown.series.ids.length;
    const { first, last } = shown.sight;
    if (event.ctrlKey || event.metaKey) {
      taken(event);
      const around = this.placeAt(event) ?? first;
      this.host.look(zoomed(shown.sight, around, Math.exp(event.deltaY * WHEEL), count));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      taken(event);
      const far = event.deltaX || event.deltaY;
      const by = Math.sign(far) * Math.max(1, Math.round(((last - first + 1) * Math.abs(far)) / 1200));
      this.host.look({ first: first + by, last: last + by });
    }
  }

  // --- drawing

  private paint(): void {
    const { shown, canvas } = this;
    const width = this.element.clientWidth;
    if (!shown || !width) return;
    const scale = Math.min(3, devicePixelRatio || 1);
    const tall = TALL + GAP + STRIP;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(tall * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${tall}px`;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(canvas.width / width, 0, 0, canvas.height / tall, 0, 0);
    const { series, stack, sight } = shown;
    const fills = fillsOf(this.host.root, scale);
    const { top, step, window } = scaleOf(series, sight);
    this.bins = binsOf(series, sight, width);
    const y = (tokens: number): number => TALL - (tokens / top) * TALL;
    const x = (bin: number): number => (bin * width) / this.bins.length;
    context.fillStyle = fills.line;
    context.globalAlpha = areForced().matches ? 0.4 : 1;
    for (let tokens = step; tokens < top; tokens += step) context.fillRect(0, Math.round(y(tokens)), width, 1);
    context.globalAlpha = 1;
    this.paintBars(context, fills, columnsOf(series, stack), x, y);
    this.paintPrefix(context, fills, x, y);
    if (window !== null) {
      context.fillStyle = fills.err;
      context.fillRect(0, Math.round(y(window)) - 1, width, 2);
    }
    this.paintCompressions(context, fills, x);
    context.fillStyle = fills.ink2;
    context.fillRect(0, TALL - 1, width, 1);
    this.place(this.frame, shown.chosen, width);
    this.place(this.other, shown.base, width);
    this.write(top, step, window, y, width);
  }

  private paintBars(
    context: CanvasRenderingContext2D,
    fills: Fills,
    columns: Column[],
    x: (bin: number) => number,
    y: (tokens: number) => number,
  ): void {
    const { series, marks } = this.shown!;
    const gap = x(1) >= 4 ? 1 : 0;
    const below = new Float64Array(this.bins.length);
    for (const { values, sign } of columns)
      for (const layer of fills.of(sign)) {
        context.fillStyle = layer;
        for (const [n, bin] of this.bins.entries()) {
          const tokens = values[bin.shown];
          if (!tokens) continue;
          const bottom = y(below[n]);
          const upper = y(below[n] + tokens);
          context.fillRect(x(n), upper, x(n + 1) - x(n) - gap, bottom - upper);
          if (layer === fills.of(sign).at(-1)) below[n] += tokens;
        }
      }
    const failed = new Set(series.failed);
    for (const [n, bin] of this.bins.entries()) {
      const left = x(n);
      const width = x(n + 1) - left - gap;
      const all = wholeOf(series, bin.shown);
      const cached = leastPrefix(series, marks, bin);
      context.fillStyle = fills.track;
      context.fillRect(left, TALL + GAP, width, STRIP);
      const share = all && cached > 0 ? Math.min(1, cached / all) : 0;
      context.fillStyle = fills.ok;
      context.fillRect(left, TALL + GAP + STRIP * (1 - share), width, STRIP * share);
      if (!failed.has(bin.shown)) continue;
      context.fillStyle = fills.err;
      context.fillRect(left, TALL - 4, Math.max(2, width), 4);
    }
  }

  /** The cached prefix: a heavy line with a halo, broken where nothing is known of a request. */
  private paintPrefix(
    context: CanvasRenderingContext2D,
    fills: Fills,
    x: (bin: number) => number,
    y: (tokens: number) => number,
  ): void {
    const { series, marks } = this.shown!;
    if (series.ids.length < 2) return;
    context.beginPath();
    let isDown = false;
    for (const [n, bin] of this.bins.entries()) {
      const tokens = leastPrefix(series, marks, bin);
      if (tokens < 0) {
        isDown = false;
        continue;
      }
      const at = Math.min(TALL - 1, y(tokens));
      if (isDown) context.lineTo(x(n), at);
      else context.moveTo(x(n), at);
      context.lineTo(x(n + 1), at);
      isDown = true;
    }
    context.lineJoin = "round";
    for (const [colour, wide] of [
      [fills.ground, 5],
      [fills.ink, 2],
    ] as const) {
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.stroke();
    }
  }

  private paintCompressions(context: CanvasRenderingContext2D, fills: Fills, x: (bin: number) => number): void {
    const { marks } = this.shown!;
    context.strokeStyle = fills.ink;
    context.lineWidth = 2;
    context.setLineDash([4, 3]);
    for (const { at } of marks.compressions) {
      const bin = this.binOf(at);
      if (bin === null) continue;
      context.beginPath();
      context.moveTo(x(bin), 0);
      context.lineTo(x(bin), TALL);
      context.stroke();
    }
    context.setLineDash([]);
  }

  /** The number of the column that has a request; null where it isn't in sight. */
  private binOf(at: number): number | null {
    const { first, last } = this.shown!.sight;
    if (at < first || at > last) return null;
    const found = this.bins.findIndex((bin) => at >= bin.first && at <= bin.last);
    return found < 0 ? null : found;
  }

  /** Where a request stands, as a share of the width; null where it isn't in sight. */
  middleOf(at: number): number | null {
    const bin = this.shown && this.bins.length ? this.binOf(at) : null;
    return bin === null ? null : (bin + 0.5) / this.bins.length;
  }

  private place(frame: HTMLElement, at: number, width: number): void {
    const bin = at < 0 ? null : this.binOf(at);
    frame.hidden = bin === null;
    if (bin === null) return;
    const wide = width / this.bins.length;
    const shown = Math.max(5, wide);
    frame.style.left = `${bin * wide - (shown - wide) / 2}px`;
    frame.style.width = `${shown}px`;
  }

  // --- words

  private write(top: number, step: number, window: number | null, y: (tokens: number) => number, width: number): void {
    const { series, sight } = this.shown!;
    const found: HTMLElement[] = [];
    for (let tokens = 0; tokens < top; tokens += step)
      found.push(h("span", { class: "tick", style: `top:${y(tokens)}px` }, short(tokens)));
    if (window !== null) found.push(label(6, y(window) + 3, "err strong", `window ${grouped(window)}`));
    const name = series.ids.length > 1 ? [label(6, 0, "strong n2", lineName(series))] : [];
    const words = this.compressionWords(window !== null ? Math.max(4, y(window) + 6) : 4, width);
    this.words.replaceChildren(...found, ...name, ...words.flatMap(({ labels }) => labels));
    leaveOutWords(words, width);
    for (const each of name) {
      const bins = Math.max(1, Math.round(this.bins.length * Math.min(1, (each.offsetWidth + 12) / width)));
      const highest = Math.max(...this.bins.slice(0, bins).map((bin) => height(series, bin.shown)));
      each.style.top = `${Math.max(window !== null && y(window) < 40 ? y(window) + 20 : 2, y(highest) - 20)}px`;
    }
    this.strip.textContent = isReported(series) ? "cached" : "alike";
    const beside = [...this.host.root.querySelectorAll<HTMLElement>(".sl, .tick")];
    const widest = Math.max(0, ...beside.map((each) => each.offsetWidth));
    this.host.root.style.setProperty("--beside", `${widest + 2}px`);
    this.element.dataset.sight = `${sight.first}-${sight.last}`;
  }

  /** Words at each compression in sight, with its place. */
  private compressionWords(top: number, width: number): Words[] {
    return this.shown!.marks.compressions.flatMap((each) => {
      const bin = this.binOf(each.at);
      if (bin === null) return [];
      const lost = each.lost ? `; ${each.lost === 1 ? "a rule" : `${each.lost} rules`} lost` : "";
      const left = (bin * width) / this.bins.length;
      const labels = [
        label(left + BESIDE, top, "strong", harmless(each.title)),
        label(left + BESIDE, top + 15, "n2", harmless(each.about) + lost),
      ];
      return [{ left, labels }];
    });
  }

  private say(shown: Shown): void {
    const { series, chosen } = shown;
    const numbers = series.numbers;
    this.element.setAttribute("aria-valuemin", String(numbers[0]));
    this.element.setAttribute("aria-valuemax", String(numbers[numbers.length - 1]));
    this.element.setAttribute("aria-valuenow", String(numbers[chosen]));
    this.element.setAttribute("aria-valuetext", wordsOf(shown, chosen));
  }
}

/** The words of a compression and the place of its line. */
interface Words {
  left: number;
  labels: HTMLElement[];
}

/** Leaves the words that are drawn in front of the next line; the last ones may stand on the left of theirs. */
function leaveOutWords(all: readonly Words[], width: number): void {
  const widths = all.map(({ labels }) => Math.max(...labels.map((each) => each.offsetWidth)) + 2 * BESIDE);
  all.forEach(({ left, labels }, n) => {
    const next = all[n + 1]?.left;
    if ((next ?? width) - left >= widths[n]) return;
    const isLeft = next === undefined && left - (all[n - 1]?.left ?? 0) >= widths[n];
    for (const each of labels) {
      if (!isLeft) each.remove();
      else Object.assign(each.style, { left: "", right: `${width - left + BESIDE}px` });
    }
  });
}

const label = (left: number, top: number, cls: string, words: string): HTMLElement =>
  h("span", { class: `tl0 ${cls}`, style: `left:${left}px;top:${top}px` }, words);

export const lineName = (series: Series): string =>
  isReported(series) ? "cached prefix as reported, heavy line" : "common prefix, counted here";

/** A request in one line: its number, tokens, what was cached, and what happened at it. */
export function wordsOf({ series, marks }: Pick<Shown, "series" | "marks">, at: number): string {
  const reported = series.reported[at];
  const tokens =
    reported >= 0 ? `${grouped(reported)} tokens reported` : `${grouped(series.counted[at])} tokens counted here`;
  const prefix = prefixOf(series, marks, at);
  const cached = prefix < 0 ? "" : `, ${grouped(prefix)} ${isReported(series) ? "cached" : "as before"}`;
  const broken = marks.breaks.filter(([place]) => place === at).map(([, words]) => `, ${harmless(words)}`);
  const time = series.times[at] ? ` at ${series.times[at]}` : "";
  return `request ${grouped(series.numbers[at])}${time}: ${tokens}${cached}${broken.join("")}`;
}
