// A message's Markdown as nodes, while it streams and after.
//
//   const view = new MarkdownView(host, { resolveAsset, onButton, loadMaths, loadMermaid });
//   view.update(text, { open: true });   // as often as the stream brings words: only blocks that changed are drawn anew
//   view.update(text);                   // once it is finished
//   view.destroy();                      // takes back what the view made
//
// `host` is an element of the widget; its stylesheet is markdown.css. `resolveAsset` gives the bytes of a file that an
// address names. `onButton` gets a button that the model wrote when it is pressed; the button has said what it does.
// `loadMaths` and `loadMermaid` bring the code of formulas and diagrams when it is first needed; `lateCode` asks the
// kernel for it. Share one FormulaDrawer (`formulas`) among the messages of a chat. Everything shown is text nodes and
// elements made here: a message's HTML is text, or a page in a frame that reaches nothing.

import { h } from "../dom";
import { AssetUrls, type ResolveAsset } from "./asset_urls";
import { type Block, BlockReader } from "./block_reader";
import { drawBlock } from "./draw_block";
import { FormulaDrawer, type MathsCode } from "./formulas";
import type { Kit } from "./kit";
import { plainText } from "./long_text";
import type { ModelButton } from "./model_button";

export interface MarkdownOptions {
  resolveAsset?: ResolveAsset;
  onButton?: (button: ModelButton) => void;
  loadMaths?: () => Promise<MathsCode>;
  loadMermaid?: () => Promise<string>;
  formulas?: FormulaDrawer;
}

/** Characters beyond which a message is shown as plain text. */
export const MOST_MARKDOWN = 200_000;

const notHere = (): Promise<never> => Promise.reject(new Error("the code for it isn't in this page"));

export class MarkdownView {
  private readonly reader = new BlockReader();
  private readonly kit: Kit;
  private drawn: { key: string; element: HTMLElement }[] = [];

  constructor(
    readonly host: HTMLElement,
    options: MarkdownOptions = {},
  ) {
    host.classList.add("md");
    this.kit = {
      assets: new AssetUrls(options.resolveAsset ?? (async () => null)),
      formulas: options.formulas ?? new FormulaDrawer(options.loadMaths ?? notHere),
      loadMermaid: options.loadMermaid ?? notHere,
      onButton: options.onButton ?? (() => {}),
    };
  }

  /** Shows this text; `open` says that more of it will come. Elements of blocks that stay the same stay. */
  update(text: string, { open = false }: { open?: boolean } = {}): void {
    if (text.length > MOST_MARKDOWN) this.put([{ key: `long\0${text}`, draw: () => longText(text) }]);
    else this.put(this.reader.blocks(text, open).map((block) => this.item(block)));
    if (!open) this.kit.assets.keep(this.addresses());
  }

  destroy(): void {
    this.kit.assets.keep(new Set());
    this.host.replaceChildren();
    this.drawn = [];
  }

  private item(block: Block): Item {
    return { key: block.key, draw: () => drawBlock(block, this.kit) };
  }

  /** Blocks that are the same at the beginning and at the end stay; those between are drawn. */
  private put(items: Item[]): void {
    const drawn = this.drawn;
    const most = Math.min(items.length, drawn.length);
    let from = 0;
    while (from < most && items[from].key === drawn[from].key) from += 1;
    let behind = 0;
    while (behind < most - from && items.at(-1 - behind)!.key === drawn.at(-1 - behind)!.key) behind += 1;
    const made = items.slice(from, items.length - behind).map(({ key, draw }) => ({ key, element: draw() }));
    for (const { element } of drawn.slice(from, drawn.length - behind)) element.remove();
    const next = drawn[drawn.length - behind]?.element ?? null;
    for (const { element } of made) this.host.insertBefore(element, next);
    this.drawn = [...drawn.slice(0, from), ...made, ...drawn.slice(drawn.length - behind)];
  }

  private addresses(): Set<string> {
    return new Set([...this.host.querySelectorAll<HTMLElement>("[data-asset]")].map(({ dataset }) => dataset.asset!));
  }
}

interface Item {
  key: string;
  draw: () => HTMLElement;
}

const longText = (text: string): HTMLElement =>
  h("div", {}, h("p", { class: "muted" }, "Shown as plain text: it is very long."), plainText(text));
