// Scores against what they cost: a point a variant with its whiskers, the frontier filled and linked, a rectangle to choose.

import { h, harmless } from "../_shared/dom";
import { isSingle, moved, onlyStop, taken } from "../_shared/keyboard";
import { Brush } from "./brush";
import { type Box, cutName, type Named, placed, stepBoxes } from "./labels";
import { type Point, pointsOf, type View } from "./payload";
import { fewer, type Scale, scaleOf, share, tickText } from "./scale";
import { round, svg } from "./svg";
import { TextSizes } from "./text_sizes";

export interface PlotHost {
  live: boolean;
  signal: AbortSignal;
  pick(variant: string): void;
  pin(variant: string): void;
  choose(variant: string): void;
  brushed(variants: string[]): void;
}

/** The inside of the plot in pixels, and the scales that fill it. */
export interface Frame {
  left: number;
  /** Room behind the plot. */
  right: number;
  top: number;
  width: number;
  height: number;
  x: Scale;
  y: Scale;
  /** Pixels from a tick to the next, so that their numbers stand apart. */
  tickRoom: number;
  /** Height of the whole drawing. */
  tall: number;
}

const LEAST_LEFT = 46;
const TOP = 22;
const LEAST_RIGHT = 14;
const BOTTOM = 38;
const LEAST_TALL = 348;
const NARROW = 560;

export class Plot {
  readonly element = h("div", { class: "plot" });
  private readonly brush: Brush;
  private readonly sizes = new TextSizes(this.element);
  private drawing: SVGElement | null = null;
  private shown: { view: View; picked: readonly string[]; chosen: ReadonlySet<string> } | null = null;
  private at = "";
  private size = "";

