import { describe, expect, test } from "vitest";
import { changeRows, tokensAlone } from "../ctxlab_widgets/_shared/message_changes";
import {
  fieldText,
  layerWords,
  parsedInput,
  sliderEnds,
  stepped,
  valueText,
} from "../ctxlab_widgets/_shared/setting_values";
import { isRead } from "../ctxlab_widgets/_shared/settings_form";
import type { Setting } from "../ctxlab_widgets/_shared/trace_view";
import { folded, type Item } from "../ctxlab_widgets/step_debugger/fold_rows";
import { typedText } from "../ctxlab_widgets/step_debugger/message_editor";
import { reranWords, type SettingsDiff, settingsWords, signed } from "../ctxlab_widgets/step_debugger/settings_effect";
import { numbered, runs } from "../ctxlab_widgets/step_debugger/token_runs";
import { made } from "./made";

const setting = (more: Partial<Setting> = {}): Setting => ({
  value: 100,
  layer: "default",
  description: "",
  title: "Budget",
  type: "integer",
  choices: [],
  minimum: 1,
  maximum: null,
  optional: false,
  read_with: null,
  ...more,
});

describe("what is typed", () => {
  test.each([
    ["integer", "42", 42],
    ["integer", " 1,250 ", 1250],
    ["integer", "1 250", 1250],
    ["integer", "", ""],
    ["integer", "many", "many"],
    ["integer", "1.5", 1.5],
    ["integer", "0x", "0x"],
    ["number", "-0.5", -0.5],
    ["number", "Infinity", "Infinity"],
    ["text", " a ", " a "],
    ["text", "", ""],
    ["json", '{"a": [1]}', { a: [1] }],
  ] as const)("in a field for %s %j means %j", (type, typed, value) => {
    expect(parsedInput(setting({ type }), typed)).toEqual({ value });
  });

  test("nothing is none where that may be", () => {
    expect(parsedInput(setting({ optional: true }), "  ")).toEqual({ value: null });
  });

  test("takes one text a line, without blank ones", () => {
    const texts = setting({ type: "texts" });
    expect(parsedInput(texts, "灯塔\n\n a b \n")).toEqual({ value: ["灯塔", " a b "] });
    expect(fieldText(texts, ["灯塔", "a"])).toBe("灯塔\na");
    expect(fieldText(texts, 3)).toBe("3");
  });

  test("what is no JSON is not sent", () => {
    expect(parsedInput(setting({ type: "json" }), "[1, x]")).toEqual({
      problem: 'is not JSON: lists are ["a", "b"], mappings {"a": 1}.',
    });
  });

  test.each([
    ["integer", 1250, "1250"],
    ["integer", null, ""],
    ["json", ["a"], '["a"]'],
    ["text", "\n", "\n"],
  ] as const)("a value of %s, %j, stands there as %j", (type, value, text) => {
    expect(fieldText(setting({ type }), value)).toBe(text);
    if (value !== null) expect(parsedInput(setting({ type }), text)).toEqual({ value });
  });
});

test("a setting that only another choice reads is not read", () => {
  const settings = {
    way: setting({ type: "choice", value: "a" }),
    share: setting({ read_with: ["way", ["b", "c"]] }),
    head: setting({ read_with: ["way", ["a"]] }),
  };

  expect(["way", "share", "head"].map((name) => isRead({ settings }, name))).toEqual([true, false, true]);
});

test.each([
  ["a\r\nb\rc", "a\nb\nc", "a\r\nb\rc"],
  ["a\r\nb\rc", "a\nb!\nc", "a\r\nb!\rc"],
  ["a\r\nb", "x\na\nb", "x\na\r\nb"],
  ["a\nb", "a\nc", "a\nc"],
  ["\ud83e\udee0\r\n", "\ud83e\udee1\n", "\ud83e\udee1\r\n"],
])("of %j, edited to %j, what nobody touched stays", (before, typed, text) => {
  expect(typedText(before, typed)).toBe(text);
});

