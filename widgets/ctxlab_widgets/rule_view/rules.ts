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
  summary: string;
  own: boolean;
  undo: number;
  rules: Rule[];
  last: { text: string; summary: string; more: string };
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

/** The key of the message before or after, of those that can be chosen. */
export function neighbourOf(all: Message[], key: string, by: number): string | null {
  const at = all.findIndex((each) => each.key === key);
  return at < 0 ? null : (all[at + by]?.key ?? null);
}
