import { expect, test } from "vitest";
import { PagedRows } from "../ctxlab_widgets/workspace_view/paged_rows";

test("rows that come into sight are asked for once, and again only where some are still missing", () => {
  const asked: number[] = [];
  const rows = new PagedRows<string>((start) => asked.push(start));
  rows.take({ start: 0, rows: ["a", "b"] });

  rows.want(0, 2);
  rows.want(1, 6);
  rows.want(1, 6);
  expect(asked).toEqual([2]);

  rows.take({ start: 2, rows: ["c", "d"] });
  rows.want(1, 6);
  expect(asked).toEqual([2, 4]);
  expect(rows.find((row) => row === "d")).toBe(3);

  rows.reset();
  expect(rows.at(0)).toBeUndefined();
});
