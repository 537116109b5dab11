import { expect, test } from "vitest";
import {
  barOf,
  closedWords,
  escaped,
  type Field,
  foldWords,
  type Group,
  isKept,
  opensAtFirst,
  sorted,
  squaresOf,
  unescaped,
} from "../ctxlab_widgets/agent_form/payload";

const field = (more: Partial<Field> = {}): Field => ({
  ...{ name: "seed", title: "Seed", description: "", type: "integer", choices: [], labels: [], placeholder: "" },
  ...{ minimum: null, maximum: null, optional: true, value: null, origin: "default", values: { default: null } },
  ...{ why_not: "", error: "", fixes: [], hint: "", bar: null },
  ...more,
});
const group = (title: string, ...fields: Field[]): Group => ({ title, note: "", fields });

test("one square counts, those with a value that it overrules are hatched, the rest are empty", () => {
  const origins = ["default", "model", "agent", "session", "call"];
  const values = { default: null, model: 64_000, agent: 0, call: 2048 };

  expect(squaresOf(origins, { origin: "call", values })).toEqual([
    "empty",
    "overruled",
    "overruled",
    "empty",
    "counts",
  ]);
});

test("texts are typed with escapes and come back as they were", () => {
  expect(unescaped("\\nAda:")).toBe("\nAda:");
  expect(unescaped("a\\\\n")).toBe("a\\n");
  for (const text of ["\nAda:", "【完】", "a\\n", "\\\\", "\t\r\n\\"]) expect(unescaped(escaped(text))).toBe(text);
});

test("the bar keeps what is beyond the limit in sight", () => {
  const over = barOf({ thinking: 4096, limit: 2048 });
  expect(over).toMatchObject({ over: true, words: "2,048 too many; nothing left for the answer" });
  expect(over.thinking).toBeCloseTo(2 * over.limit);
  expect(over.thinking).toBeLessThan(100);
  expect(barOf({ thinking: 1024, limit: 2048 })).toMatchObject({ over: false, words: "1,024 left for the answer" });
  expect(barOf({ thinking: 2048, limit: 2048 })).toMatchObject({ over: true, words: "nothing left for the answer" });
});

test("what the model does not take is folded away and said, with the value that is kept", () => {
  const seed = field({ why_not: "not for this model", value: 7, origin: "agent" });
  const both = group("Sampling", field({ name: "topP", title: "Top P" }), seed);

  expect(sorted(both, "model").folded).toEqual([seed]);
  expect(sorted(both, "all").folded).toEqual([]);
  expect(foldWords([seed, field({ title: "Top K", why_not: "x" })])).toBe("2 not sent: seed 7, top k");
  expect([isKept(seed), isKept(field())]).toEqual([true, false]);
});

test("a group that nobody uses is closed, and says what is in it", () => {
  expect(opensAtFirst(group("More", field()))).toBe(false);
  expect(opensAtFirst(group("More", field({ origin: "call", value: 1 })))).toBe(true);
  expect(opensAtFirst(group("More", field({ error: "wrong" })))).toBe(true);
  expect(opensAtFirst(group("Reply", field()))).toBe(true);
  expect(closedWords(group("More", field(), field({ origin: "agent" })))).toBe("2 fields, 1 set");
  expect(closedWords(group("Safety", field()))).toBe("1 field, none set");
});
