// A message as its top-level blocks. A text that grew is read again from its last blocks only.

import { endOfBlocks, endOfLine } from "./open_end";
import { type Env, MARKDOWN, type Token } from "./parser";

export interface Block {
  /** Two blocks with the same key are drawn the same. */
  key: string;
  tokens: Token[];
  /** The text may go on in here. */
  open: boolean;
  env: Env;
}

interface Read {
  source: string;
  tokens: Token[];
  firstLine: number;
}

/** Blocks at the end that more text may change: a line that isn't complete may yet belong to the block before its own.
 * No formula goes over an empty line, so that a text can be parted at one. */
const UNSETTLED = 2;
const SETTLE_AFTER = 8;

export class BlockReader {
  private settled = "";
  private before: Read[] = [];
  private references: Record<string, { title: string; href: string }> = {};

  /** The blocks of a text; `open` says that it is still being written. */
  blocks(text: string, open: boolean): Block[] {
    const whole = text.includes("\r") || text.includes("\0") ? normal(text) : text;
    if (!whole.startsWith(this.settled)) this.forget();
    const env: Env = { references: { ...this.references }, open };
    const tail = whole.slice(this.settled.length);
    const read = open ? openBlocks(tail, env) : blocksOf(tail, env);
    const all = [...this.before, ...read];
    const references = JSON.stringify(env.references);
    const blocks = all.map(({ source, tokens }, i): Block => {
      const isOpen = open && i === all.length - 1;
      const named = source.includes("[") ? references : "";
      return { key: `${isOpen ? "open" : ""}\0${named}\0${source}`, tokens, open: isOpen, env };
    });
    if (read.length > SETTLE_AFTER) this.settle(tail, open ? blocksOf(tail, { references: {} }) : read);
    return blocks;
  }

  private settle(tail: string, read: Read[]): void {
    const offsets = offsetsOf(tail);
    const afterEmpty = ({ firstLine }: Read) =>
      firstLine > 0 && !tail.slice(offsets[firstLine - 1], offsets[firstLine]).trim();
    const next = read.slice(0, 1 - UNSETTLED || undefined).findLast(afterEmpty);
    if (!next) return;
    const part = tail.slice(0, offsets[next.firstLine]);
    this.before.push(...blocksOf(part, { references: this.references }));
    this.settled += part;
  }

  private forget(): void {
    this.settled = "";
    this.before = [];
    this.references = {};
  }
}

const normal = (text: string): string => text.replace(/\r\n?/g, "\n").replaceAll("\0", "\ufffd");

function offsetsOf(text: string): number[] {
  const offsets = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) offsets.push(at + 1);
  offsets.push(text.length);
  return offsets;
}

function blocksOf(source: string, env: Env): Read[] {
  const tokens = MARKDOWN.parse(source, env);
  const offsets = offsetsOf(source);
  const out: Read[] = [];
  let depth = 0;
  let first = 0;
  for (const [i, { nesting }] of tokens.entries()) {
    depth += nesting;
    if (depth) continue;
    const [from, to] = tokens[first].map ?? [0, 0];
    out.push({
      source: source.slice(offsets[from], offsets[to] ?? source.length),
      tokens: tokens.slice(first, i + 1),
      firstLine: from,
    });
    first = i + 1;
  }
  return out;
}

/** As `blocksOf`, with the last block as it will most likely go on. */
function openBlocks(source: string, env: Env): Read[] {
  const before = { ...env.references };
  let read = blocksOf(source, env);
  const inTable = read.at(-1)?.tokens[0].type === "table_open";
  const completed = lastLine(read) ? endOfBlocks(source, inTable) : source;
  if (completed !== source) {
    env.references = before;
    read = blocksOf(completed, env);
  }
  const inline = lastLine(read);
  if (inline) inline.content = endOfLine(inline.content, env);
  return read;
}

/** The text that a block ends with; none where it ends with code, a formula, HTML or a rule. */
function lastLine(read: Read[]): Token | undefined {
  const leaf = read.at(-1)?.tokens.findLast(({ nesting, type }) => nesting === 0 || type === "list_item_open");
  return leaf?.type === "inline" ? leaf : undefined;
}
