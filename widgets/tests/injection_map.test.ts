import { describe, expect, test } from "vitest";
import { items } from "../ctxlab_widgets/injection_map/definition_list";
import { dropped, gapWords, refusal } from "../ctxlab_widgets/injection_map/landing_gaps";
import { type Slot, slots } from "../ctxlab_widgets/injection_map/message_rows";
import {
  change,
  type Definition,
  definitionOf,
  heading,
  isOf,
  type MapView,
  type MessageRow,
  type PlaceFields,
} from "../ctxlab_widgets/injection_map/payload";
import { curve, stroke } from "../ctxlab_widgets/injection_map/wires";

const row = (key: string, below: number, more: Partial<MessageRow> = {}): MessageRow => ({
  key,
  look: "",
  role: "user",
  history: true,
  id: "",
  text: key,
  below,
  atDepth: false,
  cut: false,
  joined: "",
  parts: [],
  ...more,
});

const put = (key: string, below: number, more: Partial<MessageRow> = {}): MessageRow =>
  row(key, below, { look: "preset", history: false, ...more });

const definition = (key: string, more: Partial<Definition> = {}): Definition => ({
  key,
  name: key,
  look: "preset",
  ask: "",
  outcome: "landed",
  why: "",
  files: [],
  landings: [0],
  missing: [],
  fixed: "",
  isInPlace: false,
  place: null,
  ...more,
});

const view = (rows: MessageRow[], all: Definition[] = []): MapView => ({
  unplaced: "",
  answer: [],
  history: rows.filter((each) => each.history).length,
  sent: rows.length,
  groups: all.length ? [{ name: "Lore", definitions: all }] : [],
  rows,
  anchors: [["chat_history", "Chat history"]],
  positions: [],
});

const talk = (count: number): MessageRow[] => Array.from({ length: count }, (_, i) => row(`node:${i}`, count - 1 - i));

const shown = (at: MapView, all: Slot[]): string[] =>
  all.map((slot) => {
    const depth = slot.isLabelled ? ` ${slot.depth}` : "";
    if ("row" in slot) return `${at.rows[slot.row].key}${depth}`;
    if ("fold" in slot) return `fold ${slot.to - slot.from}${depth}`;
    return "ghost" in slot ? `ghost${depth}` : `end${depth}`;
  });

const NONE = new Map<string, number>();
const nobody = () => false;

describe("what lands often", () => {
  const often = (cut: boolean): MapView => {
    const rows = talk(60).flatMap((each, i) => [
      put(`p@${60 - i}`, 60 - i, { atDepth: true }),
      { ...each, cut: cut && i < 40 },
    ]);
    const landings = rows.flatMap((each, at) => (each.atDepth ? [at] : []));
    return view(rows, [definition("p", { landings })]);
  };

  test("folds with the history, but for the newest landings", () => {
    const at = often(false);
    const all = slots(at, NONE, nobody);
    expect(all.filter((slot) => "fold" in slot)).toHaveLength(1);
    expect(all.filter((slot) => "row" in slot && at.rows[slot.row].atDepth)).toHaveLength(1 + 8);
  });

  test("folds apart where the history begins to be sent", () => {
    const folds = slots(often(true), NONE, nobody).filter((slot) => "fold" in slot);
    expect(folds.map((slot) => "fold" in slot && [slot.from, slot.to])).toEqual([
      [1, 80],
      [82, 103],
    ]);
  });
});

describe("the ruler", () => {
  test("counts the messages of the history below each gap, and says a depth once", () => {
    const [first, second] = talk(2);
    const rows = [put("head", 2), first, put("a", 1, { atDepth: true }), put("b", 1, { atDepth: true }), second];
    const at = view([...rows, put("tail", 0)]);

    expect(shown(at, slots(at, NONE, nobody))).toEqual(["head", "node:0 2", "a 1", "b", "node:1", "end 0", "tail"]);
  });

  test("begins with what landed at its head, after the depths that aren't there, the deepest first", () => {
    const rows = [put("head", 1), put("note", 1, { atDepth: true }), ...talk(1)];
    const at = view(rows, [definition("note", { missing: [12] }), definition("far", { missing: [40, 12] })]);

    expect(shown(at, slots(at, NONE, nobody))).toEqual(["head", "ghost 40", "ghost 12", "note 1", "node:0", "end 0"]);
  });

  test("of a history without messages is one tick", () => {
    const at = view([put("head", 0), put("note", 0, { atDepth: true })]);

    expect(shown(at, slots(at, NONE, nobody))).toEqual(["head", "end 0", "note"]);
  });
});

