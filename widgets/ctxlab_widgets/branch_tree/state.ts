// What Python holds of the tree, as the page reads it: the drawing, its figures, what is selected and what is picked.

import { type Model, save } from "../_shared/mount";
import type { MessagePreview, Report, SharedHistory, Snippet, TreeFacts } from "./host";
import { type Messages, messagesOf } from "./messages";
import { activeLeaf, keyOf, type Layout, type Tree, treeOf } from "./tree_data";
import { type Mode, Views } from "./views";

export const DRAWING = ["texts", "words", "messages", "places", "flags"];

const NO_FACTS: TreeFacts = {
  given: false,
  leaf: null,
  depth: 0,
  messages: 0,
  leaves: 0,
  chains: 0,
  undo: null,
  redo: null,
  layout: "tidy",
  force_most: 0,
  estimated: false,
};

export class TreeState {
  readonly live: boolean;
  /** What is looked at: all of what Python has drawn, or some of it. */
  tree: Tree;
  facts = NO_FACTS;
  readonly views: Views;
  private kept: { text: string; previews: ReadonlyMap<string, MessagePreview> } = { text: "", previews: new Map() };
  private words: { text: string; list: readonly string[] } = { text: "", list: [] };

  constructor(private readonly model: Model) {
    this.live = model.get("live") === true;
    this.takeFacts();
    this.views = new Views(...this.drawing());
    this.takeViews();
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
    this.views.layout = this.get<Layout | "">("tree_layout", "");
  }

  look({ mode, layout }: { mode?: Mode; layout?: Layout }): void {
    save(this.model, { ...(mode && { mode }), ...(layout && { tree_layout: layout }) });
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

  /** Whether one undo serves all views of the page that this one is in. */
  get isInPage(): boolean {
    return this.get<string[]>("views", []).length > 0;
  }

  mayOpen(view: string): boolean {
    return this.live && this.get<string[]>("views", []).includes(view);
  }

  /** The message to read; a page without Python brings those along that it can show. */
  get preview(): MessagePreview | null {
    const kept = this.live ? undefined : this.keptPreviews.get(this.selectedKey ?? "");
    if (kept) return kept;
    const json = this.get("preview", "");
    const found = json ? (JSON.parse(json) as MessagePreview) : null;
    return found && (this.live || found.key === this.selectedKey) ? found : null;
  }

  private get keptPreviews(): ReadonlyMap<string, MessagePreview> {
    const text = this.get("kept", "");
    if (this.kept.text !== text)
      this.kept = { text, previews: new Map(Object.entries(JSON.parse(text) as Record<string, MessagePreview>)) };
    return this.kept.previews;
  }

  get snippets(): Snippet[] {
    const json = this.get("snippets", "");
    return json ? (JSON.parse(json) as { found: Snippet[] }).found : [];
  }

  get report(): Report | null {
    const report = this.get<Partial<Report>>("report", {});
    return report.text ? (report as Report) : null;
  }

  /** What the last change did to the run. */
  get effect(): string {
    return this.get<{ text?: string }>("effect", {}).text ?? "";
  }

  /** Height that was chosen; 0 follows the tree. */
  get height(): number {
    return this.get("height", 0);
  }

  set height(pixels: number) {
    save(this.model, { height: pixels });
  }

  get likeness(): SharedHistory | null {
    const like = this.get<Partial<SharedHistory>>("shared_history", {});
    return like.ids ? (like as SharedHistory) : null;
  }
}
