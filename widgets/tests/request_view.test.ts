import { describe, expect, it } from "vitest";
import { lossWords } from "../ctxlab_widgets/request_view/losses";
import type { Line, Part, Payload } from "../ctxlab_widgets/request_view/payload";
import { sentence, size, usd } from "../ctxlab_widgets/request_view/payload";
import {
  cachedUpTo,
  closedAtFirst,
  foldsAround,
  headOf,
  lineOfKey,
  partsOf,
  rowsOf,
  sharesOf,
} from "../ctxlab_widgets/request_view/rows";

const part = (key: string, source: string): Part => ({
  key,
  source,
  name: key,
  how: "",
  tokens: 5,
  steps: [],
  joined: 1,
});
const sign = (text: string): Line[1][number] => ["sign", text];

/** {, tools with six lines inside, messages with a text of two parts, }. */
const lines: Line[] = [
  [0, [sign("{")], 11, -1, null, ""],
  [1, [sign("tools: [")], 7, 2, null, "tools", ["8 lines", [2], 1, 0]],
  ...Array.from({ length: 6 }, (_, i): Line => [2, [["value", String(i), `tools[${i}]`]], 0, 2, null, `tools[${i}]`]),
  [1, [sign("],")], 0, 2, null, "tools"],
  [1, [sign("messages: [")], 1, -1, null, "messages", ["2 lines", [0], 1, 5]],
  [
    2,
    [
      [
        "string",
        [
          ["Hi", 0],
          ["\\n", -1],
          ["lore", 1],
        ],
        0,
        "messages[0].content",
      ],
    ],
    0,
    0,
    null,
    "messages[0]",
  ],
  [0, [sign("}")], 0, -1, null, ""],
];
const payload: Payload = {
  lines,
  parts: [part("node:a", "history"), part("lore:b", "lore"), part("", "tools")],
  problems: [],
  losses: [],
  fixes: [],
  notes: [],
  marks: [],
  breaks: [],
  automatic: false,
  steps: [],
  price: {
    input_tokens: 1637,
    cached_tokens: 0,
    written_tokens: 0,
    output_tokens: null,
    input_usd: null,
    cached_usd: null,
    output_usd: null,
    most_usd: null,
    source: "",
    as_of: "",
  },
  bytes: 7600,
  estimated: false,
  stopped_at: null,
};
const problem = (line: number, level: "error" | "warning" = "error") => ({
  line,
  place: "",
  rule: "",
  reason: "",
  mend: "",
  level,
  fixes: [],
});
const numbers = (closed: number[], of = payload) => rowsOf(of, new Set(closed)).map((row) => row.id);

describe("rows of a request", () => {
  it("hides what is inside a closed fold, the line that closes it too", () => {
    expect(numbers([1])).toEqual(["l0", "l1", "l9", "l10", "l11"]);
  });

  it("puts what is said of a line below it, or below the fold that hides it", () => {
    const told = { ...payload, problems: [problem(3)], marks: [{ line: 10, tokens: 1, effective: true, reason: "" }] };
    expect(numbers([], told).slice(3, 6)).toEqual(["l3", "p0", "l4"]);
    expect(numbers([1], told)).toEqual(["l0", "l1", "p0", "l9", "l10", "m0", "l11"]);
  });

  it("closes tools at first, unless something is said inside", () => {
    expect([...closedAtFirst(payload)]).toEqual([1]);
    expect([...closedAtFirst({ ...payload, problems: [problem(4)] })]).toEqual([]);
  });

  it("finds the folds around a line and the line of a message", () => {
    expect(foldsAround(lines, 4)).toEqual([0, 1]);
    expect(foldsAround(lines, 0)).toEqual([]);
    expect(lineOfKey(payload, "lore:b")).toBe(10);
    expect(lineOfKey(payload, "node:nowhere")).toBe(-1);
  });

  it("tells whose characters a line has, and how many of each", () => {
    expect(partsOf(lines[10])).toEqual([0, 1]);
    expect(partsOf(lines[3])).toEqual([2]);
    const shares = sharesOf(lines[10], payload.parts);
    expect(shares.map(([source]) => source)).toEqual(["history", "lore"]);
    expect(shares.reduce((n, [, share]) => n + share, 0)).toBeCloseTo(1);
    expect(sharesOf(lines[0], payload.parts)).toEqual([]);
  });

  it("is cached up to the last mark that counts", () => {
    const mark = (line: number, effective: boolean) => ({ line, effective, tokens: 1, reason: "" });
    expect(cachedUpTo({ ...payload, marks: [mark(2, true), mark(10, false)] })).toBe(2);
    expect(cachedUpTo(payload)).toBe(-1);
  });

  it("cuts no character and no escape in two", () => {
    expect(headOf("ab\\ncd", 3)).toBe("ab");
    expect(headOf("ab\\ncd", 4)).toBe("ab\\n");
    expect(headOf("ab\\\\ncd", 4)).toBe("ab\\\\");
    expect(headOf("a\\u001bz", 5)).toBe("a");
    expect(headOf("a\\u001bz", 7)).toBe("a\\u001b");
    expect(headOf("a\u{1f600}z", 2)).toBe("a");
    expect(headOf("short", 99)).toBe("short");
  });
});

describe("the sentence of a request", () => {
  it("says whether it would be refused, its size and its price", () => {
    expect(sentence(payload)).toBe("No problem found. 1,637 tokens, 7.6 kB.");
    const priced = { ...payload, price: { ...payload.price, most_usd: 0.0368 }, problems: [problem(1)] };
    expect(sentence(priced)).toBe("1 problem: the vendor would refuse it. 1,637 tokens, 7.6 kB, at most US$ 0.0368.");
    expect(sentence({ ...payload, problems: [problem(1, "warning")] })).toContain("No problem found. 1 warning.");
    expect(sentence({ ...payload, stopped_at: "worldbook" })).toContain("Nothing is sent: the run stops at worldbook");
    expect(sentence({ ...payload, estimated: true })).toContain("About 1,637 tokens");
  });

  it("writes sizes, prices and losses as people do", () => {
    expect([size(1), size(999), size(7600), size(36_000), size(2_500_000)]).toEqual([
      "1 byte",
      "999 bytes",
      "7.6 kB",
      "36 kB",
      "2.5 MB",
    ]);
    expect([usd(0.0368), usd(0.00000123), usd(0)]).toEqual(["US$ 0.0368", "US$ 0.000001", "US$ 0.0000"]);
    const loss = { kind: "name", what: "the name Ada", reason: "no field for it", count: 5, fix: null };
    expect(lossWords(loss)).toBe("the name Ada (5 times): no field for it");
  });
});
