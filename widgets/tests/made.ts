// A small run by hand: two messages come, one is rewritten by a rule, one is cut, a preset is added and merged.

import type { Draft, Step, View } from "../ctxlab_widgets/_shared/trace_view";

const draft = (key: string, spans: number[], more: Partial<Draft> = {}): Draft => ({
  key,
  role: "user",
  origin: { kind: key.split(":")[0], id: key.split(":")[1] },
  spans,
  assets: [],
  calls: [],
  result_of: null,
  reasoning: null,
  speaker: null,
  pinned: false,
  merged: [],
  placed: null,
  tokens: 10,
  ...more,
});

const step = (id: string, drafts: number[], more: Partial<Step> = {}): Step => ({
  id,
  edited: false,
  skipped: false,
  seconds: 0.001,
  error: null,
  drafts,
  dropped: [],
  notes: [],
  decided: "",
  reports: {},
  lost: false,
  ...more,
});

const stage = (id: string, enabled = true) => ({ id, name: id, description: "", priority: 1, enabled, settings: {} });

export const made = (): View => ({
  session: "s",
  leaf: "b",
  tokenizer: { name: "words", estimated: false },
  request_tokens: 3,
  texts: ["hello (ooc) you", "hello ", "(ooc) ", "you", "", "old", "{{user}}", "Mei", "\n\n", " here"],
  causes: [
    { processor: "regex", rule: "strip-ooc", reason: "a rule" },
    { processor: "limiter", rule: "sliding", reason: "needed 10 tokens, 3 were left" },
    { processor: "macros", rule: "user", reason: "" },
    { processor: "merge", rule: "same-role", reason: "" },
  ],
  spans: [
    [0, "node", "a", -1, []],
    [1, "node", "a", -1, []],
    [2, "node", "a", -1, []],
    [4, "node", "a", 0, [2]],
    [3, "node", "a", -1, []],
    [5, "node", "b", -1, []],
    [6, "preset", "p", -1, []],
    [7, "macro", "user", 2, [6]],
    [8, "separator", "same-role", 3, []],
    [9, "preset", "p", -1, []],
  ],
  drafts: [
    draft("node:b", [5]),
    draft("node:a", [0], { tokens: 20 }),
    draft("node:a", [1, 3, 4], { tokens: 15 }),
    draft("preset:p", [7, 9], { tokens: 7 }),
    draft("node:a", [1, 3, 4, 8, 7, 9], {
      tokens: 21,
      merged: [
        { key: "node:a", kind: "node", id: "a" },
        { key: "preset:p", kind: "preset", id: "p" },
      ],
    }),
  ],
  notes: [],
  start: { drafts: [] },
  steps: [
    step("loader", [0, 1]),
    step("regex", [0, 2]),
    step("limiter", [2], { dropped: [{ drafts: [0], cause: 1, needed: 10, left: 3, border: ["node:b"] }] }),
    step("assembler", [2, 3]),
    step("merge", [4]),
  ],
  pipeline: [
    stage("loader"),
    stage("regex"),
    stage("off", false),
    stage("limiter"),
    stage("assembler"),
    stage("merge"),
    stage("late"),
  ],
});
