// Tokens within a line as nodes. Text only ever becomes text nodes.

import { h, harmless } from "../dom";
import { linkTo, shortened } from "./addresses";
import { type At, isOpen } from "./kit";
import { buttonOfTag, drawButton } from "./model_button";
import { DEEPEST, inlineTokens, type Token } from "./parser";
import { picture } from "./pictures";

const MARKS: Record<string, "strong" | "em" | "s"> = { strong_open: "strong", em_open: "em", s_open: "s" };

export function drawInline(into: HTMLElement, content: string, at: At): void {
  const tokens = inlineTokens(content, at.env);
  const open: HTMLElement[] = [into];
  const top = () => open[Math.min(open.length, DEEPEST) - 1];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token.nesting > 0) open.push(opened(top(), token, open.length));
    else if (token.nesting < 0) close(open, top);
    else if (isButton(token)) i = button(top(), tokens, i, at);
    else leaf(top(), token, at);
  }
}

/** Marks in each other beyond a depth are left out, their words stay. */
function opened(parent: HTMLElement, token: Token, depth: number): HTMLElement {
  const made = token.type === "link_open" ? link(String(token.attrGet("href") ?? "")) : h(MARKS[token.type] ?? "span");
  if (depth < DEEPEST) parent.append(made);
  return made;
}

function close(open: HTMLElement[], top: () => HTMLElement): void {
  const address = open.length <= DEEPEST ? open.at(-1)?.dataset.address : undefined;
  const words = open.pop()?.textContent;
  if (address && words !== address) addText(top(), ` (${address})`);
}

/** A link says on hover where it leads; one that may lead nowhere is its words and its address. */
function link(address: string): HTMLElement {
  const href = linkTo(address);
  if (!href) return h("span", { class: "md-nolink", "data-address": harmless(shortened(address, 500)) });
  return h("a", { href, title: harmless(shortened(href, 2000)), target: "_blank", rel: "noopener noreferrer" });
}

function leaf(parent: HTMLElement, token: Token, at: At): void {
  const element = elementOf(token, at);
  if (element) parent.append(element);
  else addText(parent, token.content);
}

/** Null for what is plain text. */
function elementOf(token: Token, at: At): HTMLElement | null {
  const { assets, formulas } = at.kit;
  switch (token.type) {
    case "softbreak":
    case "hardbreak":
      return h("br");
    case "code_inline":
      return h("code", {}, harmless(token.content));
    case "maths":
      return formulas.draw(token.content, token.meta?.display === true, isOpen(token, at));
    case "image":
      return picture(String(token.attrGet("src") ?? ""), wordsOf(token.children), assets);
    case "html_inline":
      return /^<br\s*\/?>$/i.test(token.content) ? h("br") : h("span", { class: "md-tag" }, harmless(token.content));
    default:
      return null;
  }
}

/** Beside a text that is already there it becomes part of it. */
function addText(parent: HTMLElement, text: string): void {
  const last = parent.lastChild;
  if (last?.nodeType === 3) (last as Text).data += harmless(text);
  else if (text) parent.append(harmless(text));
}

const isButton = ({ type, content }: Token): boolean => type === "html_inline" && /^<button\b/i.test(content);

/** Draws the button that begins at a token, and gives the index of the token it ends with. */
function button(parent: HTMLElement, tokens: Token[], begin: number, at: At): number {
  const end = tokens.findIndex(
    ({ type, content }, i) => i > begin && type === "html_inline" && /^<\/button/i.test(content),
  );
  if (end < 0 && at.open) return tokens.length;
  const found = end < 0 ? null : buttonOfTag(tokens[begin].content, wordsOf(tokens.slice(begin + 1, end)));
  if (found) parent.append(drawButton(found, at.kit.onButton));
  else leaf(parent, tokens[begin], at);
  return found ? end : begin;
}

export const wordsOf = (tokens: Token[] | null): string =>
  (tokens ?? [])
    .map(({ type, content, children }) => (/break$/.test(type) ? " " : children ? wordsOf(children) : content))
    .join("");
