import { describe, expect, test } from "vitest";
import { Files } from "../ctxlab_widgets/_shared/attachments";
import { grouped } from "../ctxlab_widgets/_shared/numbers";
import { queued } from "../ctxlab_widgets/token_budget/command_queue";
import { bins } from "../ctxlab_widgets/token_budget/overview";
import {
  type BudgetRow,
  handleAt,
  lineAt,
  named,
  names,
  priceOf,
  range,
  type Segment,
  type State,
  type Sums,
  sumOf,
  unitsBelow,
  unitsKept,
  type View,
} from "../ctxlab_widgets/token_budget/payload";
import { captions, placed, scaleEnd, ticks } from "../ctxlab_widgets/token_budget/scale";

const row = (key: string, unit: number, tokens = 10, look = "history"): BudgetRow => [
  key,
  key,
  look,
  [[look, tokens]],
  0,
  unit,
  0,
];

/** A preset, four units of which the oldest two are cut, and the newest message, which stays whatever happens. */
function made(change: Partial<View> = {}): State {
  const view: View = {
    budget: 100,
    reserve: 20,
    wanted: 100,
    sent: 80,
    window: null,
    to_come: false,
    segments: [
      ["system, presets", "preset", 30],
      ["history kept", "history", 50],
      ["free", "free", 20],
      ["reserve", "reserve", 20],
      ["did not fit", "cut", 40],
    ],
    overhead: [],
    states: "pcckkp",
    marks: "",
    changed: "",
    cut: 2,
    shortened: 0,
    border: { key: "c", name: "c", needed: 25, left: 20 },
    messages: 4,
    sums: null,
    needs: ["22 + 3 overhead = 25 needed"],
    least: null,
    undo: false,
    reasons: ["sliding: needed 25 tokens, 20 were left"],
    reason_of: " aa   ",
    one_cut: true,
    by_units: true,
    estimated: false,
    estimate: "",
    strategy: "sliding",
    refused: "",
    tokenizer: "o200k_base",
    own: null,
    ...change,
  };
  const rows = [row("p", -1, 30, "preset"), row("b", 3), row("c", 2), row("d", 1), row("e", 0), row("f", -1)];
  return {
    view,
    messages: { rows, steps: ["session-loader"], ladder: [40, 60, 80, 105, 130] },
    choices: { strategies: [], tokenizers: [], limiter: true },
    files: new Files(),
    reasons: new Set(),
    live: true,
    error: "",
    views: [],
    remedies: new Map(),
    selected: "",
    pinned: "",
    closed: "",
    held: null,
    pointed: "",
  };
}

describe("what a row adds up to", () => {
  const sums: Sums = { text: "", overhead: 3, later: 0, own_overhead: false, counted: {}, whole: {} };
  const sum = (change: Partial<Sums>, at: number, state: string) => {
    const held = made({ sums: { ...sums, ...change } });
    return sumOf(held, held.messages.rows[at], state);
  };

  test("its own tokens and those beside them", () => {
    expect(sum({}, 1, "c")).toBe("10 + 3 overhead = 13 tokens");
    expect(sum({ later: 2 }, 1, "c")).toBe("10 + 3 overhead + 2 set aside for later steps = 15 tokens");
    expect(sum({}, 3, "k")).toBe("10 + 3 overhead = 13 counted at the cut");
  });

  test("what was counted where later steps changed it, shortened it or put it there", () => {
    expect(sum({ counted: { d: 21 } }, 3, "k")).toBe("10 now, with its overhead 21 counted at the cut");
    expect(sum({ counted: { d: 0 } }, 3, "p")).toBe("not counted at the cut: a later step put it there");
    expect(sum({ whole: { d: 90 } }, 3, "s")).toBe("10 + 3 overhead = 13 counted at the cut; whole it needed 90");
  });

  test("nothing where nothing was cut to a budget", () => expect(sumOf(made(), made().messages.rows[1], "k")).toBe(""));
});

