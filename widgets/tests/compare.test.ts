import { describe, expect, test } from "vitest";
import { bar, stretches } from "../ctxlab_widgets/compare/barcode";
import { columnWidths } from "../ctxlab_widgets/compare/column_widths";
import { signed } from "../ctxlab_widgets/compare/ledgers";
import { type Cell, type CellState, type ComparisonRow, shownColumns, viewOf } from "../ctxlab_widgets/compare/payload";
import { cellLabel, foldCell, type Item, items } from "../ctxlab_widgets/compare/rows";
import { wordDiff } from "../ctxlab_widgets/compare/word_diff";

const cell = (state: CellState, more: Partial<Cell> = {}): Cell => ({
  state,
  tokens: state === "not there" ? 0 : 10,
  cause: "",
  note: "",
  text: state === "not there" ? -1 : 0,
  alike: state === "kept",
  ...more,
});

const row = (key: string, states: (CellState | Cell)[]): ComparisonRow => {
  const made = states.map((each) => (typeof each === "string" ? cell(each) : each));
  const cells = made.map((each) => ({ ...each, alike: each.state === made[0].state && each.text === made[0].text }));
  const differs = cells.some((each) => each.state !== cells[0].state);
  return { key, words: key, role: "user", look: "history", differs, cells };
};

const rows = (n: number, states: (CellState | Cell)[], from = 0): ComparisonRow[] =>
  Array.from({ length: n }, (_, i) => row(`node:${from + i}`, states));

const shown = (
  of: ComparisonRow[],
  more: Partial<{ onlyDifferences: boolean; opened: Set<string>; unfolded: Set<string> }> = {},
): string[] =>
  items(of, { onlyDifferences: false, opened: new Set(), unfolded: new Set(), ...more }).map((item: Item) =>
    item.kind === "fold" ? item.words : `${item.kind} ${item.row.key}`,
  );

describe("rows", () => {
  test("that are the same in all runs are one, from two on", () => {
    expect(shown(rows(8, ["kept", "kept"]))).toEqual(["8 messages, same"]);
    expect(shown(rows(1, ["kept", "kept"]))).toEqual(["row node:0"]);
  });

  test("that all runs cut are one, from two on", () => {
    expect(shown(rows(2, ["cut", "cut"]))).toEqual(["2 messages, cut"]);
  });

  test("that some runs cut are one from four on", () => {
    expect(shown(rows(3, ["kept", "cut", "cut"]))).toHaveLength(3);
    expect(shown(rows(4, ["kept", "cut", "cut"]))).toEqual(["4 messages, cut in 2 of 3"]);
    expect(shown(rows(4, ["not there", "only here"]))).toEqual(["4 messages, in 1 of 2"]);
  });

  test("with other causes stay apart", () => {
    const one = rows(2, [cell("cut", { cause: "a" })]);
    const other = rows(2, [cell("cut", { cause: "b" })], 2);

    expect(shown([...one, ...other])).toEqual(["2 messages, cut", "2 messages, cut"]);
  });

  test("that were changed or moved are never folded", () => {
    expect(shown(rows(9, ["kept", "rewritten"]))).toHaveLength(9);
    expect(shown(rows(9, ["moved", "moved"]))).toHaveLength(9);
  });

  test("that say how they are sent are never folded", () => {
    expect(shown(rows(9, [cell("kept", { cause: "a part", note: "a part" }), "kept"]))).toHaveLength(9);
  });

  test("that are the same are left out when only differences are asked for", () => {
    const all = [...rows(3, ["kept", "kept"]), row("node:x", ["kept", "cut"])];

    expect(shown(all, { onlyDifferences: true })).toEqual(["row node:x"]);
  });

  test("that are open stand alone with their texts below", () => {
    const all = rows(5, ["kept", "kept"]);

    expect(shown(all, { opened: new Set(["node:2"]) })).toEqual([
      "2 messages, same",
      "row node:2",
      "texts node:2",
      "2 messages, same",
    ]);
  });

  test("that were unfolded stand below the row that folds them again", () => {
    expect(shown(rows(2, ["kept"]), { unfolded: new Set(["node:0"]) })).toEqual([
      "2 messages, same",
      "row node:0",
      "row node:1",
    ]);
  });

  test("of a run that failed have no cell, and fold by the others", () => {
    const one = (key: string): ComparisonRow => ({ ...row(key, ["kept", "kept"]), cells: [cell("kept"), null] });

    expect(shown([one("node:0"), one("node:1")])).toEqual(["2 messages, same"]);
    expect(foldCell([one("node:0")], 1)).toBeNull();
  });

  test("that are folded have their tokens added up for each run", () => {
    expect(foldCell(rows(3, ["kept", "cut"]), 0)?.tokens).toBe(30);
  });
});

