import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { barLayout } from "../ctxlab_widgets/chat_panel/bar_layout";
import { completed } from "../ctxlab_widgets/chat_panel/completion_list";
import { markedPieces, movedMarks } from "../ctxlab_widgets/chat_panel/draft_marks";
import { EarlyPieces } from "../ctxlab_widgets/chat_panel/early_pieces";
import { refusal, sizeWords } from "../ctxlab_widgets/chat_panel/file_drop";
import { AssetAsker } from "../ctxlab_widgets/chat_panel/from_python";
import { type OutlineNode, outlineRows, outlineWires } from "../ctxlab_widgets/chat_panel/outline";
import type { Draft, Quick, Row, Running } from "../ctxlab_widgets/chat_panel/payload";
import { quickOfDigit } from "../ctxlab_widgets/chat_panel/quick_row";
import { starters } from "../ctxlab_widgets/chat_panel/starters";
import { type Pieces, withPieces } from "../ctxlab_widgets/chat_panel/stream";
import { TYPING_MS, TypedText } from "../ctxlab_widgets/chat_panel/typed_text";

type Mark = Draft["marks"][number];

const mark = (start: number, end: number, kind: Mark["kind"] = "lore"): Mark => ({ start, end, kind, note: "" });

/** A small random source that a test can begin anywhere. */
function dice(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

describe("words that something was found in", () => {
  const text = "the lamp and the 灯塔 👩‍🚀 burn";

  test("the pieces are the text, whatever the marks", () => {
    for (let seed = 0; seed < 300; seed++) {
      const roll = dice(seed);
      const marks = Array.from({ length: roll(6) }, () => mark(roll(40) - 4, roll(50) - 4));

      const pieces = markedPieces(text, marks);

      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
      for (const piece of pieces) if (piece.mark) expect(text.slice(piece.mark.start, piece.mark.end)).toBe(piece.text);
    }
  });

  test("each mark is on its words", () => {
    const pieces = markedPieces(text, [mark(17, 19), mark(4, 8, "macro")]);

    expect(pieces.filter((piece) => piece.mark).map((piece) => [piece.text, piece.mark?.kind])).toEqual([
      ["lamp", "macro"],
      ["灯塔", "lore"],
    ]);
  });

  test("typing before a word and behind it leaves the mark on the word", () => {
    const at = text.indexOf("灯塔");
    for (const now of [`So ${text}`, `${text} low`, text.replace("and", "beside"), text.replace(" 👩‍🚀", "")]) {
      const [moved] = movedMarks([mark(at, at + 2)], text, now);

      expect(now.slice(moved.start, moved.end)).toBe("灯塔");
    }
  });

  test("a mark on words that were changed is gone", () => {
    const at = text.indexOf("灯塔");

    expect(movedMarks([mark(at, at + 2)], text, text.replace("灯塔", "灯火塔"))).toEqual([]);
    expect(movedMarks([mark(at, at + 2)], text, "")).toEqual([]);
  });

  test("after any change each mark left is on the words it was on", () => {
    for (let seed = 0; seed < 500; seed++) {
      const roll = dice(seed);
      const from = roll(text.length);
      const now = text.slice(0, from) + "ab灯".slice(roll(4)) + text.slice(Math.min(text.length, from + roll(6)));
      const start = roll(text.length - 1);
      const given = mark(start, Math.min(text.length, start + 1 + roll(5)));

      for (const each of movedMarks([given], text, now))
        expect(now.slice(each.start, each.end)).toBe(text.slice(given.start, given.end));
    }
  });
});

describe("the bar", () => {
  const draft = {
    totals: [
      ["preset", "system", 300],
      ["lore", "lore", 0],
      ["history", "history", 500],
      ["draft", "draft", 58],
    ] as Draft["totals"],
    cutTokens: 0,
  };

  test("has what is sent in its order, the draft last, then what is left", () => {
    const { pieces, end } = barLayout({ ...draft, budget: 1000 });

    expect(pieces.map(({ source, tokens }) => [source, tokens])).toEqual([
      ["preset", 300],
      ["history", 500],
      ["draft", 58],
      ["free", 142],
    ]);
    expect(end).toBe(1);
  });

  test("what falls hangs outside the window's end", () => {
    const { pieces, end } = barLayout({ ...draft, budget: 1000, cutTokens: 250 });

    expect(pieces.at(-1)).toMatchObject({ source: "cut", tokens: 250, share: 0.2 });
    const before = pieces.slice(0, -1).reduce((sum, { share }) => sum + share, 0);
    expect(before).toBeCloseTo(end as number);
  });

  test("what doesn't fit reaches over the end", () => {
    const { pieces, end } = barLayout({ ...draft, budget: 429 });

    expect(end).toBe(0.5);
    expect(pieces.some(({ source }) => source === "free")).toBe(false);
  });

  test("without a budget it has no end, and its shares are the whole", () => {
    for (const budget of [null, 10, 858, 5000]) {
      const { pieces, end } = barLayout({ ...draft, budget, cutTokens: 77 });

      expect(pieces.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
      expect(end === null).toBe(budget === null);
    }
    expect(barLayout({ totals: [], budget: null, cutTokens: 0 })).toEqual({ pieces: [], end: null });
  });
});

describe("the text that is typed", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** A field, and Python's trait, which answers when it is told to. */
  function field(text = "") {
    const area = { value: text };
    const saved: string[] = [];
    const typed = new TypedText(area, (words) => saved.push(words));
    const type = (words: string) => {
      area.value = words;
      typed.typed();
    };
    return { area, saved, typed, type };
  }

  test("Python gets it once typing has stopped, and not before", () => {
    const { saved, type } = field();
    type("a");
    vi.advanceTimersByTime(TYPING_MS - 1);
    type("ab");
    vi.advanceTimersByTime(TYPING_MS - 1);
    expect(saved).toEqual([]);

    vi.advanceTimersByTime(1);

    expect(saved).toEqual(["ab"]);
  });

  test("what is sent reaches Python first, and leaves the field once Python took it", () => {
    const { area, saved, typed, type } = field();
    type("Why?");

    expect(typed.take()).toBe("Why?");

    expect(saved).toEqual(["Why?"]);
    expect(area.value).toBe("Why?");
    expect(typed.isSent).toBe(true);
    typed.put("Why?"); // Python's echo takes nothing away
    expect(area.value).toBe("Why?");

    typed.put("");

    expect(area.value).toBe("");
    expect(typed.isSent).toBe(false);
  });

  test("a text that was refused stays", () => {
    const { area, typed, type } = field();
    type("Why?");
    typed.take();

    expect(typed.refused()).toBe(true);

    expect(area.value).toBe("Why?");
    expect(typed.refused()).toBe(false);
  });

  test.each([true, false])("what is typed behind a sent text stays, and Python gets it (saved: %s)", (isSaved) => {
    const { area, saved, typed, type } = field();
    type("Why?");
    typed.take();
    type("Why?And");
    if (isSaved) vi.advanceTimersByTime(TYPING_MS);

    expect(typed.put("")).toBe(false);

    expect(area.value).toBe("And");
    expect(new Set(saved)).toEqual(new Set(["Why?", "And"]));
    expect(saved.at(-1)).toBe("And");
    expect(typed.put("And")).toBe(false);
    expect(area.value).toBe("And");
  });

  test("a text of Python's replaces what it knows, not what is being typed", () => {
    const { area, typed, type } = field();
    expect(typed.put("from Python")).toBe(true);
    expect(area.value).toBe("from Python");
    type("from Python and me");

    expect(typed.put("other")).toBe(false);

    expect(area.value).toBe("from Python and me");
  });

  test("words that come back when a turn was stopped are shown", () => {
    const { area, typed, type } = field();
    type("queued");
    typed.take();
    typed.put("");

    expect(typed.put("queued")).toBe(true);

    expect(area.value).toBe("queued");
  });
});

describe("suggestions", () => {
  const completion = { text: "so that {{ch can", caret: 12, items: [] };

  test("one replaces what was begun, and the caret is behind it", () => {
    const made = completed(completion, { insert: "{{char}}", replace: 4, label: "", hint: "" }, completion);

    expect(made).toEqual({ text: "so that {{char}} can", caret: 16 });
  });

  test("of a text that was typed on none is taken", () => {
    const item = { insert: "x", replace: 1, label: "", hint: "" };

    expect(completed(completion, item, { ...completion, text: "so that {{ch cannot" })).toBeNull();
    expect(completed(completion, item, { ...completion, caret: 3 })).toBeNull();
    expect(completed(completion, { ...item, replace: 13 }, completion)).toBeNull();
  });
});

test("Alt and a digit mean the action with this key, else the one in this place without one", () => {
  const quick = (id: string, hotkey = ""): Quick => ({
    id,
    label: id,
    description: "",
    hotkey,
    from: "",
    sends: false,
  });
  const all = [quick("a"), quick("b", "Alt+1"), quick("c", "Ctrl+B"), quick("d")];

  expect([1, 2, 3, 4, 9].map((digit) => quickOfDigit(all, digit)?.id)).toEqual([
    "b",
    undefined,
    undefined,
    "d",
    undefined,
  ]);
});

test("sizes are said in the unit that people use", () => {
  expect([1, 90, 1000, 186_000, 1_200_000, 50_000_000].map(sizeWords)).toEqual([
    "1 byte",
    "90 bytes",
    "1 kB",
    "186 kB",
    "1.2 MB",
    "50 MB",
  ]);
});

test("files that are too large are refused in a sentence with the name and both sizes", () => {
  expect(refusal([{ name: "a.txt", size: 50_000_000 }])).toBe("");
  expect(refusal([{ name: "film.mp4", size: 61_000_000 }])).toContain("film.mp4 has 61 MB, more than the 50 MB");
  expect(refusal(Array.from({ length: 3 }, () => ({ name: "a", size: 40_000_000 })))).toContain("120 MB");
});

describe("where one is", () => {
  const node = (key: string, parent: string, isActive = false): OutlineNode => ({
    key,
    parent,
    label: key,
    role: "user",
    column: 0,
    isActive,
    state: "complete",
  });

  test("each message is below its parent, behind what hangs on its elder siblings", () => {
    const nodes = [
      node("u1", "", true),
      node("a", "u1"),
      node("b", "u1", true),
      node("u2", "b", true),
      node("c", "u1"),
    ];

    const rows = outlineRows(nodes);

    expect(rows.map((row) => [row.node.key, row.parent, row.depth])).toEqual([
      ["u1", -1, 0],
      ["a", 0, 1],
      ["b", 0, 1],
      ["u2", 2, 2],
      ["c", 0, 1],
    ]);
    expect(outlineWires(rows).active.match(/M/g)).toHaveLength(2);
    expect(outlineWires(rows).others.match(/M/g)).toHaveLength(2);
  });

  test("all messages are there once, also when parents are missing or run in a circle", () => {
    for (let seed = 0; seed < 200; seed++) {
      const roll = dice(seed);
      const nodes = Array.from({ length: roll(12) }, (_, i) => node(`n${i}`, roll(3) ? `n${roll(12)}` : ""));

      const rows = outlineRows(nodes);

      expect(rows.map((row) => row.node.key).sort()).toEqual(nodes.map(({ key }) => key).sort());
      rows.forEach((row, i) => void expect(row.parent).toBeLessThan(i));
    }
  });
});

describe("pieces of an answer", () => {
  const turn = (number: number): Running => ({
    number,
    key: "a1",
    parent: "u1",
    verb: "send",
    phase: "writing",
    facts: [],
    text: "",
    thought: "",
    calls: [],
    queued: [],
  });
  const piece = (number: number, text: string): Pieces => ({
    kind: "pieces",
    number,
    key: "a1",
    text,
    thought: "",
    phase: "writing",
    facts: [],
  });
  const words = ["Be", "cau", "se", " of", " her"];

  test("however they and the turn's beginning come, the text is whole", () => {
    for (let seed = 0; seed < 200; seed++) {
      const roll = dice(seed);
      const known = roll(words.length);
      const begins = roll(words.length);
      const early = new EarlyPieces();
      let now: Running | "old" | "gap" = { ...turn(known), text: words.slice(0, known).join("") };
      const add = (pieces: Pieces[]) => {
        for (const each of pieces) {
          const next = withPieces(now as Running, each);
          if (next !== "old") now = next;
        }
      };

      for (const [i, text] of words.entries()) {
        if (i === begins) add(early.running(now as Running));
        add(early.come(piece(i + 1, text)));
      }

      expect((now as Running).text).toBe("Because of her");
      expect(now).not.toBe("gap");
    }
  });

  test("of an ended turn none waits for the next", () => {
    const early = new EarlyPieces();
    early.come(piece(1, "late"));
    early.running(null);

    expect(early.running(turn(0))).toEqual([]);
  });
});

describe("first words", () => {
  const greeting = (text: string): Row[] => [
    { key: "g1", kind: "message", role: "assistant", who: "Wei", facts: [], text, state: "complete", actions: [] },
  ];

  test("are those that the greeting offers, three of them", () => {
    expect(starters(greeting("Well?\n\n1. *Ask* for the book\n2. Sit down\n3. Leave\n4. Sing"))).toEqual([
      "Ask for the book",
      "Sit down",
      "Leave",
    ]);
    expect(starters(greeting('Hm. <button type="send">Turn the page</button>'))).toEqual(["Turn the page"]);
  });

  test("else questions in the greeting's language", () => {
    expect(starters(greeting("The box is warm and smells of lamp oil."))[0]).toBe("Where are we?");
    expect(starters(greeting("坐吧。灯油味很重。"))[1]).toBe("你是谁？");
  });

  test("are not there once somebody has spoken", () => {
    const [row] = greeting("Sit down.");

    expect(starters([])).toEqual([]);
    expect(starters([row, { ...row, key: "u1", role: "user" }])).toEqual([]);
  });
});

describe("files that a message names", () => {
  test("are asked for once at a time, and answered by their ids", async () => {
    const asked: string[] = [];
    const asker = new AssetAsker((id) => asked.push(id) > 0);
    const found = [asker.resolve("agent-asset://a/灯.png"), asker.resolve("agent-asset://a/灯.png")];

    asker.came({ id: "agent-asset://a/灯.png", type: "image/png" }, new Uint8Array([0, 1, 2]).subarray(1));

    expect(asked).toEqual(["agent-asset://a/灯.png"]);
    for (const asset of await Promise.all(found)) expect([...(asset?.bytes ?? [])]).toEqual([1, 2]);
  });

  test("are none where there are no bytes, nobody answers, or the view goes", async () => {
    const asker = new AssetAsker((id) => id !== "b");
    const none = asker.resolve("a");
    asker.came({ id: "a", type: "" }, undefined);
    const gone = asker.resolve("c");
    asker.stop();

    expect(await Promise.all([none, asker.resolve("b"), gone])).toEqual([null, null, null]);
  });
});