describe("the price of a cut row", () => {
  test("is what the ladder of budgets has above this one", () => {
    expect([0, 1, 2, 3].map((at) => priceOf(made(), at))).toEqual([null, 30, 5, null]);
  });

  test("is not known where messages don't come back one by one, or come back as heads", () => {
    expect(priceOf(made({ by_units: false }), 1)).toBeNull();
    const held = made();
    const numbers = [{ name: "retained_characters", title: "", value: 40, step: 50, max: null, about: "" }];
    held.choices = { ...held.choices, strategies: [{ name: "sliding", about: "", numbers }] };
    expect(priceOf(held, 1)).toBeNull();
  });
});

test("ids in sentences go without their kind", () => {
  expect(named("sliding: older than node:a8, which needed 3")).toBe("sliding: older than a8, which needed 3");
});

describe("the handle", () => {
  test("stands at the budget, where it is held, or at the end of what is sent", () => {
    expect(handleAt(made())).toBe(100);
    expect(handleAt({ ...made(), held: 70 })).toBe(70);
    expect(handleAt(made({ budget: null, wanted: null }))).toBe(80);
  });

  test("moves between what must stay and what keeps everything", () => {
    expect(range(made())).toEqual({ least: 40, most: 130 });
    expect(range(made({ budget: 500 })).most).toBe(500);
  });
});

describe("the cut line", () => {
  test("stands below the last message that is cut", () => expect(lineAt(made())).toBe(3));

  test("stands above all that may go when nothing is cut", () => expect(lineAt(made({ states: "pkkkkp" }))).toBe(1));

  test("is not there when the strategy keeps both ends", () => expect(lineAt(made({ one_cut: false }))).toBeNull());

  test("parts units that stay from units that go", () => {
    expect(unitsKept(made())).toBe(2);
    const { rows } = made().messages;
    expect([0, 1, 2, 3, 4, 5, 6].map((line) => unitsBelow(rows, line))).toEqual([4, 4, 3, 2, 1, 0, 0]);
  });

  test("never parts the messages of one unit", () => {
    const rows = [row("a", 1), row("call", 0), row("result", 0)];
    expect([0, 1, 2, 3].map((line) => unitsBelow(rows, line))).toEqual([2, 1, 0, 0]);
  });
});

test("a preset at several depths is named by its own key", () => {
  expect(names("preset:11", row("preset:11@4", -1))).toBe(true);
  expect(names("preset:1", row("preset:11@4", -1))).toBe(false);
  expect(names("", row("@4", -1))).toBe(false);
});

describe("the scale", () => {
  const { segments } = made().view;
  const at = { segments, window: 120, handle: 100, before: 0, held: false };

  test("takes in the window and what hangs outside", () => expect(scaleEnd(at)).toBe(160));

  test("lets what hangs far out run on", () => {
    const far: Segment[] = [...segments.slice(0, 4), ["did not fit", "cut", 9000]];
    expect(scaleEnd({ ...at, segments: far })).toBeCloseTo(192);
  });

  test("stays while the handle is held, unless the handle leaves it", () => {
    expect(scaleEnd({ ...at, handle: 30, before: 500, held: true })).toBe(500);
    expect(scaleEnd({ ...at, handle: 700, before: 500, held: true })).toBe(700);
    expect(scaleEnd({ ...at, before: 500 })).toBe(160);
  });

  test("places segments one behind the other", () => {
    expect(placed(segments).map(({ start, end }) => [start, end])).toEqual([
      [0, 30],
      [30, 80],
      [80, 100],
      [100, 120],
      [120, 160],
    ]);
  });

  test.each([
    [160, 800, [0, 20, 40, 60, 80, 100, 120, 140, 160]],
    [5300, 800, [0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 4500, 5000]],
    [3, 800, [0, 1, 2, 3]],
    [5300, 90, [0, 5000]],
  ])("of %i tokens on %i pixels has round ticks", (end, width, expected) => {
    expect(ticks(end, width, (text) => 7 * text.length).map(({ at }) => at)).toEqual(expected);
  });
});

