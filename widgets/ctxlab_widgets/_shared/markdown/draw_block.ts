// One top-level block as one element.

import { h } from "../dom";
import type { Block } from "./block_reader";
import { codeBlock } from "./code_block";
import { drawInline } from "./draw_inline";
import { htmlBlock } from "./html_block";
import { type At, isOpen, type Kit } from "./kit";
import { plainText } from "./long_text";
import type { Token } from "./parser";
import { cellsUntil, drawMoreRows } from "./table_rows";

const TASK = /^\[([ xX])\](?=\s)/;

export function drawBlock(block: Block, kit: Kit): HTMLElement {
  const made = h("div");
  new Drawing({ kit, env: block.env, open: block.open }).all(block.tokens, made);
  return made.childNodes.length === 1 ? (made.firstChild as HTMLElement) : made;
}

export class Drawing {
  constructor(private readonly at: At) {}

  all(tokens: Token[], into: HTMLElement): void {
    const open = [into];
    for (let i = 0; i < tokens.length; i++) {
      const token = tokens[i];
      const top = open[open.length - 1];
      if (token.type === "tbody_open") i = this.rows(tokens, i, top);
      else if (token.hidden) continue;
      else if (token.nesting > 0) open.push(opened(token, top));
      else if (token.nesting < 0) open.pop();
      else this.leaf(token, top);
    }
  }

  /** The body of a table, of which a long one is drawn a part at a time; gives the index of the token it ends with. */
  private rows(tokens: Token[], at: number, table: HTMLElement): number {
    const end = tokens.findIndex(({ type }, i) => i > at && type === "tbody_close");
    const body = table.appendChild(h("tbody"));
    const until = cellsUntil(tokens, at + 1, end);
    this.all(tokens.slice(at + 1, until), body);
    if (until < end) drawMoreRows(body, tokens.slice(until, end), (rows) => this.all(rows, body));
    return end;
  }

  private leaf(token: Token, into: HTMLElement): void {
    if (token.type === "inline") this.inline(token.content, into);
    else into.append(this.elementOf(token));
  }

  private elementOf(token: Token): HTMLElement {
    const { at } = this;
    switch (token.type) {
      case "fence":
      case "code_block":
        return codeBlock(token.content, token.info, at);
      case "html_block":
        return htmlBlock(token.content, at);
      case "maths_block":
        return h("p", {}, at.kit.formulas.draw(token.content, true, isOpen(token, at)));
      case "hr":
        return h("hr");
      default:
        return plainText(token.content);
    }
  }

  private inline(content: string, into: HTMLElement): void {
    const item = into.closest("li");
    const first = item === into ? !into.hasChildNodes() : item?.firstElementChild === into;
    const task = item && first ? TASK.exec(content) : null;
    if (item && task) {
      item.classList.add("md-task");
      into.append(
        h("input", { type: "checkbox", disabled: true, checked: task[1] !== " ", "aria-label": "task" }),
        " ",
      );
    }
    drawInline(into, task ? content.slice(task[0].length).trimStart() : content, this.at);
  }
}

function opened(token: Token, parent: HTMLElement): HTMLElement {
  const made = elementOf(token);
  parent.append(token.type === "table_open" ? h("div", { class: "md-table", tabindex: 0 }, made) : made);
  return made;
}

function elementOf(token: Token): HTMLElement {
  switch (token.type) {
    case "heading_open": {
      const level = Number(token.tag.slice(1));
      return h(`h${Math.min(6, level + 2)}` as "h3", { class: `md-h md-h${level}` });
    }
    case "paragraph_open":
      return h("p");
    case "bullet_list_open":
      return h("ul");
    case "ordered_list_open":
      return h("ol", { start: token.attrGet("start") });
    case "list_item_open":
      return h("li");
    case "blockquote_open":
      return h("blockquote");
    case "table_open":
      return h("table");
    case "thead_open":
      return h("thead");
    case "tr_open":
      return h("tr");
    case "th_open":
      return h("th", { class: aligned(token), scope: "col" });
    case "td_open":
      return h("td", { class: aligned(token) });
    default:
      return h("div");
  }
}

/** The alignment that the row under the head asks for, as a class. */
const aligned = (token: Token): string | undefined => /(?:right|center)/.exec(String(token.attrGet("style")))?.[0];
