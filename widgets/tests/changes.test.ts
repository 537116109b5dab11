import { describe, expect, test } from "vitest";
import { changeRows, rising, summary } from "../ctxlab_widgets/_shared/message_changes";
import { boxes } from "../ctxlab_widgets/_shared/trace_view";
import { folded } from "../ctxlab_widgets/step_debugger/fold_rows";
import { made } from "./made";

const kinds = (at: number, scope: "step" | "start" = "step") =>
  changeRows(made(), at, scope).map((row) => `${row.kind} ${made().drafts[row.draft].key}`);

describe("the row of steps", () => {
  test("has every step of the pipeline, done, off and to come", () => {
    expect(boxes(made()).map(({ id, state, at }) => `${id} ${state} ${at}`)).toEqual([
      "loader done 1",
      "regex done 2",
      "off off 2",
      "limiter done 3",
      "assembler done 4",
      "merge done 5",
      "late todo 6",
    ]);
  });

  test("shows a person's edit where it was made", () => {
    const view = made();
    view.steps.splice(1, 0, { ...view.steps[0], id: "edit", edited: true });

    expect(
      boxes(view)
        .slice(0, 3)
        .map((box) => `${box.id} ${box.state}`),
    ).toEqual(["loader done", "edit edited", "regex done"]);
  });

  test("counts tokens before and after", () => {
    expect(boxes(made()).map(({ before, after }) => [before, after])[1]).toEqual([30, 25]);
  });
});

describe("what a step did", () => {
  test("each kind is told from the others", () => {
    expect(kinds(0)).toEqual([]);
    expect(kinds(1)).toEqual(["added node:b", "added node:a"]);
    expect(kinds(2)).toEqual(["same node:b", "rewritten node:a"]);
    expect(kinds(3)).toEqual(["dropped node:b", "same node:a"]);
    expect(kinds(4)).toEqual(["same node:a", "added preset:p"]);
    expect(kinds(5)).toEqual(["merged node:a"]);
  });

  test("since the start everything that happened is told at once", () => {
    expect(kinds(4, "start")).toEqual(["dropped node:b", "rewritten node:a", "added preset:p"]);
    expect(summary(changeRows(made(), 4, "start"))).toBe("1 added, 1 rewritten, 1 dropped");
  });

  test("a cut carries its cause", () => {
    expect(changeRows(made(), 3, "step")[0]).toMatchObject({ cause: 1, number: null, from: 0 });
  });

  test("a message that changed places is moved, and only that one", () => {
    const view = made();
    view.steps[1].drafts = [1, 0];

    expect(changeRows(view, 2, "step").map((row) => [row.kind, row.from, row.number])).toEqual([
      ["moved", 1, 0],
      ["same", 0, 1],
    ]);
  });

  test.each([
    [[], []],
    [
      [3, 1, 2],
      [1, 2],
    ],
    [
      [0, 4, 1, 2, 3],
      [0, 1, 2, 3],
    ],
    [[5, 4, 3], [3]],
  ])("of %j the rest that rises is %j", (numbers, stay) => {
    expect([...rising(numbers)].sort((a, b) => a - b)).toEqual(stay);
  });
});

describe("folding", () => {
  const same = changeRows(made(), 1, "step")[0];
  const run = (n: number, kind: typeof same.kind) =>
    Array.from({ length: n }, (_, i) => ({ ...same, kind, draft: i, number: i }));
  const sizes = (n: number, kind: typeof same.kind, open = new Map<string, number>()) =>
    folded(run(n, kind), open).map((item) => ("row" in item ? 1 : item.fold.rows.length));

  test("unchanged neighbours fold into one row", () => expect(sizes(900, "same")).toEqual([900]));
  test("of dropped ones the border stays in sight", () => expect(sizes(9, "dropped")).toEqual([8, 1]));
  test("a few that changed stay", () => expect(sizes(7, "added")).toEqual([1, 1, 1, 1, 1, 1, 1]));
  test("many that changed fold in the middle", () => expect(sizes(300, "added")).toEqual([1, 1, 1, 1, 294, 1, 1]));
  test("a fold opens by a hundred", () => {
    const found = sizes(300, "same", new Map([["same:0", 100]]));

    expect(found).toHaveLength(101);
    expect(found.at(-1)).toBe(200);
  });
});
