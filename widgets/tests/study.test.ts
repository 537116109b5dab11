import { describe, expect, it } from "vitest";
import { type Box, cutName, type Named, placed, stepBoxes } from "../ctxlab_widgets/study/labels";
import { inOrder, lookOf, pointsOf, type Row, type View } from "../ctxlab_widgets/study/payload";
import { fewer, scaleOf, share, stepOf, tickText } from "../ctxlab_widgets/study/scale";

const row = (variant: string, more: Partial<Row> = {}): Row => ({
  variant,
  baseline: false,
  oracle: false,
  frontier: false,
  labelled: true,
  mean: [50, 40, 60],
  text: "50.0",
  between: "40.0–60.0",
  difference: null,
  verdict: "open",
  cost: 1,
  extras: [],
  left_out: 0,
  says: "",
  ...more,
});

describe("scales", () => {
  it("have round ticks around all values", () => {
    expect(scaleOf([1.26, 3.72], { ticks: 6 }).ticks).toEqual([1, 1.5, 2, 2.5, 3, 3.5, 4]);
    expect(scaleOf([12, 88.4], { zero: true, from: 0, to: 100 }).ticks).toEqual([0, 20, 40, 60, 80, 100]);
    expect(scaleOf([-3.8, 64], { ticks: 5, zero: true })).toMatchObject({ low: -20, high: 80 });
  });

  it("hold every value, whatever the values are", () => {
    for (const values of [[0], [5], [-2, -1], [1e-7, 2e-7], [0, 1e9], [100, 100], [99.99, 100]]) {
      const { low, high, ticks } = scaleOf(values);
      expect(low).toBeLessThanOrEqual(Math.min(...values));
      expect(high).toBeGreaterThanOrEqual(Math.max(...values));
      expect(low).toBeLessThan(high);
      expect(ticks.length).toBeLessThan(12);
      expect(new Set(ticks).size).toBe(ticks.length);
    }
  });

  it("say where a value stands, and step by 1, 2 and 5", () => {
    expect(share(scaleOf([0, 100]), 25)).toBe(0.25);
    expect([0.3, 1, 1.1, 40].map(stepOf)).toEqual([0.5, 1, 2, 50]);
  });

  it("keep 0 where there is room for a few numbers only", () => {
    expect(fewer([-20, 0, 20, 40, 60, 80, 100], 4)).toEqual([0, 40, 80]);
    expect(fewer([1, 1.5, 2, 2.5], 9)).toEqual([1, 1.5, 2, 2.5]);
    expect(tickText(-1500)).toBe("−1,500");
  });
});

describe("names beside points", () => {
  const within: Box = { x: 0, y: 0, width: 400, height: 300 };
  const named = (x: number, y: number, width = 60): Named => {
    const size = { width, height: 14, ascent: 11 };
    return { x, y, ...size, weight: 0, top: y - 20, bottom: y + 20 };
  };
  const boxOf = ({ x, y, top, bottom }: Named): Box => ({
    x: x - 4,
    y: Math.min(top, y),
    width: 8,
    height: bottom - top,
  });
  const meet = (a: Box, b: Box) =>
    a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

  it("touch neither one another nor a point, and stay inside", () => {
    const names = Array.from({ length: 14 }, (_, i) => named(200 + (i % 5) * 7, 60 + i * 12));
    const points = names.map(boxOf);
    const found = placed(names, points, within).flatMap((place) => place?.box ?? []);

    expect(found.length).toBeGreaterThan(4);
    for (const [i, box] of found.entries()) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(400);
      for (const other of [...found.slice(i + 1), ...points]) expect(meet(box, other)).toBe(false);
    }
  });

  it("are left out where there is no room, those with less weight first", () => {
    const crowd = Array.from({ length: 40 }, (_, i) => ({ ...named(200, 150), weight: i === 39 ? 1 : 0 }));
    const found = placed(crowd, [], within);

    expect(found[39]).not.toBeNull();
    expect(found.some((place) => place === null)).toBe(true);
  });

  it("keep off the line of the frontier", () => {
    const places = [
      { x: 50, y: 200 },
      { x: 200, y: 100 },
    ];
    const line = stepBoxes(places);
    const [name] = placed([named(50, 200, 70)], line, within);

    expect(line.some((box) => meet(box, name!.box))).toBe(false);
  });

  it("are cut whole", () => {
    expect(cutName("👩‍🚀".repeat(40)).endsWith("…")).toBe(true);
    expect(cutName("short")).toBe("short");
  });
});

describe("rows", () => {
  const rows = [row("base", { baseline: true }), row("a"), row("b"), row("c")];

  it("come as the study has them, what is chosen before the rest", () => {
    expect(inOrder(rows, new Set()).map((each) => each.variant)).toEqual(["base", "a", "b", "c"]);
    expect(inOrder(rows, new Set(["c"])).map((each) => each.variant)).toEqual(["base", "c", "a", "b"]);
  });

  it("have a place in the plot where there is a score and a cost, and are no oracle", () => {
    const view = { rows: [row("a"), row("b", { cost: null }), row("c", { mean: null }), row("o", { oracle: true })] };

    expect(pointsOf(view as View).map((each) => each.variant)).toEqual(["a"]);
  });

  it("are green or red only where a difference is told apart", () => {
    expect(["open", "better", "worse", "higher", "not compared"].map((each) => lookOf(each as Row["verdict"]))).toEqual(
      [...["open", "ok", "err", "told", "open"]],
    );
  });
});
