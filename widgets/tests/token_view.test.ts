import { describe, expect, test } from "vitest";
import { hitAt, search } from "../ctxlab_widgets/token_view/find_hits";
import { clusterEnd, lineAt, linesOf, visible } from "../ctxlab_widgets/token_view/line_breaks";
import {
  cells,
  markJoints,
  stretchOf,
  type Tokens,
  tokenAt,
  tokensFrom,
  tokensIn,
} from "../ctxlab_widgets/token_view/tokens";

const one = () => 1;
const perLetter = (shown: string) => shown.length;
const made = (ends: number[], inside: number[] = []): Tokens =>
  tokensFrom(new DataView(Int32Array.from([...ends, ...ends.map(() => 7), ...inside]).buffer), ends.length);
const lines = (text: string, room: number, width = perLetter) => {
  const starts = linesOf(text, room, width);
  return [...starts].slice(0, -1).map((start, i) => text.slice(start, starts[i + 1]));
};

const FAMILY = "\u{1f469}\u200d\u{1f469}\u200d\u{1f467}";
const FLAG = "\u{1f1ef}\u{1f1f5}";
const MIXED = `words, \u706f\u5854\u3002 ${FAMILY}${FLAG} cafe\u0301\tx\r\n\u05e9\u05dc\u05d5\u05dd \u001b[31m\u202egnp ${"y".repeat(40)}`;

describe("signs", () => {
  test.each([
    ["a", 1],
    ["\u706f\u5854", 1],
    ["e\u0301x", 2],
    [`${FAMILY}x`, FAMILY.length],
    [`${FLAG}${FLAG}`, 4],
    ["\u{1faE0}\u{1faE0}", 2],
    ["\u{1f44d}\u{1f3fd}!", 4],
    ["\r\n", 1],
    ["\ud83d", 1],
    ["\u304b\u3099\u304b", 2],
    [`Z${"\u0351".repeat(100)}`, 31],
  ])("%j begins with one of %i units", (text, length) => expect(clusterEnd(text, 0)).toBe(length));
});

describe("what is shown of a text", () => {
  test.each([
    ["plain ~ words", "plain ~ words"],
    ["\u706f\u5854", "\u706f\u5854"],
    ["\n", "\u23ce"],
    ["\r\n", "\\r\u23ce"],
    ["\tx", "\u2192\u00a0\u00a0\u00a0x"],
    ["\u001b[0m", "\\u001b[0m"],
    ["\u202egnp", "\\u202egnp"],
    ["a\u200bb\u2028c\ufeffd\u00ade", "a\\u200bb\\u2028c\\ufeffd\\u00ade"],
    ["x\u{e0041}y", "x\\u{e0041}y"],
    ["\ud83d", "\\ud83d"],
    ["\u200d", "\\u200d"],
    [FAMILY, FAMILY],
  ])("%j", (text, shown) => expect(visible(text)).toBe(shown));
});

describe("lines", () => {
  test("break before a blank, so that a word keeps its own", () =>
    expect(lines("one two three", 9)).toEqual(["one two", " three"]));
  test("end with their newline, and a last newline begins no line", () =>
    expect(lines("a\n\nb\n", 9)).toEqual(["a\n", "\n", "b\n"]));
  test("a newline finds room where nothing else would", () => expect(lines("abcd\nx", 4)).toEqual(["abcd\n", "x"]));
  test("a word too long for a line is broken anywhere", () =>
    expect(lines("x".repeat(10), 4)).toEqual(["xxxx", "xxxx", "xx"]));
  test("Chinese breaks between signs, but not before its full stop", () =>
    expect(lines("\u4e00\u4e8c\u4e09\u56db\u3002\u4e94", 4)).toEqual(["\u4e00\u4e8c\u4e09", "\u56db\u3002\u4e94"]));
  test("nothing has no lines, and one sign has one even where there is no room", () => {
    expect(lines("", 9)).toEqual([]);
    expect(lines("\u{1f600}", 0)).toEqual(["\u{1f600}"]);
  });
  test.each([1, 2, 3, 7, 20, 1000])("of %i all hold the text and never cut a sign", (room) => {
    const found = lines(MIXED, room, one);

    expect(found.join("")).toBe(MIXED);
    for (const line of found.slice(1)) expect(line).not.toMatch(/^[\u200d\u0301\udc00-\udfff]/);
  });
  test("fit where there is room for a sign", () => {
    for (const line of lines("words of some length and more of them ".repeat(20), 12))
      expect(line.length).toBeLessThanOrEqual(12);
  });
  test("are found by an offset", () => {
    const starts = Int32Array.from([0, 5, 9, 12]);

    expect([0, 4, 5, 8, 9, 12, 99].map((offset) => lineAt(starts, offset))).toEqual([0, 0, 1, 1, 2, 2, 2]);
  });
});

