import { expect, test } from "vitest";
import { applyDelta, type ViewDelta } from "../ctxlab_widgets/_shared/view_delta";
import { made } from "./made";

test("a delta brings its own steps, and table rows behind those that are known", () => {
  const base = made();
  const since = { texts: 10, causes: 4, spans: 10, drafts: 4 };
  const delta: ViewDelta = { ...made(), texts: ["new"], causes: [], spans: [], drafts: [], leaf: "c", since };

  const view = applyDelta(base, delta);

  expect(view.texts.slice(-2)).toEqual([" here", "new"]);
  expect([view.drafts.length, view.leaf]).toEqual([4, "c"]);
  expect(base.drafts).toHaveLength(5);
});

test("without a delta the view is the newest", () => {
  const base = made();

  expect(applyDelta(base, {})).toBe(base);
});
