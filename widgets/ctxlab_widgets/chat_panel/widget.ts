// A chat: its messages, the field one types in, and beside them what each request holds.

import sidePanel from "../_shared/components/side_panel.css";
import { h } from "../_shared/dom";
import { download } from "../_shared/download";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { taken } from "../_shared/keyboard";
import { FormulaDrawer } from "../_shared/markdown/formulas";
import { lateCode } from "../_shared/markdown/late_code";
import markdown from "../_shared/markdown/markdown.css";
import { type MarkdownOptions, MarkdownView } from "../_shared/markdown/markdown_view";
import type { ModelButton } from "../_shared/markdown/model_button";
import { type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { EarlyPieces } from "./early_pieces";
import { AssetAsker, listen } from "./from_python";
import { ChatHead } from "./head";
import { InputArea } from "./input_area";
import { MessageList } from "./list";
import type { TextView } from "./list_host";
import { OtherBranches } from "./other_branches";
import {
  type Around,
  type Aside,
  type Command,
  type Delta,
  type Draft,
  type FileChip,
  type FromPython,
  type Got,
  type Head,
  type Quick,
  type Running,
  rowsOf,
  type Unsent,
  type View,
} from "./payload";
import rowList from "./row_list.css";
import { Side } from "./side";
import { starters } from "./starters";
import { ViewBelow } from "./view_below";
import own from "./widget.css";

const JSON_TRAITS = [
  "view",
  "delta",
  "head",
  "draft",
  "unsent",
  "got",
  "around",
  "quick",
  "files",
  "asides",
  "running",
] as const;
/** Traits that Python alone sets. */
const FROM_PYTHON = [...JSON_TRAITS, "error"];
const TRAITS = [...JSON_TRAITS, "input", "shows", "error", "selected", "live", "effect"];

/** Commands after which an answer is written at the end. */
const ANSWERED: ReadonlySet<string> = new Set(["send", "relay", "regenerate", "retry", "continue", "branch"]);

class ChatPanel {
  private readonly model: Mounted["model"];
  private readonly live: boolean;
  private readonly head: ChatHead;
  private readonly list: MessageList;
  private readonly input: InputArea;
  private readonly side: Side;
  private readonly below: ViewBelow;
  /** The text that an action on a message gave. */
  private readonly told: EffectBanner;
  private readonly assets: AssetAsker;
  private readonly drawing: MarkdownOptions;
  private readonly early = new EarlyPieces();
  /** Values by name, with the text that each was read from. */
  private readonly parsed = new Map<string, { text: string; value: unknown }>();
  private selected = "";
  private readonly others: OtherBranches;
  /** Keys of the messages that are shown. */
  private keys = new Set<string>();

  constructor(at: Mounted) {
    const { model, root, signal, silence } = at;
    this.model = model;
    this.live = model.get("live") !== false;
    const { live } = this;
    this.below = new ViewBelow(root, signal);
    const send = (command: Command, buffers?: ArrayBuffer[]) => this.send(command, buffers);
    this.assets = new AssetAsker((id) => this.send({ command: "asset", id }));
    this.drawing = this.drawingOptions();
    this.list = new MessageList({
      send,
      copy: (text) => void this.copy(text),
      signal,
      live,
      models: () => this.json<Head>("head")?.model.choices ?? [],
      languages: () => this.json<Head>("head")?.languages ?? [],
      messageActions: () => this.json<Head>("head")?.messageActions ?? [],
      textView: (host, key) => this.textView(host, key),
      chosen: (key) => this.choose(key),
    });
    this.input = new InputArea({
      send,
      save: (text) => save(model, { input: text }),
      typed: (text) => this.typed(text),
      silence: silence.element,
      live,
      signal,
    });
    this.side = new Side({ send, reveal: (key) => void this.list.reveal(key), live, signal });
    const frame = h("div", { class: "w" });
    this.others = new OtherBranches({
      isHere: (key) => this.keys.has(key),
      at: () => this.selected.replace(/^node:/, ""),
      switchTo: (key) => send({ command: "switch", key }),
      signal,
    });
    this.head = new ChatHead(at, frame, {
      send,
      shows: (what) => this.show(what),
      find: (words) => {
        send({ command: "find", text: words });
        return this.list.find(words);
      },
      otherBranches: this.others.element,
      findNext: (by) => this.list.findNext(by),
      text: () => {
        this.input.give();
        return this.input.text;
      },
      live,
    });
    const main = h("div", { class: "main" }, this.list.element, this.input.element);
    this.told = new EffectBanner(() => save(model, { effect: {} }), signal, "Close");
    frame.append(this.head.element, this.told.element, h("div", { class: "chat" }, main, this.side.element));
    root.append(frame);
    this.input.listen(frame);
    root.addEventListener("keydown", (event) => this.undo(event), { signal });
    signal.addEventListener("abort", () => this.assets.stop());
    silence.changed = (isSilent) => this.list.unanswered(isSilent);
    listen(at, (message, buffers) => this.hear(message, buffers[0]));
    whenChanged(at, TRAITS, (changed) => this.draw(changed));
    this.draw(new Set(TRAITS));
    if (live && this.json<Running>("running")) send({ command: "resend" }); // what came before this view was there
  }

  // --- to Python

  /** Says whether there is somebody who hears it. */
  private send(command: Command, buffers?: ArrayBuffer[]): boolean {
    if (!this.live) return false;
    if (ANSWERED.has(command.command)) this.list.toNewest();
    else if (command.command === "open") this.below.wanted();
    else if (command.command === "stop") this.stopping();
    if (buffers) this.model.send(command, undefined, buffers);
    else this.model.send(command);
    return true;
  }

  /** Both buttons say so at once, whenever Python gets to it. */
  private stopping(): void {
    this.list.stopping();
    this.input.stopping();
  }

  private show(what: string): void {
    if (what === "tree") this.below.wanted();
    save(this.model, { shows: what });
  }

  private choose(key: string): void {
    if (key.startsWith("preset:")) return;
    this.selected = `node:${key}`;
    if (this.model.get("selected") !== this.selected) save(this.model, { selected: this.selected });
  }

  private typed(text: string): void {
    const draft = this.json<Draft>("draft");
    this.side.old(draft !== null && draft.text !== text);
  }

  private undo(event: KeyboardEvent): void {
    if (event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.altKey || !this.live) return;
    if (event.key.toLowerCase() !== "z" || (event.target as Element).matches("input, textarea")) return;
    taken(event);
    this.send({ command: event.shiftKey ? "redo" : "undo" });
  }

  private async copy(text: string): Promise<void> {
    await navigator.clipboard?.writeText(text).catch(() => this.input.fail("The page may not write the clipboard."));
  }

  // --- texts of messages

  private drawingOptions(): MarkdownOptions {
    const code = lateCode(this.model);
    return {
      resolveAsset: this.assets.resolve,
      loadMaths: code.maths,
      loadMermaid: code.mermaid,
      formulas: new FormulaDrawer(code.maths),
    };
  }

  private textView(host: HTMLElement, key: string): TextView {
    return new MarkdownView(host, { ...this.drawing, onButton: (button) => this.pressed(key, button) });
  }

  private pressed(key: string, { kind, text }: ModelButton): void {
    if (kind === "copy") void this.copy(text);
    else this.send({ command: "button", key, does: kind, text });
  }

  // --- from Python

  private hear(message: FromPython, buffer: ArrayBuffer | ArrayBufferView | undefined): void {
    this.input.heard();
    if (message.kind === "pieces") for (const each of this.early.come(message)) this.list.pieces(each);
    else if (message.kind === "asset") this.assets.came(message, buffer);
    else if (message.kind === "completion") this.input.open(message.completion);
    else if (message.kind === "copy") void this.copy(message.text);
    else if (message.kind === "found" && message.text === this.head.words) this.others.take(message.keys);
    else if (message.kind === "export" && buffer) download(message.name, buffer);
  }

  private draw(changed: Set<string>): void {
    const { input, list, side } = this;
    if (FROM_PYTHON.some((trait) => changed.has(trait))) input.heard();
    if (changed.has("view") || changed.has("delta")) this.drawRows();
    if (changed.has("running")) {
      const running = this.json<Running>("running");
      list.running(running);
      for (const each of this.early.running(running)) list.pieces(each);
      input.setRunning(running);
    }
    if (changed.has("head")) this.drawHead();
    if (changed.has("draft") || changed.has("unsent"))
      list.cut(this.json<Draft>("draft")?.cut ?? [], this.json<Unsent[]>("unsent") ?? []);
    if (changed.has("draft")) {
      const draft = this.json<Draft>("draft");
      input.setDraft(draft);
      side.next(draft);
    }
    if (changed.has("input")) input.put(String(this.model.get("input") ?? ""));
    if (changed.has("draft")) this.typed(input.text);
    if (changed.has("got")) side.got(this.json<Got>("got"));
    if (changed.has("around")) side.around(this.json<Around>("around") ?? { nodes: [] });
    if (changed.has("quick")) input.setQuick(this.json<Quick[]>("quick") ?? []);
    if (changed.has("asides")) input.asides.set(this.json<Aside[]>("asides") ?? []);
    if (changed.has("files") || changed.has("error")) input.setFiles(this.json<FileChip[]>("files") ?? []);
    if (changed.has("shows")) this.head.shows(String(this.model.get("shows")));
    if (changed.has("error")) this.fail(String(this.model.get("error") ?? ""));
    if (changed.has("effect")) this.told.draw((this.model.get("effect") as Partial<Effect> | undefined) ?? {});
    if (changed.has("selected")) this.reveal(String(this.model.get("selected") ?? ""));
  }

  private fail(sentence: string): void {
    this.input.fail(sentence);
    if (sentence) this.list.refused();
  }

  private drawRows(): void {
    const rows = rowsOf(this.json<View>("view") ?? { rows: [] }, this.json<Delta>("delta"));
    this.keys = new Set(rows.map(({ key }) => key));
    this.list.set(rows);
    const key = this.others.arrived();
    if (key) this.arrive(key);
    this.input.setStarters(starters(rows));
  }

  /** The branch was switched to one with the words. */
  private arrive(key: string): void {
    const found = this.list.findNext(1, key);
    if (!found.at) this.list.reveal(key);
    this.head.tell(found, ", on another branch now");
  }

  private drawHead(): void {
    const head = this.json<Head>("head");
    if (head) this.head.set(head);
  }

  /** Another view has chosen a message. */
  private reveal(selected: string): void {
    if (selected === this.selected) return;
    this.selected = selected;
    if (selected) this.list.reveal(selected.replace(/^node:/, ""));
  }

  private json<T>(name: (typeof JSON_TRAITS)[number]): T | null {
    const text = String(this.model.get(name) ?? "");
    const known = this.parsed.get(name);
    if (known?.text === text) return known.value as T | null;
    const value = text ? (JSON.parse(text) as T) : null;
    this.parsed.set(name, { text, value });
    return value;
  }
}

export default widget("Chat", markdown + rowList + sidePanel + own, (at) => void new ChatPanel(at));
