// The one stretch in which two texts differ, never cutting a character or what hangs on it in two.

export interface Difference {
  start: number;
  removed: string;
  added: string;
}

export function difference(before: string, after: string): Difference {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  while (start > 0 && (cutsInside(before, start) || cutsInside(after, start))) start--;
  while (end > 0 && (cutsInside(before, before.length - end) || cutsInside(after, after.length - end))) end--;
  return { start, removed: before.slice(start, before.length - end), added: after.slice(start, after.length - end) };
}

const HANGS = /^(?:\p{M}|\p{Emoji_Modifier}|\u200d)/u;

/** Whether a cut here would part a surrogate pair, or a character from its marks. */
export function cutsInside(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  const pair = low >= 0xdc00 && low < 0xe000 && high >= 0xd800 && high < 0xdc00;
  return pair || high === 0x200d || HANGS.test(text.slice(at, at + 2));
}

/** Characters as Python counts them. */
export function codePoints(text: string): number {
  let n = 0;
  for (const _ of text) n++;
  return n;
}

/** The first and last characters of a long text, with the number left out between; null when it is short enough. */
export function ends(text: string, keep: number): { head: string; tail: string; out: number } | null {
  if (text.length <= keep * 3) return null;
  let a = keep;
  let b = text.length - keep;
  while (cutsInside(text, a)) a--;
  while (cutsInside(text, b)) b++;
  return { head: text.slice(0, a), tail: text.slice(b), out: codePoints(text.slice(a, b)) };
}
