// Addresses that stand in a line without any marks become links: http and https alone.

import type { MarkdownIt, StateInline } from "markdown-it";

const SCHEME = /(?:^|[^a-z0-9+.-])(https?)$/i;
/** What can't stand in an address, the signs between Chinese words among it. */
const ADDRESS = /^:\/\/[^\s<>"`|\\^{}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u2018-\u201f]+/;
const LAST = /[^?!.,:;'*_~(\])[]/;
const HOST = /^:\/\/[^/?#:@]*[\p{L}\p{N}\]]/u;

export function bareLinks(md: MarkdownIt): void {
  md.inline.ruler.after("text", "bare_link", bareLink);
}

function bareLink(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  if (state.linkLevel > 0 || !src.startsWith("://", pos)) return false;
  const scheme = SCHEME.exec(state.pending)?.[1];
  const rest = scheme && addressIn(src.slice(pos, state.posMax));
  if (!rest) return false;
  if (!silent) {
    state.pending = state.pending.slice(0, -scheme.length);
    const open = state.push("link_open", "a", 1);
    open.attrs = [["href", scheme + rest]];
    open.info = "auto";
    state.push("text", "", 0).content = scheme + rest;
    state.push("link_close", "a", -1).info = "auto";
  }
  state.pos += rest.length;
  return true;
}

/** The address at the beginning, without the signs that end a sentence or close a bracket opened before it. */
function addressIn(text: string): string {
  const found = ADDRESS.exec(text)?.[0] ?? "";
  let end = found.length;
  while (end > 3 && !LAST.test(found[end - 1]) && !closesOwn(found, end)) end -= 1;
  const address = found.slice(0, end);
  return HOST.test(address) ? address : "";
}

function closesOwn(address: string, end: number): boolean {
  if (address[end - 1] !== ")") return false;
  const count = (sign: string) => address.slice(0, end).split(sign).length;
  return count("(") >= count(")");
}