describe("a cell says", () => {
  const said = (here: Cell, base: Cell) => {
    const { sign, word } = cellLabel(here, base);
    return `${sign} ${word}`.trim();
  };
  const unlike = (state: CellState, more: Partial<Cell> = {}) => cell(state, { alike: false, ...more });

  test("in the base kept or cut, never that it is the same", () => {
    const states: CellState[] = ["kept", "moved", "only here", "shortened", "rewritten", "cut", "not there"];

    expect(states.map((state) => cellLabel(cell(state), null).word)).toEqual([
      "kept",
      "kept",
      "kept",
      "shortened",
      "rewritten",
      "cut",
      "",
    ]);
  });

  test("= only where it is as the base, also where both cut it", () => {
    expect(said(cell("kept"), cell("kept"))).toBe("=");
    expect(said(cell("cut", { alike: true }), cell("cut"))).toBe("= cut");
  });

  test("kept where the base cut it, and cut where the base kept it", () => {
    expect(said(unlike("kept"), cell("cut"))).toBe("+ kept");
    expect(said(unlike("shortened"), cell("cut"))).toBe("+ kept in part");
    expect(said(unlike("only here"), cell("not there"))).toBe("+ kept");
    expect(said(unlike("cut"), cell("kept"))).toBe("× cut");
    expect(said(unlike("not there"), cell("kept"))).toBe("– not here");
  });

  test("what became of the text beside that of the base", () => {
    expect(said(unlike("kept", { text: 1 }), cell("shortened"))).toBe("~ in full");
    expect(said(unlike("kept", { text: 1 }), cell("rewritten"))).toBe("~ as typed");
    expect(said(unlike("shortened", { text: 1 }), cell("kept"))).toBe("~ shortened");
    expect(said(unlike("rewritten", { text: 1 }), cell("rewritten"))).toBe("~ changed");
  });

  test("moved where the words are the same at another place, changed where it is something else", () => {
    expect(said(unlike("moved"), cell("kept"))).toBe("↔ moved");
    expect(said(unlike("kept"), cell("moved"))).toBe("↔ moved");
    expect(said(unlike("kept"), cell("kept"))).toBe("~ changed");
  });
});

describe("the strip of a run", () => {
  test("has equal neighbours in one bar", () => {
    const all = [...rows(3, ["kept", "cut"]), ...rows(2, ["cut", "kept"], 3)];

    expect(stretches(all, 0, 1)).toEqual([
      { bar: "kept", from: 0, to: 3 },
      { bar: "cut", from: 3, to: 5 },
    ]);
    expect(stretches(all, 1, 1).map((each) => each.bar)).toEqual(["cut", "new"]);
  });

  test("says the most telling of messages that share a bar", () => {
    const all = [...rows(9, ["kept", "kept"]), row("node:x", ["kept", "cut"])];

    expect(stretches(all, 1, 10)).toEqual([{ bar: "cut", from: 0, to: 1 }]);
  });

  test("has no bar where a run has no message", () => expect(bar(null, cell("kept"))).toBe("none"));
});

