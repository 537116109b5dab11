import { describe, expect, test } from "vitest";
import {
  complaint,
  groups,
  line,
  type Message,
  nextHit,
  type Rule,
  reasons,
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
  own_name: "r",
  min_depth: "",
  max_depth: "",
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

test("the next message that a rule changed is found, and none beyond the ends", () => {
  const all = [message("a", 1), message("b"), message("c", 2), message("d")];
  expect([nextHit(all, "a", 1), nextHit(all, "d", -1), nextHit(all, "b", -1)]).toEqual(["c", "c", "a"]);
  expect([nextHit(all, "a", -1), nextHit(all, "c", 1), nextHit(all, "e", 1)]).toEqual([null, null, null]);
});

describe("neighbours that did nothing", () => {
  const states = ["none", "off", "matched", "idle", "failed", "none", "none"] as const;
  const all = states.map((state, i) => rule({ key: String(i), state, outcome: state }));
  const keys = (found: Rule[][]) => found.map((group) => group.map((each) => each.key).join(""));

  test("stand together, in running order", () =>
    expect(keys(groups(all, new Set()))).toEqual(["01", "2", "3", "4", "56"]));

  test("but not those that somebody works on", () =>
    expect(keys(groups(all, new Set(["1", "5"])))).toEqual(["0", "1", "2", "3", "4", "5", "6"]));

  test("have their reasons counted", () => {
    expect(reasons(all.slice(4))).toBe("1 failed, 2 none");
    expect(reasons(all.map((each, i) => ({ ...each, outcome: `r${i}` })))).toBe(
      "1 r0, 1 r1, 1 r2, 1 r3 and other reasons",
    );
  });
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