describe("a long history", () => {
  test("is folded but for its ends, and the numbers stay right", () => {
    const at = view([...talk(20), put("tail", 0)]);

    expect(shown(at, slots(at, NONE, nobody))).toEqual(["node:0 20", "fold 18 19", "node:19 1", "end 0", "tail"]);
  });

  test("opens a hundred messages at a time", () => {
    const at = view(talk(150));

    const all = slots(at, new Map([["node:1", 100]]), nobody);

    expect(all.filter((slot) => "row" in slot)).toHaveLength(102);
    expect(shown(at, all)[101]).toBe("fold 48 49");
  });

  test("is never folded over what is selected", () => {
    const at = view(talk(20));

    expect(
      shown(
        at,
        slots(at, NONE, (each) => each.key === "node:10"),
      ),
    ).toEqual(["node:0 20", "fold 9 19", "node:10 10", "fold 8 9", "node:19 1", "end 0"]);
  });

  test("of very many messages is folded whole", () => {
    const at = view(talk(1000));

    expect(shown(at, slots(at, NONE, nobody))).toEqual(["fold 1000 1000", "end 0"]);
  });

  test("is not folded over the border of a cut", () => {
    const rows = talk(20).map((each, i) => ({ ...each, cut: i < 10 }));
    const at = view(rows);

    expect(shown(at, slots(at, NONE, nobody)).filter((words) => words.startsWith("fold"))).toEqual([
      "fold 8 19",
      "fold 8 9",
    ]);
  });
});

describe("the definitions", () => {
  const absent = (n: number) =>
    Array.from({ length: n }, (_, i) => definition(`lore:${i}`, { landings: [], outcome: "not fired" }));

  test("that aren't sent are folded where they are many, but for the one that is selected", () => {
    const at = view(talk(1), [definition("lore:sent"), ...absent(6)]);
    const words = (kept: string) =>
      items(at, new Set(), kept).map((item) =>
        "fold" in item ? `${item.count} more` : "definition" in item ? item.definition.key : item.heading,
      );

    expect(words("")).toEqual(["Lore", "lore:sent", "6 more"]);
    expect(words("lore:3")).toEqual(["Lore", "lore:sent", "lore:3", "5 more"]);
    expect(items(view(talk(1), absent(4)), new Set(), "")).toHaveLength(5);
  });

  test("are found by the key of each of their landings", () => {
    const at = view(talk(1), [definition("preset:1"), definition("preset:11")]);

    expect(definitionOf(at, "preset:11@4")?.key).toBe("preset:11");
    expect(definitionOf(at, "preset:1")?.key).toBe("preset:1");
    expect(definitionOf(at, "node:0")).toBeUndefined();
  });
});

