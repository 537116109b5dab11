// The tokens of a text, and how a line is cut by them.

import { clusterEnd } from "./line_breaks";

/** All tokens by one tokenizer. A token ends after the last character that it begins; `inside` says it doesn't end it. */
export interface Tokens {
  count: number;
  ends: Int32Array;
  ids: Int32Array;
  inside: Uint8Array;
  /** Whether the other tokenizer cuts where this token begins. */
  joint: Uint8Array;
}

/** From what Python sends: all ends, all ids, then the places of those that end inside a character. */
export function tokensFrom(sent: DataView | null, count: number): Tokens {
  const bytes = sent ? sent.buffer.slice(sent.byteOffset, sent.byteOffset + sent.byteLength) : new ArrayBuffer(0);
  const numbers = new Int32Array(bytes as ArrayBuffer);
  const inside = new Uint8Array(count);
  for (const place of numbers.subarray(2 * count)) inside[place] = 1;
  const joint = new Uint8Array(count);
  return { count, ends: numbers.subarray(0, count), ids: numbers.subarray(count, 2 * count), inside, joint };
}

/** Marks in both where they begin at the same place. */
export function markJoints(a: Tokens, b: Tokens): void {
  a.joint.fill(0);
  b.joint.fill(0);
  if (a.count) a.joint[0] = 1;
  if (b.count) b.joint[0] = 1;
  let j = 0;
  for (let i = 0; i + 1 < a.count; i++) {
    if (a.inside[i]) continue;
    while (j + 1 < b.count && (b.ends[j] < a.ends[i] || (b.ends[j] === a.ends[i] && b.inside[j]))) j++;
    if (j + 1 >= b.count || b.ends[j] !== a.ends[i]) continue;
    a.joint[i + 1] = 1;
    b.joint[j + 1] = 1;
  }
}

export const startOf = (tokens: Tokens, at: number): number => (at > 0 ? tokens.ends[at - 1] : 0);

/** The first token that ends behind an offset; the last token if none does. */
export function tokenAt({ ends, count }: Tokens, offset: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle] > offset) high = middle;
    else low = middle + 1;
  }
  return Math.min(low, Math.max(count - 1, 0));
}

/** The stretch that shows a token: its characters, and for one that begins none, the character it is a part of. */
export function stretchOf(text: string, tokens: Tokens, at: number): [start: number, end: number] {
  const start = startOf(tokens, at);
  const end = tokens.ends[at];
  if (start < end) return [start, end];
  const low = text.charCodeAt(end - 1);
  const pair = end > 1 && low >= 0xdc00 && low < 0xe000;
  return [end - (pair ? 2 : 1), end];
}

/** The first and the last token that have a part in a stretch. */
export function tokensIn(tokens: Tokens, start: number, end: number): [first: number, last: number] {
  const first = tokenAt(tokens, start);
  return [first, lastIn(tokens, first, end)];
}

/** From `first` on, the token that brings the text up to `end` to its end. */
function lastIn({ ends, inside, count }: Tokens, first: number, end: number): number {
  let last = first;
  while (last < count - 1 && (ends[last] < end || (ends[last] === end && inside[last]))) last++;
  return last;
}

/** A stretch of a line that is drawn as one: by one token, or by several where they share one sign. */
export interface Cell {
  start: number;
  end: number;
  first: number;
  last: number;
  /** Begun in an earlier cell. */
  goesOn: boolean;
}

/** The cells of a line. */
export function cells(text: string, from: number, to: number, tokens: Tokens): Cell[] {
  const out: Cell[] = [];
  let token = tokenAt(tokens, from);
  let at = from;
  let drawn = startOf(tokens, token) < from ? token : -1;
  const put = (start: number, end: number, last: number) => {
    out.push({ start, end, first: token, last, goesOn: token <= drawn });
    drawn = last;
  };
  const signs = signsOf(text, from, to);
  let sign = 0;
  while (at < to && token < tokens.count) {
    const stop = Math.min(tokens.ends[token], to);
    while (sign < signs.length && signs[sign][1] < stop) sign++;
    const [begin, end] = sign < signs.length && signs[sign][0] < stop ? signs[sign] : [stop - 1, stop];
    const shared = end > stop || (stop === tokens.ends[token] && tokens.inside[token] === 1);
    if (!shared) {
      put(at, stop, token);
      at = stop;
    } else {
      if (begin > at) put(at, begin, token);
      const last = lastIn(tokens, token, end);
      put(begin, end, last);
      at = end;
      token = last;
    }
    while (token < tokens.count && tokens.ends[token] <= at) token++;
  }
  return out;
}

/** The signs of a line that are longer than one unit. */
function signsOf(text: string, from: number, to: number): [number, number][] {
  const out: [number, number][] = [];
  for (let at = from; at < to; ) {
    const end = Math.min(clusterEnd(text, at), to);
    if (end > at + 1) out.push([at, end]);
    at = end;
  }
  return out;
}
