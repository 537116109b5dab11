// Markdown as tokens. Nothing here makes HTML: the parser's renderer is never called.

import MarkdownIt, { type Env, type MarkdownIt as Parser, type StateBlock, type Token } from "markdown-it";
import { bareLinks } from "./bare_links";
import { mathsRules } from "./maths_rules";

export type { Env, Token };

/** Quotes and lists in each other beyond this many levels are shown as the text they are. */
export const DEEPEST = 40;

/** Blocks only: a text's inline tokens are made when its block is drawn. */
export const MARKDOWN = parser();

function parser(): Parser {
  const md = new MarkdownIt({ html: true, maxNesting: 2 * DEEPEST });
  // Every address becomes a token as it stands; which of them becomes a link is decided where it is drawn.
  md.validateLink = () => true;
  md.normalizeLink = md.normalizeLinkText = (address) => address;
  md.core.ruler.enableOnly(["normalize", "block"]);
  md.block.ruler.before("table", "too_deep", tooDeep);
  mathsRules(md);
  bareLinks(md);
  return md;
}

/** The parser itself would leave out what lies deeper than it goes. */
function tooDeep(state: StateBlock, start: number, end: number, silent: boolean): boolean {
  if (silent || state.level < DEEPEST) return false;
  const token = state.push("too_deep", "", 0);
  token.content = state.getLines(start, end, state.blkIndent, false);
  token.map = [start, end];
  state.line = end;
  return true;
}

/** The tokens inside a line of text. `env` has the references of the message. */
export function inlineTokens(content: string, env: Env): Token[] {
  const tokens: Token[] = [];
  MARKDOWN.inline.parse(content, MARKDOWN, env, tokens);
  return tokens;
}
