import { describe, expect, it } from "vitest";
import { firstLines } from "../ctxlab_widgets/chat_panel/calls";
import { CutMarks } from "../ctxlab_widgets/chat_panel/cut_marks";
import { findWords } from "../ctxlab_widgets/chat_panel/find_words";
import { ListFind } from "../ctxlab_widgets/chat_panel/list_find";
import { foldOf, foldsOf, guessedHeight, keptRows, lastWhole, shownRows } from "../ctxlab_widgets/chat_panel/list_rows";
import { isAtEnd } from "../ctxlab_widgets/chat_panel/list_scroll";
import { LiveTurn } from "../ctxlab_widgets/chat_panel/live_turn";
import { paragraphs } from "../ctxlab_widgets/chat_panel/message_text";
import type { CallRow, Row, Running } from "../ctxlab_widgets/chat_panel/payload";
import { type Pieces, withFinished, withPieces, withRunning } from "../ctxlab_widgets/chat_panel/stream";

const row = (key: string, more: Partial<Row> = {}): Row => ({
  key,
  kind: "message",
  role: key.startsWith("u") ? "user" : "assistant",
  who: "Wei",
  facts: [],
  text: `words of ${key}`,
  state: "complete",
  actions: [],
  ...more,
});
const summary = (key: string, ids: string[], more: Partial<Row> = {}): Row =>
  row(key, { kind: "summary", standsFor: { sentence: "stands", count: ids.length, ids, kept: "", lost: [] }, ...more });
const call = (id: string, state: CallRow["state"] = "running"): CallRow => ({
  id,
  name: "read",
  arguments: "",
  state,
  facts: "",
});
const turn = (key: string, more: Partial<Running> = {}): Running => ({
  number: 0,
  key,
  parent: "",
  verb: "send",
  phase: "writing",
  facts: [],
  text: "",
  thought: "",
  calls: [],
  queued: [],
  ...more,
});
const pieces = (number: number, key: string, text: string, more: Partial<Pieces> = {}): Pieces => ({
  kind: "pieces",
  number,
  key,
  text,
  thought: "",
  phase: "writing",
  facts: [],
  ...more,
});
const keys = (rows: Row[]): string[] => rows.map(({ key }) => key);

describe("rows", () => {
  it("are the same values where they say the same", () => {
    const before = [row("u1"), row("a1")];
    const known = new Map(before.map((each) => [each.key, each]));

    const [u1, a1, u2] = keptRows(known, [row("u1"), row("a1", { text: "other" }), row("u2")]);

    expect(u1).toBe(before[0]);
    expect(a1.text).toBe("other");
    expect(u2.key).toBe("u2");
  });

  it("are others where anything but the words is", () => {
    const known = new Map([["a1", row("a1")]]);
    const [found] = keptRows(known, [row("a1", { siblings: { at: 1, ids: ["a1", "a2"] } })]);
    expect(found.siblings?.ids).toEqual(["a1", "a2"]);
  });

  it("behind a summary are folded until one unfolds them", () => {
    const rows = [row("u1"), row("a1"), summary("s1", ["u1", "a1"]), row("u2")];

    expect(keys(shownRows(rows, foldsOf(rows), new Set()))).toEqual(["s1", "u2"]);
    expect(shownRows(rows, foldsOf(rows), new Set(["s1"]))).toBe(rows);
    expect(foldOf(foldsOf(rows), "a1")).toBe("s1");
    expect(foldOf(foldsOf(rows), "u2")).toBeUndefined();
  });

  it("are folded where they are steps towards an older answer, behind the first of them", () => {
    const call = { id: "c", name: "look", arguments: "", state: "done", facts: "" } as const;
    const steps = (n: string) => [
      row(`c${n}`, { calls: [call] }),
      row(`t${n}`, { kind: "tool", role: "tool" }),
      row(`d${n}`, { calls: [call] }),
      row(`r${n}`, { kind: "tool", role: "tool" }),
      row(`a${n}`),
    ];
    const rows = [row("u1"), ...steps("1"), row("u2"), ...steps("2")];
    const folds = foldsOf(rows);

    expect([...folds]).toEqual([["c1", ["t1", "d1", "r1"]]]);
    expect(keys(shownRows(rows, folds, new Set()))).toEqual([
      "u1",
      "c1",
      "a1",
      "u2",
      ...steps("2").map(({ key }) => key),
    ]);
    expect(foldOf(folds, "d1")).toBe("c1");
    expect(shownRows(rows, folds, new Set(["c1"]))).toBe(rows);
  });

  it("behind a summary that is switched off are there", () => {
    const rows = [row("u1"), summary("s1", ["u1"], { state: "disabled" })];
    expect(shownRows(rows, foldsOf(rows), new Set())).toBe(rows);
    expect(foldOf(foldsOf(rows), "u1")).toBeUndefined();
  });

  it("are thought higher the more words they have and the less room there is", () => {
    const long = row("a1", { text: "word ".repeat(400) });
    expect(guessedHeight(long, 800)).toBeGreaterThan(guessedHeight(row("a1"), 800));
    expect(guessedHeight(long, 300)).toBeGreaterThan(guessedHeight(long, 800));
  });

  it("are at their end within a line of it", () => {
    expect(isAtEnd({ scrollTop: 490, scrollHeight: 1000, clientHeight: 500 })).toBe(true);
    expect(isAtEnd({ scrollTop: 400, scrollHeight: 1000, clientHeight: 500 })).toBe(false);
    expect(isAtEnd({ scrollTop: 0, scrollHeight: 100, clientHeight: 500 })).toBe(true);
  });

  it("are seen whole up to what is being written", () => {
    expect(lastWhole([row("u1"), row("a1"), row("a2", { state: "generating" })])).toBe("a1");
    expect(lastWhole([])).toBe("");
  });
});