describe("tokens", () => {
  test("are found by an offset, the last one by any behind", () => {
    const tokens = made([2, 2, 5]);

    expect([0, 1, 2, 4, 5, 9].map((offset) => tokenAt(tokens, offset))).toEqual([0, 0, 2, 2, 2, 2]);
  });

  test("one that begins no character is shown by the character that it is a part of", () => {
    const tokens = made([1, 3, 3, 3, 4], [1, 2]);

    expect([0, 1, 2, 3, 4].map((token) => stretchOf("a\u{1fae0}b", tokens, token))).toEqual([
      [0, 1],
      [1, 3],
      [1, 3],
      [1, 3],
      [3, 4],
    ]);
    expect(tokensIn(tokens, 1, 3)).toEqual([1, 3]);
    expect(tokensIn(tokens, 0, 1)).toEqual([0, 0]);
  });

  test("the other tokenizer's cuts are marked, those inside a character are none", () => {
    const a = made([1, 3, 3, 4], [1]);
    const b = made([1, 3, 4]);
    markJoints(a, b);

    expect([...a.joint]).toEqual([1, 1, 0, 1]);
    expect([...b.joint]).toEqual([1, 1, 1]);
  });

  test("cuts that only one has are not joint", () => {
    const a = made([2, 4, 6]);
    const b = made([3, 4, 6]);
    markJoints(a, b);

    expect([...a.joint]).toEqual([1, 0, 1]);
    expect([...b.joint]).toEqual([1, 0, 1]);
  });
});

describe("cells", () => {
  const shown = (text: string, tokens: Tokens, from = 0, to = text.length) =>
    cells(text, from, to, tokens).map(
      ({ start, end, first, last, goesOn }) =>
        `${text.slice(start, end)} ${first}${last > first ? `-${last}` : ""}${goesOn ? " on" : ""}`,
    );

  test("each token is one", () => expect(shown("abcd", made([1, 3, 4]))).toEqual(["a 0", "bc 1", "d 2"]));
  test("a token goes on in the next line", () => {
    const tokens = made([2, 6]);

    expect(shown("abcdef", tokens, 0, 4)).toEqual(["ab 0", "cd 1"]);
    expect(shown("abcdef", tokens, 4, 6)).toEqual(["ef 1 on"]);
  });
  test("a character of several tokens is one cell of all of them", () =>
    expect(shown("a\u{1fae0}b", made([1, 3, 3, 3, 4], [1, 2]))).toEqual(["a 0", "\u{1fae0} 1-3", "b 4"]));
  test("what stands before the character in its token stays apart", () =>
    expect(shown("x \u{1fae0}", made([1, 4, 4], [1]))).toEqual(["x 0", "  1", "\u{1fae0} 1-2 on"]));
  test("what follows it in its token goes on", () =>
    expect(shown("\u706f\u5854\u6e2f", made([1, 3], [0]))).toEqual(["\u706f 0-1", "\u5854\u6e2f 1 on"]));
  test("tokens that meet inside a sign share it", () => {
    expect(shown("cafe\u0301s", made([4, 6]))).toEqual(["caf 0", "e\u0301 0-1 on", "s 1 on"]);
    expect(shown(FAMILY, made([2, 3, 5, 8]))).toEqual([`${FAMILY} 0-3`]);
  });
  test("lines of cells are the text, whatever the cuts", () => {
    for (let step = 1; step < 9; step++) {
      const ends = Array.from({ length: Math.ceil(MIXED.length / step) }, (_, i) =>
        Math.min((i + 1) * step, MIXED.length),
      );
      const tokens = made(ends);
      const starts = linesOf(MIXED, 12, one);
      const all = [...starts].slice(0, -1).flatMap((start, i) => cells(MIXED, start, starts[i + 1], tokens));

      expect(all.map(({ start, end }) => MIXED.slice(start, end)).join("")).toBe(MIXED);
      const there = new Set(all.flatMap(({ first, last }) => ends.map((_, i) => i).slice(first, last + 1)));
      expect(there.size).toBe(ends.length);
    }
  });
});

describe("finding", () => {
  test("takes no notice of capitals and no orders", () => {
    expect(search("Pier (pier) PIER", "pier")).toEqual([
      [0, 4],
      [6, 10],
      [12, 16],
    ]);
    expect(search("a.b a+b", "a.b")).toEqual([[0, 3]]);
    for (const sign of "\\^$.*+?()[]{}|/-") expect(search(`x${sign}y`, sign)).toEqual([[1, 2]]);
    expect(search("text", "")).toEqual([]);
  });
  test("goes on from an offset", () => {
    const hits = search("aXaXa", "a");

    expect([0, 1, 2, 4, 5].map((offset) => hitAt(hits, offset))).toEqual([0, 1, 1, 2, 3]);
  });
});