test.each([
  [2_420, 1042],
  [10 ** 9 + 2000, 1042],
  [10 ** 9 + 2000, 378],
  [60_000, 700],
  [7, 40],
])("labels of %i tokens on %i pixels neither touch nor leave the bar", (end, width) => {
  let free = 0;
  const all = ticks(end, width, (text) => 6.2 * text.length);
  for (const { at, flipped } of all) {
    const line = (width * at) / end;
    const drawn = 6.2 * grouped(at).length + 4;
    const left = flipped ? line - drawn : line;
    expect(left).toBeGreaterThanOrEqual(free);
    expect(left + drawn).toBeLessThanOrEqual(width);
    free = left + drawn + 8;
  }
  expect(all.length).toBeGreaterThan(0);
});

describe("the words above the bar", () => {
  const at = { handle: 600, edge: 700, width: 900, first: 90, second: 160 };

  test("end at the handle and begin at the edge", () => expect(captions(at)).toEqual([504, 706]));

  test("make room for each other at the right end", () => {
    expect(captions({ ...at, handle: 890, edge: 895 })).toEqual([900 - 160 - 12 - 90, 740]);
  });

  test("stay inside at the left end", () => expect(captions({ ...at, handle: 10, edge: 300 })).toEqual([0, 306]));

  test("give way where there is no room for both", () => {
    expect(captions({ ...at, width: 200, handle: 150, edge: 160 })).toEqual([54, null]);
  });

  test("are never shown over one another", () => {
    for (let handle = 0; handle <= 400; handle += 7)
      for (const edge of [handle, handle + 30, 400]) {
        const [one, two] = captions({ ...at, handle, edge, width: 400 });
        expect(one).toBeGreaterThanOrEqual(0);
        if (two !== null) expect(two).toBeGreaterThanOrEqual((one as number) + 90);
        if (two !== null) expect(two + 160).toBeLessThanOrEqual(400);
      }
  });
});

describe("commands that wait", () => {
  const budget = (tokens: number, continues = false) => ({
    command: "budget",
    tokens,
    ...(continues ? { continues } : {}),
  });

  test("of one movement are only its newest place", () => {
    expect(queued([budget(1, true)], budget(2, true))).toEqual([budget(2, true)]);
  });

  test("still begin the movement when its first place was passed over", () => {
    expect(queued([budget(1)], budget(2, true))).toEqual([budget(2)]);
  });

  test("are all sent when they are none of a movement", () => {
    const tokenizer = { command: "tokenizer", name: "x" };
    expect(queued([budget(1)], tokenizer)).toEqual([budget(1), tokenizer]);
    expect(queued([tokenizer], budget(2, true))).toEqual([tokenizer, budget(2, true)]);
    expect(queued([budget(1, true)], budget(2))).toEqual([budget(1, true), budget(2)]);
  });
});

describe("the overview", () => {
  const rows = Array.from({ length: 1000 }, (_, i) =>
    row(`m${i}`, 999 - i, 1 + (i % 7), i < 10 ? "preset" : "history"),
  );
  const states = "c".repeat(400) + "k".repeat(600);

  test("has all tokens in 64 columns", () => {
    const found = bins(rows, states);
    const all = rows.reduce((sum, each) => sum + each[3][0][1], 0);
    expect(found.length).toBe(64);
    expect(found.reduce((sum, bin) => sum + bin.kept + bin.cut, 0)).toBe(all);
  });

  test("has the cut in it", () => {
    const found = bins(rows, states);
    expect(found.filter((bin) => bin.cut > 0).length).toBe(26);
    expect(found[25].cut > 0 && found[25].kept > 0).toBe(true);
    expect(found[63].look).toBe("history");
  });

  test("has no more columns than there are rows", () => expect(bins(rows.slice(0, 3), "kkk").length).toBe(3));
});
