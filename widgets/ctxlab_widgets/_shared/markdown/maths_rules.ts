// Formulas in Markdown: $x$, $$x$$, \(x\) and \[x\], outside code. "$5 and $6" are prices.

import type { MarkdownIt, StateBlock, StateInline } from "markdown-it";

/** Characters of a formula within a line; a longer one is text. */
const LONGEST = 1000;
const PRICE = /^\d[\d.,]*\s+\p{L}{2,}/u;
const WIDE = /[\u3000-\u9fff\uf900-\ufaff\uff00-\uffef]/;
const WORDS = /\\text\w*\s*\{[^{}]*\}/g;

export function mathsRules(md: MarkdownIt): void {
  const ends = { alt: ["paragraph", "reference", "blockquote", "list"] };
  md.block.ruler.before("fence", "maths_block", mathsBlock, ends);
  md.inline.ruler.before("escape", "maths", mathsInline);
}

/** A formula that begins a line and ends one, without an empty line; at the end of a text being written it may be open. */
function mathsBlock(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  const from = state.bMarks[start] + state.tShift[start];
  if (state.sCount[start] - state.blkIndent >= 4) return false;
  const begin = state.src.slice(from, from + 2);
  if (begin !== "$$" && begin !== "\\[") return false;
  const close = begin === "$$" ? "$$" : "\\]";
  const last = lineThatEnds(state, { start, end, from, close });
  if (last < 0 && !(state.env.open === true && !state.level && isLast(state, start, end))) return false;
  if (silent) return true;
  const until = last < 0 ? end : last + 1;
  const token = state.push("maths_block", "", 0);
  const whole = state.getLines(start, until, state.blkIndent, false).trim();
  token.content = (last < 0 ? whole.slice(2) : whole.slice(2, -2)).trim();
  token.markup = begin;
  token.meta = { open: last < 0 };
  token.map = [start, until];
  state.line = until;
  return true;
}

/** No empty line follows, but at the end of the text. */
function isLast(state: StateBlock, start: number, end: number): boolean {
  let line = start;
  while (line < end && !state.isEmpty(line)) line += 1;
  return state.skipEmptyLines(line) >= end;
}

interface Search {
  start: number;
  end: number;
  from: number;
  close: string;
}

/** The line at whose end the formula closes; -1 where none does, or where more follows on that line. */
function lineThatEnds(state: StateBlock, { start, end, from, close }: Search): number {
  for (let line = start; line < end; line++) {
    if (line > start && (state.isEmpty(line) || state.sCount[line] < state.blkIndent)) return -1;
    const begin = line === start ? from + 2 : state.bMarks[line];
    const text = state.src.slice(begin, state.eMarks[line]);
    const at = text.indexOf(close);
    if (at >= 0) return text.slice(at + 2).trim() === "" ? line : -1;
  }
  return -1;
}

function mathsInline(state: StateInline, silent: boolean): boolean {
  const two = state.src.slice(state.pos, state.pos + 2);
  if (two === "\\(") return between(state, silent, two, "\\)", false);
  if (two === "\\[") return between(state, silent, two, "\\]", true);
  if (two === "$$") return between(state, silent, two, "$$", true);
  return two[0] === "$" && dollars(state, silent);
}

function between(state: StateInline, silent: boolean, begin: string, close: string, display: boolean): boolean {
  const from = state.pos + begin.length;
  const at = state.src.slice(from, from + LONGEST).indexOf(close);
  if (at >= 0 && !state.src.slice(from, from + at).trim()) return false;
  if (at >= 0) return found(state, silent, { from, to: from + at, after: from + at + close.length, begin, display });
  if (state.env.open !== true || begin === "$$" || state.posMax - from > LONGEST) return false;
  return found(state, silent, { from, to: state.posMax, after: state.posMax, begin, display, open: true });
}

/** Between single dollars: no blank inside beside them, no letter before, no digit behind, no price, no prose of wide signs. */
function dollars(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (/[\p{L}\p{N}$]/u.test(src[pos - 1] ?? "") || /[\s$]/.test(src[pos + 1] ?? " ")) return false;
  const near = src.slice(pos + 1, Math.min(pos + 1 + LONGEST, state.posMax));
  const match = /^(?:\\[\s\S]|[^\\$])*?(?<![\s\\])\$(?![\d$])/.exec(near);
  if (!match) return false;
  const tex = match[0].slice(0, -1);
  if (!tex || (PRICE.test(tex) && !/[=\\^_{}]/.test(tex)) || WIDE.test(tex.replace(WORDS, ""))) return false;
  const to = pos + 1 + tex.length;
  return found(state, silent, { from: pos + 1, to, after: to + 1, begin: "$", display: false });
}

interface Found {
  from: number;
  to: number;
  after: number;
  begin: string;
  display: boolean;
  open?: boolean;
}

function found(state: StateInline, silent: boolean, { from, to, after, begin, display, open }: Found): boolean {
  if (!silent) {
    const token = state.push("maths", "", 0);
    token.content = state.src.slice(from, to).trim();
    token.markup = begin;
    token.meta = { open: open === true, display };
  }
  state.pos = after;
  return true;
}