describe("a slider", () => {
  test("has the ends that the setting has", () => {
    const share = setting({ type: "number", minimum: 0, maximum: 1 });

    expect(sliderEnds("share", share, 900)).toMatchObject({ low: 0, high: 1, step: 0.01 });
  });

  test("of a budget goes up to what everything needs", () => {
    expect(sliderEnds("budget_tokens", setting(), 3861)).toMatchObject({ low: 1, high: 3900, arrow: 16, page: 256 });
    expect(sliderEnds("budget_tokens", setting({ value: 9000 }), 3861)).toMatchObject({ high: 9000 });
  });

  test.each([
    ["another setting", "other", setting(), 900],
    ["a budget of nobody knows what", "budget_tokens", setting(), null],
    ["a text", "t", setting({ type: "text", minimum: 0, maximum: 9 }), 900],
    ["no lower end", "budget_tokens", setting({ minimum: null }), 900],
    ["no room", "n", setting({ minimum: 3, maximum: 3 }), null],
  ])("is not there for %s", (_, name, given, everything) => {
    expect(sliderEnds(name, given, everything)).toBeNull();
  });

  test("is moved by its keys and stays between its ends", () => {
    const ends = sliderEnds("budget_tokens", setting(), 1000)!;

    expect(["ArrowRight", "ArrowDown", "PageUp", "Home", "End"].map((key) => stepped(key, 500, ends))).toEqual([
      516, 484, 756, 1, 1000,
    ]);
    expect(stepped("PageDown", 100, ends)).toBe(1);
    expect(stepped("Tab", 100, ends)).toBeNull();
    const share = sliderEnds("share", setting({ type: "number", minimum: 0, maximum: 1 }), null)!;
    expect(stepped("ArrowRight", 0.1 + 0.2, share)).toBe(0.31);
  });
});

describe("values in words", () => {
  test.each([
    [null, "none"],
    ["", "none"],
    [true, "yes"],
    [1250, "1,250"],
    ["a\nb", "a\u23ceb"],
    [["a"], '["a"]'],
  ])("%j is %s", (value, words) => expect(valueText(value)).toBe(words));

  test("a layer is named unless it is nobody's", () => {
    expect(["default", "call", "agent"].map(layerWords)).toEqual(["", "from this call", "from the agent"]);
  });
});

describe("where tokens end", () => {
  const ends = [1, 2, 5, 5, 5, 6, 10];
  const cut = (from: number, to: number) =>
    runs(ends, from, to).map((run) => [run.start, run.end, run.first, run.last, run.closed]);

  test("tokens that share a character are one stretch", () => {
    expect(cut(0, 10)).toEqual([
      [0, 1, 0, 0, true],
      [1, 2, 1, 1, true],
      [2, 5, 2, 4, true],
      [5, 6, 5, 5, true],
      [6, 10, 6, 6, true],
    ]);
  });

  test("a stretch may begin and end inside a token", () => {
    expect(cut(3, 8)).toEqual([
      [3, 5, 2, 4, true],
      [5, 6, 5, 5, true],
      [6, 8, 6, 6, false],
    ]);
  });

  test("nothing has no tokens", () => {
    expect(cut(4, 4)).toEqual([]);
    expect(runs([], 0, 3)).toEqual([]);
  });

  test("stretches of neighbours fit together", () => {
    for (let at = 0; at <= 10; at++) {
      const both = [...runs(ends, 0, at), ...runs(ends, at, 10)];
      expect(both.reduce((n, run) => n + run.end - run.start, 0)).toBe(10);
    }
  });

  test("they are counted from one", () => {
    const [first, , shared] = runs(ends, 0, 10);

    expect([numbered(first, 7), numbered(shared, 7)]).toEqual(["token 1 of 7", "tokens 3\u20135 of 7"]);
  });
});

