// What Python holds of the tree, as the page reads it: the drawing, its figures, what is selected and what is picked.

import { type Model, save } from "../_shared/mount";
import type { SharedHistory, TreeFacts } from "./host";
import { type Messages, messagesOf } from "./messages";
import { activeLeaf, keyOf, type Layout, type Tree, treeOf } from "./tree_data";
import { type Mode, Views } from "./views";

export const DRAWING = ["texts", "words", "messages", "places", "flags"];

const NO_FACTS: TreeFacts = {
  ...{ given: false, leaf: null, messages: 0, leaves: 0, chains: 0, undo: null, redo: null },
  ...{ layout: "tidy", force_most: 0, estimated: false },
};

export class TreeState {
  readonly live: boolean;
  /** What is looked at: all of what Python has drawn, or some of it. */
  tree: Tree;
  facts = NO_FACTS;
  readonly views: Views;
  private words: { text: string; list: readonly string[] } = { text: "", list: [] };

  constructor(private readonly model: Model) {
    this.live = model.get("live") === true;
    this.takeFacts();
    this.views = new Views(...this.drawing());
    this.tree = this.views.tree({ width: 0, height: 0 });
  }

  get<T>(name: string, otherwise: T): T {
    return (this.model.get(name) as T | null | undefined) ?? otherwise;
  }

  takeDrawing(): void {
    this.views.take(...this.drawing());
  }

  /** How it is looked at: what a person has chosen, or what goes with the size of the tree. */
  takeViews(): void {
    this.views.mode = Views.modeFor(this.get("mode", ""), this.facts.messages);
    this.views.layout = this.get<Layout | "">("layout", "");
  }

  look(how: { mode?: Mode; layout?: Layout }): void {
    save(this.model, how);
    this.takeViews();
  }

  /** The tree as Python has drawn it last, and its messages. */
  private drawing(): [Tree, Messages, Layout] {
    const text = this.get("words", "");
    if (text !== this.words.text)
      this.words = { text, list: text ? (JSON.parse(text) as { words: string[] }).words : [] };
    const messages = messagesOf(this.words.list, this.get<DataView | null>("messages", null));
    const held = {
      texts: this.get("texts", ""),
      places: this.get<DataView | null>("places", null),
      flags: this.get<DataView | null>("flags", null),
    };
    return [treeOf(held, messages), messages, this.facts.layout];
  }

  takeFacts(): void {
    const view = this.get("view", "");
    if (view) this.facts = JSON.parse(view) as TreeFacts;
  }

  get error(): string {
    return this.get("error", "");
  }

  get selectedKey(): string | null {
    const selected = this.get("selected", "");
    return selected.startsWith("node:") ? selected.slice(5) : null;
  }

  /** The sign in focus; null where the selected message is none of this tree. */
  get selected(): number | null {
    const key = this.selectedKey;
    return key === null ? null : (this.tree.signOf.get(key) ?? null);
  }

  select(key: string): void {
    if (this.selectedKey !== key) save(this.model, { selected: `node:${key}` });
  }

  /** Where the keys begin. */
  get current(): number {
    return this.selected ?? activeLeaf(this.tree) ?? 0;
  }

  /** The message that is meant by a sign: in a chain the selected one if it is in there, else the first. */
  keyAt(sign: number): string {
    return this.selected === sign ? this.selectedKey! : keyOf(this.tree, sign);
  }

  get picked(): string[] {
    return this.get<string[]>("picked", []).filter((key) => this.tree.signOf.has(key));
  }

  /** Of two at most the one that was picked first goes for a third. */
  pick(key: string): void {
    const before = this.picked;
    const now = before.includes(key) ? before.filter((each) => each !== key) : [...before.slice(-1), key];
    save(this.model, { picked: now });
  }

  /** What is written at the signs that are picked. */
  get tags(): Map<number, string> {
    const tags = new Map<number, string>();
    for (const [i, key] of this.picked.entries()) {
      const sign = this.tree.signOf.get(key)!;
      tags.set(sign, tags.has(sign) ? "12" : String(i + 1));
    }
    return tags;
  }

  get likeness(): SharedHistory | null {
    const like = this.get<Partial<SharedHistory>>("shared_history", {});
    return like.ids ? (like as SharedHistory) : null;
  }
}
