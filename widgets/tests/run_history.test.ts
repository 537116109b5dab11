import { describe, expect, it } from "vitest";
import { countWords, forksFirst, isFork, type RunChip } from "../ctxlab_widgets/run_history/payload";

const run = (name: string, parent: string | null, row = 0): RunChip => ({
  name,
  parent,
  row,
  column: 0,
  sub: "",
  tokens: 1,
  of: null,
  messages: 1,
  failed: "",
  effect: null,
  python: "",
});

describe("runs", () => {
  const runs = [run("a", null), run("b", "a"), run("c", "b"), run("d", "a", 1), run("e", "d", 1), run("f", "b", 2)];

  it("stand below the one that they were made from in a single column", () => {
    expect(forksFirst(runs).map(({ name }) => name)).toEqual(["a", "d", "e", "b", "f", "c"]);
  });

  it("are forks where they stand in another row than their parent, and are counted", () => {
    expect(runs.filter((each) => isFork(runs, each)).map(({ name }) => name)).toEqual(["d", "f"]);
    expect(countWords(runs)).toBe("6, 2 forked");
    expect(countWords(runs.slice(0, 4))).toBe("4, one forked");
    expect(countWords(runs.slice(0, 1))).toBe("1");
  });
});
