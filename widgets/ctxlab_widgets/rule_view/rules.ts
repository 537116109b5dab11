// The rules and the outcome of each, as Python sends them.

export type State = "matched" | "none" | "off" | "failed" | "idle";

/** `=` stays, `-` went, `+` came, `~` tells what isn't shown. */
export type Piece = [sign: "=" | "-" | "+" | "~", text: string];

export interface Rule {
  key: string;
  name: string;
  preset: string;
  layer: string;
  /** Name of the agent or user whose rule it is; empty for everyone's. */
  holder: string;
  pattern: string;
  replacement: string;
  flags: string;
  /** Its name as it is stored, and the depths between which it holds; empty for none. */
  own_name: string;
  min_depth: string;
  max_depth: string;
  flavor: string;
  where: string;
  on: boolean;
  state: State;
  outcome: string;
  remarks: string[];
  pieces?: Piece[];
}

export interface View {
  empty?: string;
  run: boolean;
  names: string;
  /** Whether they come from more than one preset. */
  several: boolean;
  /** The sentence above the rules: words, and the rule that they lead to. */
  answer: [words: string, rule: string][];
  own: boolean;
  undo: number;
  rules: Rule[];
  last: { pieces: Piece[]; summary: string };
}

/** The messages of a run that its rules changed; tokens are null where there are too many to count. */
export interface Hits {
  count: number;
  tokens: number | null;
  messages: { key: string; name: string; number: number; tokens: number | null }[];
}

export interface Message {
  key: string;
  number: number;
  role: string;
  words: string;
  rules: number;
}

export interface Wrong {
  rule?: string;
  field?: string;
  error?: string;
}

/** A line break that came or went is seen. */
export const withBreaks = (text: string): string => text.replaceAll("\n", "↵\n");

/** A replacement in a line: blanks alone stand in quotes. */
export const shownReplacement = (text: string): string => (text.trim() ? withBreaks(text) : `"${withBreaks(text)}"`);

/** A message in one line: number, who, how many rules changed it, its first words. */
export function line({ number, role, rules, words }: Message): string {
  const by = rules ? `, ${rules} rule${rules === 1 ? "" : "s"}` : "";
  return `${number} ${role}${by}: ${words || "no words"}`;
}

/** Why a field's words were not taken, or what is wrong with them. */
export function complaint(rule: Rule, field: string, wrong: Wrong): string {
  if (wrong.rule === rule.key && wrong.field === field) return wrong.error ?? "";
  return field === "pattern" && rule.state === "failed" ? rule.outcome : "";
}

/** The key of the next message that a rule changed, or of the one before, of those that can be chosen. */
export function nextHit(all: Message[], key: string, by: 1 | -1): string | null {
  const at = all.findIndex((each) => each.key === key);
  for (let i = at + by; at >= 0 && i >= 0 && i < all.length; i += by) if (all[i].rules) return all[i].key;
  return null;
}

/** Neighbours that did nothing stand together; those in `apart`, and all others, each alone. */
export function groups(rules: Rule[], apart: Set<string>): Rule[][] {
  const out: Rule[][] = [];
  const idle = (rule: Rule) => rule.state !== "matched" && rule.state !== "failed" && !apart.has(rule.key);
  for (const rule of rules) {
    const last = out.at(-1);
    if (last && idle(rule) && idle(last[0])) last.push(rule);
    else out.push([rule]);
  }
  return out;
}

/** Why rules that stand together did nothing, each reason once with its count. */
export function reasons(rules: Rule[]): string {
  const counts = new Map<string, number>();
  for (const { outcome } of rules) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const all = [...counts].map(([outcome, n]) => `${n} ${outcome}`);
  return all.length > 4 ? `${all.slice(0, 4).join(", ")} and other reasons` : all.join(", ");
}