describe("a dragged block", () => {
  const at = view([put("head", 2), ...talk(2), put("tail", 0)]);
  const place: PlaceFields = { kind: "preset", depth: "2", order: "100", anchor: "", position: "after" };

  test("says between which messages it would land", () => {
    expect(gapWords(at, { row: 2, depth: 1 })).toBe("between “node:0” and “node:1”, depth 1");
    expect(gapWords(at, { row: 1, depth: 2 })).toBe("before “node:0”, depth 2");
    expect(gapWords(at, { row: 3, depth: 0 })).toBe("after “node:1”, depth 0");
    expect(gapWords(view([put("head", 0)]), { row: 0, depth: 0 })).toBe("where the history would be, depth 0");
  });

  test("names messages by the ids that a person can say", () => {
    const named = view(talk(2).map((each, i) => ({ ...each, id: `u${i}` })));

    expect(gapWords(named, { row: 1, depth: 1 })).toBe("between u0 and u1, depth 1");
  });

  test("asks for a depth, lore for the position that has one, and for nothing where it is", () => {
    expect(dropped(definition("p", { place }), 1)).toEqual({ depth: 1 });
    expect(dropped(definition("p", { place }), 2)).toBeNull();
    const lore: PlaceFields = { kind: "lore", depth: "4", order: "50", position: "before_char" };
    expect(dropped(definition("l", { place: lore }), 4)).toEqual({ position: "at_depth", depth: 4 });
    expect(dropped(definition("l", { place: { ...lore, position: "at_depth" } }), 4)).toBeNull();
  });

  test("that can't be moved says why", () => {
    expect(refusal(definition("p", { place }))).toBe("");
    expect(refusal(definition("p", { fixed: "It marks a place." }))).toBe("It marks a place.");
    expect(refusal(undefined)).toBe("Only presets and lore are moved here.");
  });
});

test("a message of several is that of each of its parts", () => {
  const joined = put("lore:a/1", 0, { parts: ["lore:a/1", "preset:2@4"] });

  expect(["lore:a/1", "preset:2", "preset:2@4"].every((key) => isOf(joined, key))).toBe(true);
  expect(["preset:3", "lore:a", ""].some((key) => isOf(joined, key))).toBe(false);
});

test("the heading says what became of the messages later", () => {
  const at = view(talk(3).map((each, i) => ({ ...each, cut: i === 0 })));

  expect(heading({ ...at, sent: 2 })).toBe("Sent, 3 messages, 1 cut later");
  expect(heading({ ...at, sent: 1 })).toBe("Sent, 3 messages, 1 cut later, joined into 1");
  expect(heading(view(talk(1)))).toBe("Sent, 1 message");
});

describe("what is applied", () => {
  const preset: PlaceFields = { kind: "preset", depth: "2", order: "100", anchor: "", position: "after" };
  const lore: PlaceFields = { kind: "lore", depth: "4", order: "50", position: "before_char" };

  test.each<[string, PlaceFields, Partial<PlaceFields>, ReturnType<typeof change>]>([
    ["nothing new", preset, {}, null],
    ["another depth", preset, { depth: "5" }, { depth: 5 }],
    ["several depths", preset, { depth: "3, 10~5" }, { depth: "3, 10~5" }],
    ["what is no depth goes to Python too", preset, { depth: "-1" }, { depth: -1 }],
    ["an anchor", preset, { depth: "", anchor: "chat_history" }, { anchor: "chat_history" }],
    ["neither depth nor anchor", preset, { depth: "" }, { anchor: "" }],
    ["the order alone", preset, { order: "7.5" }, { order: 7.5 }],
    ["an emptied order", preset, { order: "" }, null],
    ["a side that nothing stands at", preset, { position: "before" }, null],
    ["lore at a depth", lore, { position: "at_depth", depth: "2" }, { position: "at_depth", depth: 2 }],
    ["a depth that lore elsewhere has no use for", lore, { depth: "2" }, null],
  ])("%s", (_, from, typed, wanted) => {
    expect(change(from, { ...from, ...typed })).toEqual(wanted);
  });
});

describe("a wire", () => {
  test("leaves and arrives level, and ends before its tip", () => {
    expect(curve({ x1: 0, y1: 10, x2: 104, y2: 50 })).toBe("M0 10C52 10 52 50 100 50");
  });

  test("has the colour and the dashes of its source, amber ones theirs, heavy where it landed elsewhere", () => {
    expect(stroke(definition("a"))).toMatchObject({ kind: "source", dash: null });
    expect(stroke(definition("a", { look: "lore" })).dash).not.toBeNull();
    expect(stroke(definition("a", { outcome: "unknown anchor" }))).toMatchObject({ kind: "warns", dash: "5 3" });
    expect(stroke(definition("a", { outcome: "elsewhere" }))).toMatchObject({ kind: "differs", width: 2 });
    expect(stroke(definition("a", { outcome: "elsewhere" }), true)).toMatchObject({ kind: "asked", dash: "3 3" });
  });
});
