import { describe, expect, it } from "vitest";
import type { Marks, Series } from "../ctxlab_widgets/recording_view/payload";
import {
  binsOf,
  clamp,
  columnsOf,
  height,
  leastPrefix,
  scaleOf,
  short,
  usualSight,
  wholeOf,
  withPlace,
  zoomed,
} from "../ctxlab_widgets/recording_view/scene";

const made = (counted: number[], reported: number[] = counted.map(() => -1), cached = reported): Series => ({
  ids: counted.map((_, n) => `r${n}`),
  numbers: counted.map((_, n) => n + 1),
  times: counted.map(() => ""),
  counted,
  reported,
  cached,
  written: counted.map(() => -1),
  failed: [],
  windows: [],
  stacks: { source: [{ name: "files", title: "files", sign: "knowledge", values: counted }], tool: [], file: [] },
});
const marks: Marks = { common: [], breaks: [], compressions: [] };

describe("columns of a drawing", () => {
  it("hold every request once, and the largest stands for those of one column", () => {
    const counted = Array.from({ length: 2000 }, (_, n) => (n * 7919) % 1009);
    const series = made(counted);
    const bins = binsOf(series, { first: 100, last: 1899 }, 301);
    expect(bins.length).toBe(150);
    expect(bins[0].first).toBe(100);
    expect(bins.at(-1)?.last).toBe(1899);
    for (const [n, { first, last, shown }] of bins.entries()) {
      if (n) expect(first).toBe(bins[n - 1].last + 1);
      expect(counted[shown]).toBe(Math.max(...counted.slice(first, last + 1)));
    }
  });

  it("are one a request where there is room", () => {
    expect(binsOf(made([1, 2, 3]), { first: 0, last: 2 }, 300).map(({ shown }) => shown)).toEqual([0, 1, 2]);
  });

  it("lose no break: the least prefix of a column is drawn", () => {
    const series = made([9, 9, 9], [9, 9, 9], [8, 0, 7]);
    expect(leastPrefix(series, marks, { first: 0, last: 2, shown: 0 })).toBe(0);
    expect(leastPrefix(made([1, 2]), marks, { first: 0, last: 1, shown: 0 })).toBe(-1);
  });
});

describe("tokens that a vendor counted beyond ours", () => {
  it("are a column of their own, at the bottom", () => {
    const columns = columnsOf(made([10, 20], [15, 18]), "source");
    expect(columns.map(({ sign, values }) => [sign, values])).toEqual([
      ["reserve", [5, 0]],
      ["knowledge", [10, 20]],
    ]);
    expect(height(made([10, 20], [15, 18]), 0)).toBe(15);
  });

  it("stand on top where the prefix is the one counted here, in whose count all is then", () => {
    const series = made([10, 20], [15, 18], [-1, -1]);
    expect(columnsOf(series, "source").map(({ sign }) => sign)).toEqual(["knowledge", "reserve"]);
    expect([wholeOf(series, 0), wholeOf(made([10], [15]), 0)]).toEqual([10, 15]);
  });

  it("are none where nothing was reported", () => {
    expect(columnsOf(made([10, 20]), "source").length).toBe(1);
  });
});

describe("what is in sight", () => {
  it("is all of a short recording, and a hundred requests of a long one, with the chosen one among them", () => {
    expect(usualSight(50, 3)).toEqual({ first: 0, last: 49 });
    for (const chosen of [0, 70, 1999]) {
      const { first, last } = usualSight(2000, chosen);
      expect(last - first + 1).toBe(100);
      expect(first <= chosen && chosen <= last).toBe(true);
    }
  });

  it("never leaves the recording", () => {
    expect(clamp({ first: -5, last: 4 }, 20)).toEqual({ first: 0, last: 9 });
    expect(clamp({ first: 15, last: 24 }, 20)).toEqual({ first: 10, last: 19 });
    expect(clamp({ first: 3, last: 3 }, 2)).toEqual({ first: 0, last: 1 });
  });

  it("keeps its place under the pointer when it grows or shrinks", () => {
    for (const by of [0.5, 0.9, 1.1, 2]) {
      const sight = zoomed({ first: 100, last: 199 }, 150, by, 2000);
      expect(Math.abs((150 - sight.first) / (sight.last - sight.first + 1) - 0.5)).toBeLessThan(0.02);
    }
    expect(zoomed({ first: 0, last: 3 }, 1, 0.1, 2000)).toEqual({ first: 0, last: 3 });
  });

  it("moves as little as brings a request into it", () => {
    expect(withPlace({ first: 10, last: 19 }, 12, 100)).toEqual({ first: 10, last: 19 });
    expect(withPlace({ first: 10, last: 19 }, 25, 100)).toEqual({ first: 16, last: 25 });
    expect(withPlace({ first: 10, last: 19 }, 2, 100)).toEqual({ first: 2, last: 11 });
  });
});

describe("the scale", () => {
  it("holds what is in sight, and the window where it is near", () => {
    const series = { ...made([100, 190]), windows: [[0, 1, 200, "m"]] as Series["windows"] };
    expect(scaleOf(series, { first: 0, last: 1 }).window).toBe(200);
    expect(scaleOf(series, { first: 0, last: 1 }).top).toBeGreaterThan(200);
    expect(scaleOf(series, { first: 0, last: 0 }).window).toBe(null);
  });

  it("has whole steps with short names", () => {
    expect(scaleOf(made([170_000]), { first: 0, last: 0 }).step).toBe(50_000);
    expect([0, 950, 50_000, 2500, 1_500_000].map(short)).toEqual(["0", "950", "50k", "2.5k", "1.5M"]);
  });
});