describe("columns", () => {
  test("of six runs fit at 1,200, and each has room", () => {
    const { first, column } = columnWidths(1150, 6);

    expect(first + 6 * column).toBeLessThanOrEqual(1150);
    expect(column).toBeGreaterThanOrEqual(110);
  });

  test("that don't fit go on beyond the edge, so that one is seen in part", () => {
    const { first, column } = columnWidths(800, 12);
    const seen = (800 - first) / column;

    expect(column).toBeGreaterThanOrEqual(110);
    expect(seen % 1).toBeGreaterThan(0.2);
    expect(seen % 1).toBeLessThan(0.6);
  });

  test("leave the room that cells have no use for to the words", () => {
    expect(columnWidths(1800, 2)).toEqual({ first: 1200, column: 300, narrow: false });
  });

  test("that are identical to another are in its column until they are unfolded", () => {
    const run = (name: string, same = "") => ({ name, same });
    const columns = [run("a"), run("b", "a"), { name: "c", error: "no room" }];
    const view = { ...viewOf('{"rows":[],"sentences":[]}'), columns } as ReturnType<typeof viewOf>;

    expect(shownColumns(view, new Set())).toEqual([0, 2]);
    expect(shownColumns(view, new Set(["a"]))).toEqual([0, 1, 2]);
  });
});

describe("two texts word by word", () => {
  const told = (a: string, b: string) => wordDiff(a, b).map(({ kind, text }) => `${kind[0]}:${text}`);

  test("have each change for itself", () => {
    expect(told("the lamp is dark", "the light is out")).toEqual([
      "s:the ",
      "r:lamp",
      "a:light",
      "s: is ",
      "r:dark",
      "a:out",
    ]);
  });

  test("that are the same have none", () => {
    expect(told("a b", "a b")).toEqual(["s:a b"]);
    expect(told("", "")).toEqual([]);
  });

  test("have neighbouring words in one change", () => {
    expect(told("x one two y", "x three four y")).toEqual(["s:x ", "r:one two", "a:three four", "s: y"]);
  });

  test("in Chinese go by character", () =>
    expect(told("灯塔很暗", "灯楼很暗")).toEqual(["s:灯", "r:塔", "a:楼", "s:很暗"]));

  test.each([
    ["a👩‍🚀b", "a👩‍🎓b"],
    ["e\u0301!", "e\u0300!"],
    ["👍🏽", "👍🏿"],
  ])("never part a character: %j and %j", (a, b) => {
    const changed = wordDiff(a, b).filter((part) => part.kind !== "same");

    expect(changed.every((part) => !/^[\p{M}\p{Emoji_Modifier}\u200d]/u.test(part.text))).toBe(true);
  });

  test("give both texts back, whatever they are", () => {
    const pairs: [string, string][] = [
      ["(ooc) hello  there", "hello there you"],
      ["a\n\n\n", "\n\n\na"],
      ["\ud83d", "x\ud83d"],
      ["x ".repeat(3000), "y ".repeat(3000)],
    ];
    for (const [a, b] of pairs) {
      const parts = wordDiff(a, b);
      const without = (kind: string) =>
        parts
          .filter((part) => part.kind !== kind)
          .map((part) => part.text)
          .join("");
      expect([without("added"), without("removed")]).toEqual([a, b]);
    }
  });
});

test("a balance has its sign", () => expect([12345, -2, 0].map(signed)).toEqual(["+12,345", "−2", "0"]));

test("the view names its sentences by number", () => {
  const rows = [["node:u1", "hi", "user", "history", 1, [[5, 3, 0, -1, 0, 1], null]]];
  const view = viewOf(
    JSON.stringify({ columns: [], rows, sentences: ["why"], strategies: [], agents: [], leaves: [] }),
  );

  expect(view.rows[0]).toMatchObject({ key: "node:u1", differs: true });
  expect(view.rows[0].cells).toEqual([{ state: "cut", tokens: 3, cause: "why", note: "", text: 0, alike: true }, null]);
});
