import { describe, expect, test } from "vitest";
import { harmless } from "../ctxlab_widgets/_shared/dom";
import { moved } from "../ctxlab_widgets/_shared/keyboard";
import { milliseconds } from "../ctxlab_widgets/_shared/numbers";
import { codePoints, cutsInside, difference, ends } from "../ctxlab_widgets/_shared/one_difference";
import { provenanceOf, provenanceText } from "../ctxlab_widgets/_shared/provenance";
import { parted, pieces, tally } from "../ctxlab_widgets/_shared/text_pieces";
import { themeOf } from "../ctxlab_widgets/_shared/theme";
import { made } from "./made";

describe("a difference", () => {
  test.each([
    ["abc", "abc", { start: 3, removed: "", added: "" }],
    ["abc", "axc", { start: 1, removed: "b", added: "x" }],
    ["aa", "aaa", { start: 2, removed: "", added: "a" }],
    ["", "x", { start: 0, removed: "", added: "x" }],
    ["灯塔", "灯楼", { start: 1, removed: "塔", added: "楼" }],
    ["a😀", "a😁", { start: 1, removed: "😀", added: "😁" }],
    ["e\u0301!", "e\u0300!", { start: 0, removed: "e\u0301", added: "e\u0300" }],
    ["👩‍🚀", "👩‍🎓", { start: 0, removed: "👩‍🚀", added: "👩‍🎓" }],
  ])("of %j and %j is the smallest stretch of whole characters", (a, b, expected) => {
    expect(difference(a, b)).toEqual(expected);
  });

  test("a cut falls between characters", () => {
    expect([cutsInside("a😀b", 1), cutsInside("a😀b", 2), cutsInside("a😀b", 3)]).toEqual([false, true, false]);
  });

  test("characters are counted as Python counts them", () => expect(codePoints("a😀灯")).toBe(3));

  test("a long text is shown by its ends", () => {
    expect(ends("x".repeat(30), 10)).toBeNull();
    expect(ends(`${"x".repeat(9)}😀${"y".repeat(50)}`, 10)).toMatchObject({ head: "x".repeat(9), out: 41 });
  });
});

describe("the pieces of a message", () => {
  const view = made();
  const [, before, after, preset, whole] = view.drafts;

  test("what a rule took out stands where it stood", () => {
    const found = pieces(view, after, [before], "step");

    expect(found.map((piece) => [piece.text, piece.removed, piece.fresh])).toEqual([
      ["hello ", "", false],
      ["", "(ooc) ", true],
      ["you", "", false],
    ]);
    expect(tally(view, found)).toEqual([{ processor: "regex", rule: "strip-ooc", word: "removed", count: 1 }]);
  });

  test("what an earlier step did is no news in this one, but is since the start", () => {
    expect(pieces(view, after, [after], "step").some((piece) => piece.fresh)).toBe(false);
    expect(pieces(view, after, [after], "start").some((piece) => piece.fresh)).toBe(true);
  });

  test("a merged message falls into its parts", () => {
    const found = parted(view, whole, pieces(view, whole, [after, preset], "step"));

    expect(found?.parts.map((part) => part.map((piece) => piece.text).join(""))).toEqual(["hello you", "Mei here"]);
    expect(found?.seams).toHaveLength(1);
  });

  test("an edit without a story is marked by what differs", () => {
    const edited = made();
    edited.texts.push("hello (ooc) me");
    edited.spans.push([edited.texts.length - 1, "node", "a", -1, []]);
    const now = { ...before, spans: [edited.spans.length - 1] };

    expect(pieces(edited, now, [before], "step").map((piece) => [piece.text, piece.removed])).toEqual([
      ["hello (ooc) ", ""],
      ["me", "you"],
    ]);
  });

  test("an edit that only takes out is marked too", () => {
    const edited = made();
    edited.texts.push("hello you");
    edited.spans.push([edited.texts.length - 1, "node", "a", -1, []]);
    const found = pieces(edited, { ...before, spans: [edited.spans.length - 1] }, [before], "step");

    expect(found.map((piece) => piece.text).join("")).toBe("hello you");
    expect(found.map((piece) => piece.removed).join("")).toBe("(ooc) ");
  });
});

test("a chain leads from what was written to what stands there", () => {
  const links = provenanceOf(made(), 7);

  expect(links.map(({ what, before, text }) => [what, before, text])).toEqual([
    ["preset", null, "{{user}}"],
    ["macro user", "{{user}}", "Mei"],
  ]);
  expect(provenanceText(links)).toBe('preset (p): "{{user}}"\nmacro user (macros): "{{user}}" -> "Mei"');
});

test("controls and directions are written out, words and signs are not", () => {
  expect(harmless("\x1b[31m \u202eabc 灯 😀\n")).toBe("\\u001b[31m \\u202eabc 灯 😀\n");
});

test("a carriage return ends a line, alone and with its line feed", () => {
  expect(harmless("one\r\ntwo\rthree\nfour")).toBe("one\ntwo\nthree\nfour");
});

test.each([
  [0.000_02, "0.02 ms"],
  [0.0031, "3.1 ms"],
  [8.012, "8,012 ms"],
])("%d seconds are %s", (seconds, words) => expect(milliseconds(seconds)).toBe(words));

test.each([
  ["ArrowRight", 0, 1],
  ["ArrowLeft", 0, null],
  ["End", 0, 2],
  ["Home", 0, null],
  ["x", 1, null],
])("%s leads from %d to %s", (key, at, to) => expect(moved(key, at, 3)).toBe(to));

test("the page around decides on light and dark", () => {
  const page = (body: Record<string, string>, root: Record<string, string> = {}) => ({
    body: { getAttribute: (name: string) => body[name] ?? null } as Element,
    documentElement: { getAttribute: (name: string) => root[name] ?? null } as Element,
  });

  expect(themeOf(page({ "data-jp-theme-light": "true" }, { "data-theme": "dark" }))).toBe("light");
  expect(themeOf(page({ "data-vscode-theme-kind": "vscode-dark" }))).toBe("dark");
  expect(themeOf(page({}, { "data-theme": "dark" }))).toBe("dark");
  expect(themeOf(page({}))).toBeNull();
});