describe("a turn", () => {
  it("grows by its pieces in order", () => {
    const first = withPieces(turn("a1", { text: "Three" }), pieces(1, "a1", " lines"));
    expect(first).toMatchObject({ number: 1, text: "Three lines" });
    expect(withPieces(turn("a1", { number: 4 }), pieces(4, "a1", "x"))).toBe("old");
    expect(withPieces(turn("a1", { number: 4 }), pieces(6, "a1", "x"))).toBe("gap");
  });

  it("goes on in another message with words of its own", () => {
    const next = withPieces(turn("a1", { text: "I look.", thought: "hm" }), pieces(1, "a2", "It says"));
    expect(next).toMatchObject({ key: "a2", parent: "a1", text: "It says", thought: "" });
  });

  it("asks once for what it missed, and goes on when it has come", () => {
    const live = new LiveTurn();
    live.take(turn("a1"));

    expect(live.add(pieces(2, "a1", "two"))).toBe("gap");
    expect(live.add(pieces(3, "a1", "three"))).toBe("nothing");
    live.take(turn("a1", { number: 3, text: "one two three" }));
    expect(live.add(pieces(3, "a1", "three"))).toBe("nothing");
    expect(live.add(pieces(4, "a1", " four"))).toBe("words");

    expect(live.now?.text).toBe("one two three four");
  });

  it("is not set back by what Python said before its newest pieces", () => {
    const live = new LiveTurn();
    live.take(turn("a1"));
    live.add(pieces(1, "a1", "one"));

    expect(live.take(turn("a1"))).toBe(false);
    expect(live.now?.text).toBe("one");
    expect(live.take(null)).toBe(true);
  });

  it("says which kind of news pieces are", () => {
    const live = new LiveTurn();
    expect(live.add(pieces(1, "a1", "one"))).toBe("nothing");
    live.take(turn("a1"));
    expect(live.add(pieces(1, "a1", "", { calls: [call("c1")] }))).toBe("calls");
    expect(live.add(pieces(2, "a2", "x"))).toBe("another");
  });

  it("stands behind the message that it answers, in place of what stood there", () => {
    const rows = [row("u1"), row("a1"), row("u2")];

    const found = withRunning(rows, turn("a9", { parent: "u1", text: "He" }));

    expect(keys(found)).toEqual(["u1", "a9"]);
    expect(found[0]).toBe(rows[0]);
    expect(found[1]).toMatchObject({ who: "Wei", text: "He", state: "generating" });
  });

  it("stands behind the results of the tools that were called", () => {
    const rows = [row("u1"), row("a1"), row("t1", { kind: "tool", role: "tool" }), row("u9")];
    expect(keys(withRunning(rows, turn("a2", { parent: "a1" })))).toEqual(["u1", "a1", "t1", "a2"]);
  });

  it("is at the end where nobody knows what it answers", () => {
    expect(keys(withRunning([row("u1")], turn("a1", { parent: "gone" })))).toEqual(["u1", "a1"]);
  });

  it("takes the place of a row that is there; the others stay the same values", () => {
    const rows = [row("u1"), row("a1", { text: "", state: "generating" }), row("u2")];

    const found = withRunning(rows, turn("a1", { text: "He", facts: ["writing, 1 token"] }));

    expect(keys(found)).toEqual(["u1", "a1", "u2"]);
    expect(found[0]).toBe(rows[0]);
    expect(found[1]).toMatchObject({ text: "He", got: { facts: ["writing, 1 token"] } });
  });

  it("shows a call at the message that made it, and nowhere else", () => {
    const rows = [row("u1"), row("a1", { calls: [call("c1", "failed")] })];
    const running = turn("a2", { parent: "a1", calls: [call("c1", "done"), call("c2", "asks")] });

    const found = withRunning(rows, running);

    expect(found[1].calls).toEqual([call("c1", "done")]);
    expect(found[2].calls).toEqual([call("c2", "asks")]);
  });

  it("leaves a message that it has ended, until Python's own comes", () => {
    const [, found] = withFinished([row("u1")], turn("a1", { parent: "u1", text: "I look.", facts: ["writing"] }));
    expect(found).toMatchObject({ key: "a1", text: "I look.", state: "complete" });
    expect(found.got).toBeUndefined();
  });
});

