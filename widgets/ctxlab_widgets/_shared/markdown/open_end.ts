// A text that is still being written, as it will most likely go on: so that a half-written table, word in bold or link
// is drawn as one at once. Only the end of the text is looked at; a finished text never comes here.

import { type Env, MARKDOWN, type Token } from "./parser";

/** Source with its last line completed or left away, where that line would be taken for something else. */
export function endOfBlocks(source: string, inTable: boolean): string {
  const at = source.lastIndexOf("\n");
  if (at < 0) return source;
  const last = source.slice(at + 1);
  const before = source.slice(source.lastIndexOf("\n", at - 1) + 1, at);
  if (!before.trim()) return source;
  if (/^[ >]*(?:-{1,2}|=+)[ \t]*$/.test(last) && !before.includes("|")) return source.slice(0, at);
  if (inTable || !before.includes("|") || !/^[ >]*(?:\||:?-)[ :|-]*$/.test(last)) return source;
  return `${source.slice(0, at + 1)}${/^[ >]*/.exec(last)?.[0] ?? ""}|${"---|".repeat(columnsOf(before))}`;
}

function columnsOf(row: string): number {
  const bare = row
    .replace(/^[ >]+/, "")
    .replaceAll("\\|", "")
    .trim();
  return bare.replace(/^\|/, "").replace(/\|$/, "").split("|").length;
}

/** A line of text with what it has open closed. */
export function endOfLine(content: string, env: Env): string {
  const code = openCode(content);
  const whole = code
    ? code.empty
      ? content.slice(0, code.at)
      : content + "`".repeat(code.length)
    : withoutHalf(content).replace(/(?<!\\)[*_~]+$/, "");
  const text = whole.trimEnd();
  return text + closers(text, env);
}

/** Half a link is its words; half a tag of a button is nothing yet. */
const withoutHalf = (content: string): string =>
  content
    .replace(/!?\[([^[\]]{0,500})\]\([^()\s]{0,2000}$/, "$1")
    .replace(/<(?:b|bu|but|butt|butto|button\b[^>]*)$/i, "");

/** Backticks that no others close. */
function openCode(content: string): { at: number; length: number; empty: boolean } | null {
  const runs = [...content.matchAll(/\\`|`+/g)].filter(([run]) => run[0] === "`");
  const last = new Map<number, number>();
  for (const [i, [run]] of runs.entries()) last.set(run.length, i);
  let i = 0;
  while (i < runs.length) {
    const { 0: run, index } = runs[i];
    if (last.get(run.length) === i)
      return { at: index, length: run.length, empty: !content.slice(index + run.length).trim() };
    do i += 1;
    while (runs[i][0].length !== run.length);
    i += 1;
  }
  return null;
}

/** The signs that end what is emphasised and still open, innermost first. A sign within a word is taken as a sign. */
function closers(content: string, env: Env): string {
  const tokens: Token[] = [];
  const state = new MARKDOWN.inline.State(content, MARKDOWN, env, tokens);
  MARKDOWN.inline.tokenize(state);
  const words = tokens.map((each) => each.content);
  for (const rule of MARKDOWN.inline.ruler2.getRules("")) rule(state);
  let all = "";
  for (const { open, end, marker, token } of state.delimiters) {
    if (!open || end >= 0 || /[A-Za-z0-9]$/.test(words[token - 1] ?? "")) continue;
    all = (marker === 0x7e ? "~~" : String.fromCharCode(marker)) + all;
  }
  return all;
}
