import { describe, expect, it } from "vitest";
import { findHits } from "../ctxlab_widgets/sent_view/find";
import { foldAt } from "../ctxlab_widgets/sent_view/part_text";
import {
  type Gone,
  ghostsOf,
  type Message,
  newest,
  type Part,
  type Payload,
} from "../ctxlab_widgets/sent_view/payload";
import { foldedGhosts, foldedParts, foldOf, type Row, rowsOf, type Shown } from "../ctxlab_widgets/sent_view/rows";

const part = (key: string, source = "preset", spans: number[] = [0]): Part => ({
  key,
  source,
  name: key,
  how: "",
  tokens: 10,
  seam: "",
  spans,
});
const message = (...parts: Part[]): Message => ({ role: "user", tokens: 13, joins: 0, overhead: 3, parts });
const gone = (key: string, fitsNot: 0 | 1 | 2 = 1, rule = 1): Gone => [
  key,
  "user",
  "history",
  key,
  2,
  rule,
  fitsNot,
  5,
  "w",
];

const payload = (messages: Message[], cut: Payload["cut"] = [], all: Gone[] = []): Payload => ({
  texts: ["words", "sliding", "older than a", "disabled"],
  causes: [],
  spans: [[0, "node", "a", -1, []]],
  messages,
  gone: all,
  order: messages.map((_, i) => i),
  cut,
  tokens: 0,
  request_tokens: 0,
  estimated: false,
  stopped_at: null,
});
const shown = (from: Payload, more: Partial<Shown> = {}): Shown => ({
  messages: from.order.map((i) => from.messages[i]),
  ghosts: ghostsOf(from),
  reading: "chat",
  cut: true,
  open: new Set(),
  bare: () => false,
  ...more,
});
const kinds = (rows: Row[]) => rows.map(({ kind, id }) => (kind === "sum" ? kind : `${kind} ${id.split(":").at(-1)}`));
const many = (n: number, source?: string) => Array.from({ length: n }, (_, i) => part(`p${i}`, source));

describe("rows of what is sent", () => {
  it("puts what was cut right before the part that it stood before", () => {
    const from = payload(
      [message(part("a"), part("b")), message(part("c"))],
      [
        [0, 0, 1],
        [1, 1, 0],
        [2, 2, 0],
      ],
      [gone("x"), gone("y"), gone("z")],
    );

    expect(kinds(rowsOf(shown(from)))).toEqual(["part a", "ghost x", "part b", "ghost y", "part c", "ghost z", "sum"]);
    expect(kinds(rowsOf(shown(from, { cut: false })))).toEqual(["part a", "part b", "part c", "sum"]);
    expect(kinds(rowsOf(shown(from, { reading: "raw" })))).toEqual(["raw 0", "raw 1", "sum"]);
  });

  it("folds the middle of a merged message, never what is history or what changed", () => {
    const from = payload([message(...many(9))]);

    expect(kinds(rowsOf(shown(from)))).toEqual(["part p0", "part p1", "parts p2", "part p7", "part p8", "sum"]);
    expect(rowsOf(shown(payload([message(...many(9, "history"))])))).toHaveLength(10);
    expect(rowsOf(shown(from, { bare: ({ key }) => key === "p4" }))).toHaveLength(10);
    expect(rowsOf(shown(from, { open: new Set(["f:p2"]) }))).toHaveLength(10);
  });

  it("keeps the nearest of what did not fit in sight, and folds others by their rule", () => {
    const keys = ["a", "b", "c", "d", "e", "f"];
    const all = [...keys.map((key) => gone(key)), gone("s", 0, 3), gone("t", 0, 3)];
    const from = payload(
      [message(part("m"))],
      all.map((_, i) => [i, 0, 0]),
      all,
    );
    const rows = rowsOf(shown(from));

    expect(kinds(rows)).toEqual(["ghosts a", "ghost d", "ghost e", "ghost f", "ghosts s", "part m", "sum"]);
    expect(foldOf(rows, shown(from).messages, "b")).toBe("g:a");
    expect(foldOf(rows, shown(from).messages, "d")).toBeUndefined();
    expect(foldedGhosts(ghostsOf(from).slice(0, 3))).toBe("3 messages, a to c, cut by the same rule, sliding");
  });

  it("says what a fold holds", () => {
    expect(foldedParts([part("a", "lore"), part("b", "lore"), part("c"), part("d", "profile")])).toBe(
      "4 more parts: 2 lore, 1 preset, 1 profile",
    );
  });

  it("loses no part and no ghost, whatever is folded", () => {
    const all = [gone("x"), gone("y", 2), gone("z", 0, 3)];
    const from = payload(
      [message(...many(12)), message(part("q"))],
      [
        [0, 0, 5],
        [1, 0, 6],
        [2, 1, 0],
      ],
      all,
    );

    const keys = rowsOf(shown(from)).flatMap((row) => {
      if (row.kind === "part") return [from.messages[row.message].parts[row.part].key];
      if (row.kind === "parts") return from.messages[row.message].parts.slice(row.from, row.to).map(({ key }) => key);
      return row.kind === "ghosts" ? row.ghosts.map(({ key }) => key) : row.kind === "ghost" ? [row.ghost.key] : [];
    });

    expect(keys.toSorted()).toEqual([...many(12).map(({ key }) => key), "q", "x", "y", "z"].toSorted());
  });
});

describe("the newest payload", () => {
  it("has the rows that came behind those that were there", () => {
    const first = payload([message(part("a"))]);
    const since = { texts: 4, causes: 0, spans: 1, messages: 1, gone: 0 };
    const delta = { ...payload([message(part("b"))]), texts: ["more"], spans: [], order: [1], since };

    const now = newest(first, delta);

    expect(now.texts.at(-1)).toBe("more");
    expect(now.order.map((i) => now.messages[i].parts[0].key)).toEqual(["b"]);
  });
});

describe("finding", () => {
  it("finds every place in order, whatever the case, and takes signs as they are", () => {
    const from = payload([message(part("a"), part("b"))]);
    const tables = { ...from, texts: ["One (1) ONE"] };

    expect(findHits(from.messages, tables, "one").map(({ key, start }) => [key, start])).toEqual([
      ["a", 0],
      ["a", 8],
      ["b", 0],
      ["b", 8],
    ]);
    expect(findHits(from.messages, tables, "(1)")).toHaveLength(2);
    expect(findHits(from.messages, tables, "")).toEqual([]);
  });
});

describe("a long text", () => {
  const lines = (n: number) => Array.from({ length: n }, (_, i) => `${i}`).join("\n");

  it("folds by its lines, however few characters they have", () => {
    const fold = foldAt(lines(100))!;

    expect(lines(100).slice(0, fold.at).split("\n")).toHaveLength(16);
    expect(fold.more).toBe("84 more lines");
    expect(foldAt(lines(20))).toBeNull();
  });

  it("folds by its characters where these come first", () => {
    expect(foldAt("x".repeat(5000))).toEqual({ at: 1200, more: "3,800 characters more" });
    expect(foldAt(`${"x".repeat(3000)}\n${lines(50)}`)?.at).toBe(1200);
    expect(foldAt("x".repeat(1600))).toBeNull();
  });
});