describe("what isn't sent", () => {
  const rows = ["u1", "a1", "u2", "a2"].map((key) => row(key));

  it("ends with a line above the first message behind it", () => {
    const marks = new CutMarks();
    marks.set(
      [{ key: "a1", cause: "the draft", keep: { label: "Keep it" } }],
      [{ cause: "sliding", keys: ["u1", "a1"] }],
    );

    expect(marks.lay(rows)).toBe(true);
    expect(marks.lay(rows)).toBe(false);
    expect([marks.of("u1")?.cause, marks.of("a1")?.cause, marks.of("u2")]).toEqual(["sliding", "the draft", undefined]);
    expect(marks.lineOf("u2")).toBe("Sent from here on; of the messages above 2 are not sent.");
    expect(marks.lineOf("a2")).toBe("");
  });

  it("has no line where everything is sent, or nothing", () => {
    const marks = new CutMarks();
    expect(marks.lay(rows)).toBe(false);
    marks.set([], [{ cause: "sliding", keys: ["u1", "a1", "u2", "a2"] }]);
    marks.lay(rows);
    expect(rows.map(({ key }) => marks.lineOf(key)).join("")).toBe("");
  });
});

describe("a turn in another branch", () => {
  it("stays known as one, whatever of it came first", () => {
    const live = new LiveTurn();
    live.take(turn("a9", { number: 5 }));
    expect(live.take(turn("a9", { number: 3 }))).toBe(false);
    expect(live.take(turn("a9", { number: 3, elsewhere: true }))).toBe(true);
    expect(live.now).toMatchObject({ number: 5, elsewhere: true });
  });
});

describe("texts", () => {
  it("are paragraphs between empty lines", () => {
    expect(paragraphs("one\ntwo\n\n\nthree\n \nfour\n\n")).toEqual(["one\ntwo", "three", "four"]);
    expect(paragraphs("")).toEqual([]);
  });

  it("of tools are cut to their first lines where much would be left", () => {
    expect(firstLines("one\ntwo")).toBe("one\ntwo");
    expect(firstLines("line\n".repeat(100))).toBe("line\nline\nline");
    expect(firstLines("x".repeat(9000))).toHaveLength(400);
  });

  it("are found whatever the case, in the text that one reads", () => {
    const translation = { text: "the Lamp", to: "English", shown: "translation" } as const;
    const rows = [row("u1", { text: "Lamp lamp [灯]" }), row("a1", { text: "灯", translation })];

    expect(findWords(rows, "lamp")).toEqual([
      { key: "u1", nth: 0 },
      { key: "u1", nth: 1 },
      { key: "a1", nth: 0 },
    ]);
    expect(findWords(rows, "[灯]")).toHaveLength(1);
    expect(findWords(rows, "  ")).toEqual([]);
    expect(findWords([row("u1", { text: "Ｌａｍｐ　１" })], "lamp 1")).toHaveLength(1);
    expect(findWords([row("u1", { text: "a （b" })], "(B")).toHaveLength(1);
    expect(findWords([row("u1", { text: "cafe\u0301" })], "caf\u00e9")).toHaveLength(1);
  });

  it("are gone through from the first to the last and again", () => {
    const finding = new ListFind();
    finding.begin([row("u1", { text: "a lamp" }), row("a1", { text: "a lamp" })], "lamp");

    const at = [finding.step(1), finding.step(1), finding.step(1), finding.step(-1)].map(({ found }) => found.at);

    expect(at).toEqual([1, 2, 1, 2]);
    finding.begin([row("u1")], "nowhere");
    expect(finding.step(1)).toEqual({ hit: null, found: { at: 0, count: 0 } });
  });
});
