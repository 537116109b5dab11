// A text broken into lines by the widths of its characters, so that only the lines in sight need be in the page.

import type { TextWidth } from "../_shared/text_width";

const EXTENDS = "[\\p{M}\\u200c\\u200d\\u{1f3fb}-\\u{1f3ff}]";
const TAGS = "\\u{1f3f4}[\\u{e0020}-\\u{e007f}]{1,16}";
// What is drawn as one sign: flags, a letter with its accents, emoji joined to one. Endless ones are cut at thirty.
const CLUSTER = new RegExp(
  `\\p{RI}{2}|${TAGS}|[^\\x00-\\x1f]${EXTENDS}{0,30}(?:(?<=\\u200d)\\p{ExtPict}${EXTENDS}{0,30}){0,10}|[^]`,
  "uy",
);
// Letters that change their shape beside others, so that a word is not as wide as its letters are.
const JOINED = /(?:[\u0590-\u1cff\ufb1d-\ufdff\ufe70-\ufefc]|\u200c|\u200d){1,24}/y;
const NOT_FIRST = new Set("，。、；：！？）」』】》〉”’…—");
const NOT_LAST = new Set("（「『【《〈“‘");

/** Where the sign that begins at `at` ends. */
export function clusterEnd(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x300 || isWide(code)) {
    const next = text.charCodeAt(at + 1);
    if (Number.isNaN(next) || next < 0x300 || isWide(next)) return at + 1;
  }
  CLUSTER.lastIndex = at;
  return CLUSTER.test(text) ? CLUSTER.lastIndex : at + 1;
}

/** Chinese, kana, hangul and their punctuation: each stands alone, and a line may break before and after. */
const isWide = (code: number): boolean =>
  (code >= 0x2e80 && code <= 0x3029) ||
  (code >= 0x3030 && code <= 0x3098) ||
  (code >= 0x309b && code <= 0x9fff) ||
  (code >= 0xac00 && code <= 0xd7a3) ||
  (code >= 0xf900 && code <= 0xfaff) ||
  (code >= 0xff00 && code <= 0xff60);

/** Line ends, tabs and what can't be seen, written out; what orders a page about never gets there. */
export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text === "\u200c" || text === "\u200d") return escaped(text);
  const hidden = text.includes("\u{1f3f4}") ? UNSEEN : UNSEEN_OR_TAG;
  return text.replace(hidden, (sign) => SIGNS[sign] ?? escaped(sign));
}

const PLAIN = /^[ -~]*$/;
const SIGNS: Record<string, string> = { "\n": "\u23ce", "\t": "\u2192\u00a0\u00a0\u00a0", "\r": "\\r" };
const ORDERS =
  "\\x00-\\x1f\\x7f-\\x9f\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ud800-\\udfff";
const UNSEEN = new RegExp(`[${ORDERS}]`, "gu");
const UNSEEN_OR_TAG = new RegExp(`[${ORDERS}\\u{e0000}-\\u{e007f}]`, "gu");

const escaped = (sign: string): string => {
  const hex = sign.codePointAt(0)!.toString(16);
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`;
};

/** Offsets where lines begin, and behind the last the length. A line breaks before a blank, so that " word" stays whole. */
export function linesOf(text: string, room: number, width: TextWidth): Int32Array {
  const starts: number[] = [];
  const narrow = new Float64Array(0x80).map((_, code) => width(visible(String.fromCharCode(code))));
  let start = 0;
  let x = 0;
  let chance = 0; // the last place where this line may break
  let xAtChance = 0;
  let before = 0; // the code before this one
  const begin = (at: number) => {
    starts.push(at);
    start = chance = at;
  };
  if (text) begin(0);
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    const simple = code < 0x80 && !(text.charCodeAt(at + 1) >= 0x300);
    const end = simple ? at + 1 : unitEnd(text, at, code);
    const own = simple ? narrow[code] : width(visible(text.slice(at, end)));
    if (mayBreak(text, at, code, before)) {
      chance = at;
      xAtChance = x;
    }
    if (x + own > room && at > start && code !== 10) {
      if (chance > start) {
        x -= xAtChance;
        begin(chance);
      } else {
        x = 0;
        begin(at);
      }
      xAtChance = 0;
    }
    x += own;
    before = code;
    at = end;
    if (code === 10 && at < text.length) {
      begin(at);
      x = xAtChance = 0;
    }
  }
  starts.push(text.length);
  return Int32Array.from(starts);
}

function unitEnd(text: string, at: number, code: number): number {
  if (code >= 0x590) {
    JOINED.lastIndex = at;
    if (JOINED.test(text)) return JOINED.lastIndex;
  }
  return clusterEnd(text, at);
}

function mayBreak(text: string, at: number, code: number, before: number): boolean {
  if (code === 32 || code === 9) return true;
  if (code < 0x80 && before < 0x80) return false;
  if (!isWide(code) && !isWide(before)) return false;
  return !NOT_FIRST.has(text[at]) && !NOT_LAST.has(text[at - 1]);
}

/** Number of the line that holds an offset. */
export function lineAt(starts: Int32Array, offset: number): number {
  let low = 0;
  let high = Math.max(starts.length - 2, 0);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
