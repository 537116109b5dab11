// What Python sends: tables that only grow, and the messages of one run as numbers into them.

import type { Files } from "../_shared/attachments";
import type { RemedyJson } from "../_shared/remedy_button";
import type { SpanTables } from "../_shared/trace_view";

export interface Part {
  key: string;
  source: string;
  name: string;
  how: string;
  tokens: number;
  /** What stands between it and the part before. */
  seam: string;
  spans: number[];
  /** Id of a preset, by which its spans name it. */
  ref?: string;
  speaker?: string;
  thought?: string;
  result_of?: string;
  calls?: [name: string, json: string][];
}

export interface Message {
  role: string;
  tokens: number;
  joins: number;
  overhead: number;
  parts: Part[];
  /** The fields beside role and words, as indented JSON. */
  fields?: string;
}

/** Why and rule are numbers of texts; the words are the first ones, on one line. */
export type Gone = [
  key: string,
  role: string,
  source: string,
  name: string,
  why: number,
  rule: number,
  /** 1 for want of room, 2 where the cut began at it. */
  fitsNot: 0 | 1 | 2,
  tokens: number,
  words: string,
];

export interface Payload extends Pick<SpanTables, "texts" | "causes" | "spans"> {
  messages: Message[];
  gone: Gone[];
  order: number[];
  /** Each stood right before that part of that message. */
  cut: [gone: number, message: number, part: number][];
  tokens: number;
  request_tokens: number;
  estimated: boolean;
  /** The step at which the run stopped; null of a run that came to its end. */
  stopped_at: string | null;
}

type Table = "texts" | "causes" | "spans" | "messages" | "gone";
export type PayloadDelta = Payload & { since: Record<Table, number> };

/** The newest payload from the one that was sent first; without a delta that one is the newest. */
export function newest(first: Payload, delta: PayloadDelta | null): Payload {
  if (!delta) return first;
  const { since, ...now } = delta;
  const both = <T>(table: Table, old: T[], added: T[]): T[] => [...old.slice(0, since[table]), ...added];
  return {
    ...now,
    texts: both("texts", first.texts, now.texts),
    causes: both("causes", first.causes, now.causes),
    spans: both("spans", first.spans, now.spans),
    messages: both("messages", first.messages, now.messages),
    gone: both("gone", first.gone, now.gone),
  };
}

export interface Ghost {
  key: string;
  role: string;
  source: string;
  name: string;
  why: string;
  rule: string;
  fitsNot: boolean;
  /** Whether the cut began at it. */
  border: boolean;
  tokens: number;
  words: string;
  message: number;
  part: number;
}

export type Reading = "chat" | "raw" | "text";

/** What the widget shows at a moment. */
export interface State {
  payload: Payload;
  tables: SpanTables;
  messages: Message[];
  ghosts: Ghost[];
  live: boolean;
  views: ReadonlySet<string>;
  reading: Reading;
  /** Whose text it is that a model reads; empty where none is known. */
  reader: string;
  cut: boolean;
  rules: boolean;
  selected: string;
  remedies: ReadonlyMap<string, RemedyJson>;
  files: Files;
  /** Folds that were opened, long texts that are shown whole, and files whose reasons are shown. */
  open: Set<string>;
  /** Hits of what is looked for, by key of the part, or the name of the text's row; empty when nothing is. */
  hits: ReadonlyMap<string, [start: number, end: number][]>;
}

export function messagesOf(payload: Payload): Message[] {
  return payload.order.map((number) => payload.messages[number]);
}

export function ghostsOf({ cut, gone, texts }: Payload): Ghost[] {
  return cut.map(([number, message, part]) => {
    const [key, role, source, name, why, rule, fitsNot, tokens, words] = gone[number];
    const told = { why: texts[why], rule: texts[rule], fitsNot: fitsNot > 0, border: fitsNot === 2 };
    return { key, role, source, name, ...told, tokens, words, message, part };
  });
}

/** What people call the entries and presets whose words are sent. */
export function namesOf(messages: Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const { parts } of messages)
    for (const { key, ref, name } of parts) names.set(ref === undefined ? key : `preset:${ref}`, name);
  return names;
}

export const textOfPart = ({ texts, spans }: SpanTables, part: Part): string =>
  part.spans.map((i) => texts[spans[i][0]]).join("");
