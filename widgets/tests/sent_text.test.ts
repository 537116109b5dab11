import { describe, expect, it } from "vitest";
import {
  findInText,
  foldedDropped,
  type Item,
  itemsOf,
  type TextJson,
  tablesWith,
  tallied,
  textOfRow,
  textSentence,
} from "../ctxlab_widgets/sent_view/model_text";
import type { Message } from "../ctxlab_widgets/sent_view/payload";
import { edgesOf, lookOf } from "../ctxlab_widgets/sent_view/text_stretches";

const message = (key: string, role = "user"): Message => ({
  role,
  tokens: 4,
  joins: 0,
  overhead: 3,
  parts: [{ key, source: "history", name: key, how: "", tokens: 1, seam: "", spans: [0] }],
});
const text = (more: Partial<TextJson> = {}): TextJson => ({
  name: "tiny",
  template: "chatml",
  engine: "transformers",
  characters: 20,
  cuts: null,
  refused: null,
  traced: true,
  since: { texts: 1, causes: 0, spans: 1 },
  texts: ["<s>", "Lamp\n"],
  causes: [],
  spans: [
    [1, "template", "chatml:1", -1, []],
    [2, "node", "a", -1, []],
  ],
  rows: [
    [
      0,
      [
        [1, [1]],
        [3, [0]],
      ],
    ],
    [-1, [[0, [2]]]],
  ],
  gone: [],
  effects: [],
  counts: {},
  ...more,
});
const tables = { texts: ["the lamp", "of another run"], causes: [], spans: [[0, "node", "a", -1, []]] as never };

describe("the text that a model reads", () => {
  it("has the run's tables and its own, whatever came there since", () => {
    const all = tablesWith(tables, text());

    expect(all.texts).toEqual(["the lamp", "<s>", "Lamp\n"]);
    expect(text().rows.map((row) => textOfRow(all, row))).toEqual(["<s>the lamp", "Lamp\n"]);
  });

  it("has dropped messages before the row that they would stand before, the last ones behind all", () => {
    const messages = ["a", "b", "c"].map((key) => message(key));
    const gone: TextJson["gone"] = [
      [1, "b", 1],
      [2, "c", 2],
    ];

    expect(itemsOf(text({ gone }), messages, new Set()).map(({ id }) => id)).toEqual(["t:0", "g:b", "t:1", "g:c"]);
  });

  it("folds many that were dropped in a row until they are opened", () => {
    const messages = ["a", "b", "c", "d", "e"].map((key) => message(key));
    const gone = messages.slice(1).map(({ parts }, i): TextJson["gone"][number] => [i + 1, parts[0].key, 1]);
    const ids = (open: string[]) => itemsOf(text({ gone }), messages, new Set(open)).map(({ id }) => id);

    expect(ids([])).toEqual(["t:0", "d:b", "t:1"]);
    expect(ids(["d:b"])).toEqual(["t:0", "g:b", "g:c", "g:d", "g:e", "t:1"]);
    const fold = itemsOf(text({ gone }), messages, new Set()).find((item) => item.kind === "fold");
    expect(foldedDropped((fold as Extract<Item, { kind: "fold" }>).gone)).toBe(
      "4 messages, b to e, dropped by the template",
    );
  });

  it("is searched row by row, over the borders of its stretches", () => {
    const found = findInText(text(), tablesWith(tables, text()), /s>the|lamp/giu, 10);

    expect(found.map(({ key, start, end }) => [key, start, end])).toEqual([
      ["t:0", 1, 6],
      ["t:0", 7, 11],
      ["t:1", 0, 4],
    ]);
  });

  it("says what becomes of the messages", () => {
    expect(textSentence(text(), 2)).toBe("chatml carries all 2 messages, in order.");
    expect(textSentence(text({ counts: { dropped: 1, moved: 2, added: 1 } }), 5)).toBe(
      "chatml drops 1 message and moves 2 messages.",
    );
    const refused = { words: "no", line: 1, source: "" };
    expect(textSentence(text({ refused, counts: { refused: 1 } }), 5)).toContain("refuses these messages");
    expect(textSentence(text({ traced: false, counts: { "not traced": 1 } }), 5)).toContain("could not be followed");
    expect(tallied({ dropped: 3, "not traced": 1 })).toBe("3 dropped, not traced");
  });

  it("tints what has a source of its own, and nothing of the template or the history", () => {
    expect(lookOf("content", "lore")).toBe("s src-lore u-lore");
    expect(lookOf("content", "node")).toBeNull();
    expect(lookOf("role", "lore")).toBe("own");
    expect(lookOf("special", "template")).toBe("own mk");
    expect(lookOf("calls", "node")).toBe("s src-tools u-tools");
  });

  it("knows where tokens end, and which end inside a character", () => {
    expect([
      ...edgesOf([
        [1, 2, 2, 5],
        [0, 1],
      ]),
    ]).toEqual([
      [1, { tokens: 1, inside: true }],
      [2, { tokens: 2, inside: true }],
      [5, { tokens: 1, inside: false }],
    ]);
    expect(edgesOf(null).size).toBe(0);
  });
});
