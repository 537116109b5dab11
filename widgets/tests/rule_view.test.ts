import { describe, expect, test } from "vitest";
import {
  complaint,
  line,
  type Message,
  neighbourOf,
  type Rule,
  shownReplacement,
  withBreaks,
} from "../ctxlab_widgets/rule_view/rules";

const rule = (more: Partial<Rule>): Rule => ({
  key: "global/0/0",
  name: "r",
  preset: "p",
  layer: "global",
  holder: "",
  pattern: "a",
  replacement: "",
  flags: "g",
  flavor: "javascript",
  where: "sent",
  on: true,
  state: "none",
  outcome: "nothing to change",
  remarks: [],
  ...more,
});
const message = (key: string, rules = 0, words = "hello"): Message => ({ key, number: 3, role: "user", words, rules });

test("a line break that came or went is seen", () => expect(withBreaks("a\n\nb")).toBe("a↵\n↵\nb"));

test("a replacement of blanks alone stands in quotes", () => {
  expect(shownReplacement("  ")).toBe('"  "');
  expect(shownReplacement(" a\n")).toBe(" a↵\n");
});

test("a message's line has its number, its writer, how many rules changed it, and its words", () => {
  expect(line(message("a"))).toBe("3 user: hello");
  expect(line(message("a", 1))).toBe("3 user, 1 rule: hello");
  expect(line(message("a", 2, ""))).toBe("3 user, 2 rules: no words");
});

test("messages before and after are found, and none beyond the ends", () => {
  const all = ["a", "b"].map((key) => message(key));
  expect([neighbourOf(all, "a", 1), neighbourOf(all, "b", -1)]).toEqual(["b", "a"]);
  expect([neighbourOf(all, "a", -1), neighbourOf(all, "b", 1), neighbourOf(all, "c", 1)]).toEqual([null, null, null]);
});

describe("what is wrong with a field", () => {
  const wrong = { rule: "global/0/0", field: "flags", error: "no" };

  test("is told beside that field of that rule alone", () => {
    expect(complaint(rule({}), "flags", wrong)).toBe("no");
    expect(complaint(rule({}), "pattern", wrong)).toBe("");
    expect(complaint(rule({ key: "global/0/1" }), "flags", wrong)).toBe("");
  });

  test("is the failure of the rule for its pattern", () => {
    const failed = rule({ state: "failed", outcome: "It needs more than 50,002,050 backtracks in one text." });
    expect(complaint(failed, "pattern", {})).toBe("It needs more than 50,002,050 backtracks in one text.");
    expect(complaint(failed, "replacement", {})).toBe("");
  });
});
