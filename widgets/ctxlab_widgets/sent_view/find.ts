// Where words stand in what is sent.

import type { SpanTables } from "../_shared/trace_view";
import { type Message, textOfPart } from "./payload";

/** `message` is its number, or that of the text's row; `key` that of the part, or the row's name. */
export interface Hit {
  message: number;
  key: string;
  start: number;
  end: number;
}

/** More are not counted. */
export const MOST_HITS = 5000;

/** Every place of the words, in order, whatever the case; none for no words. */
export function findHits(messages: Message[], tables: SpanTables, query: string): Hit[] {
  const out: Hit[] = [];
  const wanted = patternOf(query);
  if (!wanted) return out;
  for (const [message, { parts }] of messages.entries())
    for (const part of parts)
      for (const found of textOfPart(tables, part).matchAll(wanted)) {
        if (out.length === MOST_HITS) return out;
        out.push({ message, key: part.key, start: found.index, end: found.index + found[0].length });
      }
  return out;
}

/** The words that are looked for, whatever the case; null for none. */
export const patternOf = (query: string): RegExp | null =>
  query ? new RegExp(query.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "giu") : null;

export function byPart(hits: Hit[]): Map<string, [number, number][]> {
  const out = new Map<string, [number, number][]>();
  for (const { key, start, end } of hits) out.set(key, [...(out.get(key) ?? []), [start, end]]);
  return out;
}