describe("a change in words", () => {
  const diffOf = (more: Partial<SettingsDiff>): SettingsDiff => ({
    settings: [],
    reran: [],
    seconds: 0.0007,
    rows: [],
    tokens: 0,
    difference: 0,
    ...more,
  });

  test("names the settings, and a step that was switched", () => {
    const settings = [
      { step: "l", name: "budget_tokens", title: "Budget", old: 3100, new: 3496 },
      { step: "m", name: "enabled", title: "", old: true, new: false },
    ];

    expect(settingsWords(diffOf({ settings }))).toBe("Budget 3,100\u2009\u2192\u20093,496; m switched off");
  });

  test.each([
    [["a", "b", "c"], "reran 01\u201303 in 0.7 ms"],
    [["a", "c"], "reran 01, 03 in 0.7 ms"],
    [[], "no step ran again"],
    [["edit"], "no step ran again"],
  ])("%j: %s", (reran, words) => {
    expect(reranWords(diffOf({ reran }), (id) => "abc".indexOf(id) + 1)).toBe(words);
  });

  test("differences carry their sign", () => {
    expect([324, 0, -1086].map(signed)).toEqual(["+324", "0", "\u22121,086"]);
  });
});

describe("since the start", () => {
  test("what a step has just loaded is added, and later unchanged", () => {
    const kinds = (at: number) => changeRows(made(), at, "start").map((row) => row.kind);

    expect(kinds(1)).toEqual(["added", "added"]);
    expect(kinds(2)).toEqual(["same", "rewritten"]);
  });

  test("tokens of a part are those it had when it last stood alone", () => {
    expect([...tokensAlone(made(), 5)]).toEqual([
      ["node:a", 15],
      ["preset:p", 7],
      ["node:b", 10],
    ]);
  });
});

describe("very many rows", () => {
  const [one] = changeRows(made(), 1, "step");
  const kinds = ["same", "rewritten"] as const;
  const mixed = (n: number) =>
    Array.from({ length: n }, (_, i) => ({ ...one, kind: kinds[i % 2], draft: i, number: i }));
  const hidden = (items: Item[]) => items.reduce((n, item) => n + ("row" in item ? 0 : item.fold.rows.length), 0);
  const shown = (items: Item[]) => items.flatMap((item) => ("row" in item ? [item.row.draft] : []));

  test("that alternate are few, and none is lost", () => {
    const items = folded(mixed(5000), new Map());

    expect(items.length).toBeLessThan(250);
    expect(shown(items).length + hidden(items)).toBe(5000);
  });

  test("the middle opens by a hundred", () => {
    const items = folded(mixed(5000), new Map());
    const rest = items.find((item) => "fold" in item && item.fold.id.startsWith("rest:"));
    const id = rest && "fold" in rest ? rest.fold.id : "";

    expect(folded(mixed(5000), new Map([[id, 100]])).length).toBe(items.length + 100);
  });

  test("what a person opened is not folded away again", () => {
    const run = Array.from({ length: 900 }, (_, i) => ({ ...one, kind: "same" as const, draft: i, number: i }));

    expect(shown(folded(run, new Map([["same:0", 400]])))).toHaveLength(400);
  });

  test.each([0, 41, 2501, 4999])("the one that is revealed is never folded: %i", (revealed) => {
    const items = folded(mixed(5000), new Map(), revealed);

    expect(shown(items)).toContain(revealed);
    expect(shown(items).length + hidden(items)).toBe(5000);
    expect(new Set(items.flatMap((item) => ("fold" in item ? [item.fold.id] : []))).size).toBe(
      items.filter((item) => "fold" in item).length,
    );
  });

  test("it splits a fold of one kind", () => {
    const run = Array.from({ length: 9 }, (_, i) => ({ ...one, kind: "same" as const, draft: i, number: i }));
    const sizes = folded(run, new Map(), 3).map((item) => ("row" in item ? 1 : item.fold.rows.length));

    expect(sizes).toEqual([3, 1, 5]);
  });
});