  constructor(private readonly host: PlotHost) {
    const { signal } = host;
    this.brush = new Brush({ redraw: () => this.redraw(), done: (frame) => this.brushed(frame), signal });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    const sizes = new ResizeObserver(() => {
      if (this.sizeNow().join() !== this.size) this.resized();
    });
    sizes.observe(this.element);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  draw(view: View, picked: readonly string[], chosen: ReadonlySet<string>): void {
    const before = this.shown?.view;
    if (before && (before.cost?.name !== view.cost?.name || before.score.name !== view.score.name)) this.brush.clear();
    if (!chosen.size) this.brush.forget();
    this.shown = { view, picked, chosen };
    this.resized();
  }

  /** Takes the rectangle away; what it holds is up to the caller. */
  unbrush(): void {
    this.brush.clear();
  }

  private resized(): void {
    this.sizes.forget();
    this.redraw();
  }

  private redraw(): void {
    const { shown } = this;
    const [width, tall] = this.sizeNow();
    if (!shown || !width) return;
    this.size = `${width},${tall}`;
    const hadFocus = this.element.contains(document.activeElement);
    const points = pointsOf(shown.view);
    if (!points.length) {
      this.drawing = null;
      this.element.replaceChildren(h("p", { class: "empty" }, nothing(shown.view)));
      return;
    }
    const frame = frameOf(this.sizes, shown.view, points, width, tall);
    const marks = points.map((point) => this.mark(point, frame, shown));
    this.drawing = svg(
      "svg",
      {
        viewBox: `0 0 ${width} ${tall}`,
        width,
        height: tall,
        role: "group",
        "aria-label": harmless(label(shown.view)),
      },
      ...grid(this.sizes, shown.view, frame),
      ...this.brush.under(frame),
      ...oracle(this.sizes, shown.view, frame),
      ...link(shown.view, points, frame),
      ...marks,
      ...names(this.sizes, points, frame, shown),
      ...this.brush.handles(frame),
    );
    if (this.host.live) this.brush.listen(this.drawing, frame);
    this.element.replaceChildren(this.drawing);
    const all = this.marks();
    const found = all.findIndex((each) => each.dataset.variant === this.at);
    onlyStop(all, Math.max(0, found));
    if (hadFocus && found >= 0) all[found].focus();
  }

  private sizeNow(): [width: number, tall: number] {
    return [Math.floor(this.element.clientWidth), Math.max(LEAST_TALL, Math.floor(this.element.clientHeight))];
  }

  private mark(
    point: Point,
    frame: Frame,
    { picked, chosen }: { picked: readonly string[]; chosen: ReadonlySet<string> },
  ): SVGElement {
    const [mean, low, high] = point.mean;
    const x = across(frame, point.cost);
    const y = down(frame, mean);
    const isPicked = picked.includes(point.variant);
    const cls = ["pt", point.frontier ? "on" : "", chosen.size && !chosen.has(point.variant) ? "out" : ""];
    const words = harmless(`${point.variant}: ${point.says}${point.frontier ? ", on the frontier" : ""}`);
    const ends =
      low === undefined || high === undefined
        ? []
        : [svg("path", { class: "ends", d: interval(x, down(frame, low), down(frame, high)) })];
    return svg(
      "g",
      {
        class: cls.filter(Boolean).join(" "),
        role: "button",
        tabindex: -1,
        "aria-pressed": String(isPicked),
        "aria-label": words,
        "data-variant": point.variant,
      },
      svg("title", {}, words),
      svg("circle", { class: "hit", cx: x, cy: y, r: 12 }),
      ...ends,
      ...(isPicked ? [svg("circle", { class: "ring", cx: x, cy: y, r: 9 })] : []),
      svg("circle", { class: "dot", cx: x, cy: y, r: point.frontier ? 5 : 4 }),
    );
  }

  private marks(): HTMLElement[] {
    const all = [...this.element.querySelectorAll<HTMLElement>(".pt")];
    return all.sort((a, b) => this.order(a) - this.order(b));
  }

  private order(mark: HTMLElement): number {
    return Number(mark.querySelector(".dot")?.getAttribute("cx") ?? 0);
  }

  private brushed(frame: Frame): void {
    const held = this.brush.held();
    if (!this.shown) return;
    const points = held ? pointsOf(this.shown.view).filter((point) => within(held, point, frame)) : [];
    if (!points.length) this.brush.clear();
    this.host.brushed(points.map((point) => point.variant));
  }

  private clicked(event: Event): void {
    const mark = (event.target as Element).closest<HTMLElement>(".pt");
    if (!mark || !this.host.live) return;
    this.at = mark.dataset.variant!;
    this.host.pick(this.at);
  }

  private pressed(event: KeyboardEvent): void {
    const all = this.marks();
    const at = all.indexOf(event.target as HTMLElement);
    if (at < 0 || !isSingle(event)) return;
    const { host } = this;
    const to = moved(event.key, at, all.length) ?? moved(event.key, at, all.length, true);
    const variant = all[at].dataset.variant!;
    this.at = variant;
    const key = event.key.toLowerCase();
    if (to !== null) {
      taken(event);
      onlyStop(all, to);
      all[to].focus();
      this.at = all[to].dataset.variant!;
    } else if (key === "enter" || key === " ") {
      taken(event);
      if (host.live) host.pick(variant);
    } else if (key === "p" && host.live) {
      taken(event);
      host.pin(variant);
    } else if (key === "b") {
      taken(event);
      host.choose(variant);
    }
  }
}

export const across = (frame: Frame, cost: number): number => frame.left + share(frame.x, cost) * frame.width;
export const down = (frame: Frame, score: number): number => frame.top + (1 - share(frame.y, score)) * frame.height;

function frameOf(sizes: TextSizes, view: View, points: Point[], width: number, tall: number): Frame {
  const isShare = view.score.unit === "%";
  const above = view.rows.find((row) => row.oracle)?.mean;
  const scores = [...points.flatMap((point) => point.mean as number[]), ...(above ? [above[0]] : [])];
  const x = scaleOf(
    points.map((point) => point.cost),
    { ticks: width < NARROW ? 4 : 6 },
  );
  const y = scaleOf(scores, { ticks: 5, zero: true, ...(isShare ? { from: 0, to: 100 } : {}) });
  const column = sizes.widest(x.ticks.map(tickText));
  const left = Math.max(LEAST_LEFT, Math.ceil(sizes.widest(y.ticks.map((tick) => scoreText(view, tick)))) + 8);
  const right = Math.max(LEAST_RIGHT, Math.ceil(column / 2) + 2);
  const [inside, high] = [width - left - right, tall - TOP - BOTTOM];
  return { left, right, top: TOP, width: inside, height: high, x, y, tickRoom: column + 20, tall };
}

const scoreText = ({ score }: View, tick: number): string => tickText(tick) + (score.unit ? ` ${score.unit}` : "");

function grid(sizes: TextSizes, view: View, frame: Frame): SVGElement[] {
  const right = frame.left + frame.width;
  const bottom = frame.top + frame.height;
  const rows = frame.y.ticks.flatMap((tick) => [
    svg("path", {
      class: tick === frame.y.low ? "ground" : "line",
      d: `M${frame.left} ${round(down(frame, tick))}H${right}`,
    }),
    svg("text", { x: frame.left - 6, y: down(frame, tick) + 4, "text-anchor": "end" }, scoreText(view, tick)),
  ]);
  const columns = fewer(frame.x.ticks, Math.max(2, Math.floor(frame.width / frame.tickRoom))).flatMap((tick) => [
    svg("path", { class: "ground", d: `M${round(across(frame, tick))} ${bottom}v4` }),
    svg("text", { x: across(frame, tick), y: bottom + 16, "text-anchor": "middle" }, tickText(tick)),
  ]);
  const title = (words: string): string => sizes.fitting(harmless(words), frame.width);
  return [
    ...rows,
    ...columns,
    svg("text", { x: right, y: frame.tall - 4, "text-anchor": "end" }, `${title(view.cost?.title ?? "")} →`),
    svg("text", { x: 8, y: 12 }, `↑ ${title(view.score.title)}`),
  ];
}

/** The best that there can be, as a line. */
function oracle(sizes: TextSizes, view: View, frame: Frame): SVGElement[] {
  const row = view.rows.find((each) => each.oracle);
  if (!row?.mean) return [];
  const y = down(frame, row.mean[0]);
  const right = frame.left + frame.width;
  const words = sizes.fitting(`${harmless(cutName(row.variant))}, ${row.text}`, frame.width);
  return [
    svg("path", { class: "oracle", d: `M${frame.left} ${round(y)}H${right}` }),
    svg("text", { x: right, y: y - 4, "text-anchor": "end" }, words),
  ];
}

/** Where the points of the frontier are, from the cheapest on. */
function placesOf(view: View, points: Point[], frame: Frame): { x: number; y: number }[] {
  const by = new Map(points.map((point) => [point.variant, point]));
  const on = view.frontier.flatMap((name) => by.get(name) ?? []);
  return on.map((point) => ({ x: round(across(frame, point.cost)), y: round(down(frame, point.mean[0])) }));
}

/** The frontier as steps: between two points the cheaper one is the best there is. */
function link(view: View, points: Point[], frame: Frame): SVGElement[] {
  const places = placesOf(view, points, frame);
  const d = places.map(({ x, y }, i) => (i ? `H${x}V${y}` : `M${x} ${y}`));
  return places.length > 1 ? [svg("path", { class: "frontier", d: d.join("") })] : [];
}

function names(
  sizes: TextSizes,
  points: Point[],
  frame: Frame,
  { view, picked, chosen }: { view: View; picked: readonly string[]; chosen: ReadonlySet<string> },
): SVGElement[] {
  const isPicked = (point: Point): boolean => picked.includes(point.variant);
  const named = points.filter((point) => point.labelled || chosen.has(point.variant) || isPicked(point));
  const texts = named.map((point) => [harmless(cutName(point.variant)), `nm${point.frontier ? " on" : ""}`] as const);
  const known = sizes.of(texts);
  const wanted = named.map((point, i): Named => {
    const weight =
      (point.frontier ? 2 : 0) +
      (point.baseline ? 2 : 0) +
      (chosen.has(point.variant) ? 1 : 0) +
      (isPicked(point) ? 3 : 0);
    const [mean, low = mean, high = mean] = point.mean;
    const [y, top, bottom] = [down(frame, mean), down(frame, high), down(frame, low)];
    return {
      x: across(frame, point.cost),
      y,
      top: Math.min(top, y - 6),
      bottom: Math.max(bottom, y + 6),
      ...known[i],
      weight,
    };
  });
  const bounds = {
    x: frame.left + 2,
    y: 2,
    width: frame.width + frame.right - 4,
    height: frame.top + frame.height - 2,
  };
  const taken = [...points.flatMap((point) => boxesOf(point, frame)), ...stepBoxes(placesOf(view, points, frame))];
  const found = placed(wanted, taken, bounds);
  return named.flatMap((_, i) => {
    const at = found[i];
    if (!at) return [];
    const [text, look] = texts[i];
    const leader = at.leader ? [svg("path", { class: "leader", d: at.leader })] : [];
    return [...leader, svg("text", { class: look, x: at.x, y: at.y }, text)];
  });
}

function boxesOf(point: Point, frame: Frame): Box[] {
  const x = across(frame, point.cost);
  const [mean, low, high] = point.mean;
  const y = down(frame, mean);
  const dot = { x: x - 6, y: y - 6, width: 12, height: 12 };
  if (low === undefined || high === undefined) return [dot];
  const top = down(frame, high);
  return [dot, { x: x - 4, y: top - 1, width: 8, height: down(frame, low) - top + 2 }];
}

const interval = (x: number, low: number, high: number): string => {
  const [at, from, to] = [round(x), round(low), round(high)];
  return `M${at} ${from}V${to}M${at - 3} ${from}h6M${at - 3} ${to}h6`;
};

function within(held: Box, point: Point, frame: Frame): boolean {
  const x = across(frame, point.cost);
  const y = down(frame, point.mean[0]);
  return x >= held.x && x <= held.x + held.width && y >= held.y && y <= held.y + held.height;
}

const nothing = (view: View): string =>
  view.cost
    ? "No variant has both a score and a cost here: choose another budget, score or cost."
    : "Nothing in these cells says what a variant costs: a frame with a column `tokens` does.";

const label = (view: View): string =>
  `${view.score.title} against ${view.cost?.title ?? ""}; the frontier: ${view.frontier.join(", ")}`;
