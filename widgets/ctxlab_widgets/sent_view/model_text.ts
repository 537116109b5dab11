// The text that a model reads: its rows in the order of the text, and what was dropped where it would have stood.

import { grouped, many } from "../_shared/numbers";
import type { SpanTables } from "../_shared/trace_view";
import type { Hit } from "./find";
import type { Message, Part } from "./payload";

export const FIELDS = ["template", "special", "role", "content", "reasoning", "calls", "name", "tools"] as const;
export type Field = (typeof FIELDS)[number];

/** Message or -1, and the stretches: each a field and its spans. */
export type TextRow = [message: number, stretches: [field: number, spans: number[]][]];

export type EffectJson = [kind: string, key: string, sentence: string, line: number | null, row: number];

/** As Python gives it. */
export interface TextJson extends Pick<SpanTables, "texts" | "causes" | "spans"> {
  name: string;
  template: string;
  engine: string;
  characters: number;
  /** What cuts it into tokens; null where the vocabulary isn't at hand. */
  cuts: string | null;
  refused: { words: string; line: number | null; source: string } | null;
  traced: boolean;
  /** So many rows of the tables were known before. */
  since: Record<"texts" | "causes" | "spans", number>;
  rows: TextRow[];
  /** Dropped messages: number, key, and the row that it would stand before. */
  gone: [message: number, key: string, row: number][];
  effects: EffectJson[];
  /** Effects by kind, of which only so many are listed. */
  counts: Record<string, number>;
}

/** Tokens of the text: of each row that was asked for where they end in it, and which of them inside a character. */
export interface TokensJson {
  total: number;
  rows: Record<string, [ends: number[], inside: number[]]>;
}

export const LOSSES = ["refused", "dropped", "moved"];

export type Item =
  | { kind: "row"; id: string; row: number }
  | { kind: "gone"; id: string; gone: Dropped }
  | { kind: "fold"; id: string; gone: Dropped[] };

/** A message that the template drops, or a part of one. */
export interface Dropped {
  key: string;
  message: number;
  role: string;
  part: Part | undefined;
}

/** So many in a row that were dropped become one row. */
const FEW = 4;

export function itemsOf(text: TextJson, messages: Message[], open: ReadonlySet<string>): Item[] {
  const out: Item[] = [];
  let at = 0;
  const ghosts = (row: number) => {
    const found: Dropped[] = [];
    for (; at < text.gone.length && (text.gone[at][2] <= row || row < 0); at++)
      found.push(dropped(text.gone[at], messages));
    const id = `d:${found[0]?.key}`;
    if (found.length >= FEW && !open.has(id)) out.push({ kind: "fold", id, gone: found });
    else out.push(...found.map((gone): Item => ({ kind: "gone", id: `g:${gone.key}`, gone })));
  };
  for (const row of text.rows.keys()) {
    ghosts(row);
    out.push({ kind: "row", id: `t:${row}`, row });
  }
  ghosts(-1);
  return out;
}

function dropped([message, key]: TextJson["gone"][number], messages: Message[]): Dropped {
  const of = messages[message] as Message | undefined;
  return { key, message, role: of?.role ?? "", part: of?.parts.find((part) => part.key === key) };
}

/** "6 messages, g1 to u7, dropped by the template". */
export function foldedDropped(gone: Dropped[]): string {
  const name = ({ key, part }: Dropped) => part?.name ?? key;
  return `${many(gone.length, "message")}, ${name(gone[0])} to ${name(gone[gone.length - 1])}, dropped by the template`;
}

export const textOfRow = ({ texts, spans }: SpanTables, [, stretches]: TextRow): string =>
  stretches.map(([, mine]) => mine.map((i) => texts[spans[i][0]]).join("")).join("");

/** Every place of the words, whatever the case; `message` is the row, `key` its name. */
export function findInText(text: TextJson, tables: SpanTables, wanted: RegExp, most: number): Hit[] {
  const out: Hit[] = [];
  for (const [row, each] of text.rows.entries())
    for (const found of textOfRow(tables, each).matchAll(wanted)) {
      if (out.length === most) return out;
      out.push({ message: row, key: `t:${row}`, start: found.index, end: found.index + found[0].length });
    }
  return out;
}

/** The template by its name, or its model's where it has none of its own. */
export const subjectOf = ({ name, template }: TextJson): string => (template === "default" ? name : template);

/** The one sentence: "chatml drops 3 messages and moves 1." */
export function textSentence(text: TextJson, messages: number): string {
  const subject = subjectOf(text);
  if (text.refused) return `${subject} refuses these messages: the model gets nothing.`;
  const does = (kind: string, verb: string) => text.counts[kind] && `${verb} ${many(text.counts[kind], "message")}`;
  const found = [does("dropped", "drops"), does("moved", "moves")].filter(Boolean);
  if (found.length) return `${subject} ${found.join(" and ")}.`;
  if (!text.traced) return `The text that ${subject} makes; where its characters are from could not be followed.`;
  return `${subject} carries ${messages === 1 ? "the message" : `all ${grouped(messages)} messages, in order`}.`;
}

/** "3 dropped, 1 moved, 2 added": effects that lose something first. */
export const tallied = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, n]) => (kind === "refused" || kind === "not traced" ? kind : `${grouped(n)} ${kind}`))
    .join(", ");

/** The tables of a run with the rows that its text needs besides. */
export function tablesWith(tables: SpanTables, text: TextJson): SpanTables {
  const { since } = text;
  return {
    ...tables,
    texts: [...tables.texts.slice(0, since.texts), ...text.texts],
    causes: [...tables.causes.slice(0, since.causes), ...text.causes],
    spans: [...tables.spans.slice(0, since.spans), ...text.spans],
  };
}
