import { describe, expect, test } from "vitest";
import { RowOffsets } from "../ctxlab_widgets/_shared/virtual_rows";

describe("rows of one height", () => {
  test.each([null, 0, 3, 10])("each is found again by its place, with a gap above row %s", (above) => {
    const rows = RowOffsets.even(10, 18, above === null ? null : { above, height: 24 });

    for (let row = 0; row < 10; row++) {
      expect(rows.at(rows.top(row))).toBe(row);
      expect(rows.at(rows.top(row) + 17)).toBe(row);
      expect(rows.bottom(row) - rows.top(row)).toBe(18);
    }
    expect(rows.height).toBe(10 * 18 + (above === null ? 0 : 24));
  });

  test("a place in the gap belongs to the row below it", () => {
    const rows = RowOffsets.even(10, 18, { above: 3, height: 24 });

    expect([rows.at(3 * 18 - 1), rows.at(3 * 18), rows.at(3 * 18 + 24)]).toEqual([2, 3, 3]);
    expect(rows.top(3)).toBe(3 * 18 + 24);
  });

  test("a place outside belongs to the nearest row", () => {
    const rows = RowOffsets.even(10, 18);

    expect([rows.at(-5), rows.at(1e9)]).toEqual([0, 9]);
  });
});

describe("rows of their own heights", () => {
  const rows = new RowOffsets([24, 38, 160, 24]);

  test("stand one below the other", () => {
    expect([0, 1, 2, 3].map((row) => rows.top(row))).toEqual([0, 24, 62, 222]);
    expect(rows.height).toBe(246);
    expect([23, 24, 221, 222].map((y) => rows.at(y))).toEqual([0, 1, 2, 3]);
  });

  test("a row is scrolled to no further than it takes", () => {
    expect(rows.scrollTo(1, 30, 100)).toBe(24);
    expect(rows.scrollTo(3, 30, 100)).toBe(146);
    expect(rows.scrollTo(1, 20, 100)).toBe(20);
    expect(rows.scrollTo(2, 0, 100)).toBe(62);
  });
});

describe("of many rows", () => {
  test("those in view are drawn with a few around them", () => {
    const rows = RowOffsets.even(1000, 24);
    const [first, end] = rows.range(12_000, 600, 240);

    expect(rows.top(first)).toBeLessThanOrEqual(12_000 - 240);
    expect(rows.bottom(end - 1)).toBeGreaterThanOrEqual(12_600 + 240);
    expect(end - first).toBeLessThan(60);
  });

  test("all are drawn where there are few", () => expect(new RowOffsets([24, 38]).range(0, 600, 240)).toEqual([0, 2]));

  test("none are drawn where there is none", () => {
    const rows = new RowOffsets([]);

    expect(rows.range(100, 600, 240)).toEqual([0, 0]);
    expect([rows.at(10), rows.height]).toEqual([0, 0]);
  });
});
