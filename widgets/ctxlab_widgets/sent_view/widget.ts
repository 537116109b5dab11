// What is sent, as a chat: the messages as the model reads them, what was cut in its place, the life of any words.

import chip from "../_shared/attachment_chip.css";
import { Files } from "../_shared/attachments";
import { h, harmless } from "../_shared/dom";
import { EffectBanner } from "../_shared/effect_banner";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { grouped, many } from "../_shared/numbers";
import card from "../_shared/provenance_card.css";
import { type Radios, radios } from "../_shared/radios";
import { type KeyList, ViewHead } from "../_shared/view_head";
import type { TextState } from "./draw_text";
import { EffectList } from "./effect_list";
import { byPart, findHits, type Hit, MOST_HITS, patternOf } from "./find";
import { MessageList } from "./message_list";
import { findInText, subjectOf, type TextJson, type TokensJson, tablesWith, textSentence } from "./model_text";
import {
  ghostsOf,
  messagesOf,
  namesOf,
  newest,
  type Payload,
  type PayloadDelta,
  type Reading,
  type State,
} from "./payload";
import { TextList } from "./text_list";
import own from "./widget.css";

const EMPTY = "Nothing to show: pass a trace, SentView(ctxlab.build(session)).";
const NOTHING: Payload = {
  texts: [],
  causes: [],
  spans: [],
  messages: [],
  gone: [],
  order: [],
  cut: [],
  tokens: 0,
  request_tokens: 0,
  estimated: false,
  stopped_at: null,
};
const KEYS: KeyList = [
  ["Up, Down, Home, End", "the message before, the next, the first, the last"],
  ["Enter", "the life of a message's first words; opens a fold"],
  ["Left, Right", "the life of the words before, of the next"],
  ["Shift+Left, Right", "chooses character by character"],
  ["Esc", "closes the life, back to the message"],
  ["F", "why the files of a message go as they do"],
  ["K", "keeps the cut message, at its price"],
  ["/", "finds words; Enter the next, Shift+Enter the one before"],
  ["C", "shows or hides what was cut"],
  ["R", "as a chat, raw, or as the model reads it"],
  ["T", "tokens of the text, where the model's vocabulary is at hand"],
];

class SentView {
  private readonly state: State;
  private readonly model: Model;
  private readonly head: ViewHead;
  private readonly list: MessageList;
  private readonly textList: TextList;
  private readonly effects: EffectList;
  private readonly effect: EffectBanner;
  private readonly empty = h("p", { class: "empty" });
  private reading: Radios;
  private readonly cut: HTMLInputElement;
  private readonly tokens: HTMLInputElement;
  private text: TextState | null = null;
  /** Rows whose tokens have just come. */
  private fresh: number[] = [];
  private ofChat: HTMLElement[] = [];
  private ofText: HTMLElement[] = [];
  private readonly find = h("input", {
    type: "search",
    class: "find",
    placeholder: "Find",
    "aria-label": "Find in what is sent",
  });
  private readonly count = h("span", { class: "muted hits", role: "status" });
  private first: Payload = NOTHING;
  private query = "";
  private hits: Hit[] = [];
  private hit = -1;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    const live = model.get("live") === true;
    this.state = {
      payload: NOTHING,
      tables: NOTHING,
      messages: [],
      ghosts: [],
      live,
      views: new Set(),
      reading: "chat",
      reader: readerOf(model),
      cut: true,
      rules: true,
      selected: String(model.get("selected") ?? ""),
      remedies: new Map(),
      files: new Files(),
      open: new Set(),
      hits: new Map(),
    };
    const host = {
      send: (message: unknown) => (live || isJump(message) ? model.send(message) : undefined),
      select: (key: string) => this.select(key),
      signal,
    };
    this.list = new MessageList(this.state, host);
    this.textList = new TextList(this.state, () => this.text, host);
    this.effects = new EffectList({
      live,
      keep: (key) => host.send({ command: "apply_remedy", key }),
      show: (row, key) => this.textList.reveal(row >= 0 ? { id: `t:${row}` } : { key }, true),
    });
    this.reading = this.readings();
    this.cut = h("input", { type: "checkbox" });
    this.tokens = h("input", { type: "checkbox" });
    const rules = h("input", { type: "checkbox" });
    this.ofChat = [
      this.check(this.cut, "cut", (on) => {
        this.state.cut = on;
      }),
      this.check(rules, "what rules changed", (on) => {
        this.state.rules = on;
      }),
    ];
    this.ofText = [this.check(this.tokens, "tokens", (on) => this.showTokens(on))];
    this.tokens.checked = false;
    const tools = [this.reading.element, this.ofChat, this.ofText, h("span", { class: "sp" }), this.find, this.count];
    this.head = new ViewHead("What is sent", tools, KEYS, at);
    const back = () => model.send({ command: this.state.views.size ? "page_undo" : "back" });
    this.effect = new EffectBanner(live ? back : null, signal);
    const lists = [this.effects.element, this.list.element, this.textList.element, this.empty];
    const frame = h("div", { class: "w" }, this.head.element, this.effect.element, lists);
    root.append(frame);
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.finding(signal);
    whenChanged(at, TRAITS, (changed) => this.onChange(changed));
    this.take(new Set(TRAITS));
    this.reading.set(this.state.reading);
    this.draw();
    if (this.state.selected) this.reveal(this.state.selected);
  }

  /** The ways to read it: the text that a model reads is one where it is known whose. */
  private readings(): Radios {
    const ways = { chat: "Chat", raw: "Raw", ...(this.state.reader && { text: "As the model reads it" }) };
    const made = radios("Read as", ways, (to) => this.read(to as Reading), this.at.signal);
    made.set(this.state.reading);
    return made;
  }

  private check(box: HTMLInputElement, words: string, set: (on: boolean) => void): HTMLElement {
    box.checked = true;
    const changed = () => {
      set(box.checked);
      this.draw();
    };
    box.addEventListener("change", changed, { signal: this.at.signal });
    return h("label", { class: "check" }, box, words);
  }

  // --- what Python holds

  private take(changed: Set<string>): void {
    const { model, state } = this;
    if (changed.has("view")) {
      const view = String(model.get("view") || "");
      this.first = view ? (JSON.parse(view) as Payload) : NOTHING;
    }
    if (changed.has("view") || changed.has("delta")) {
      const delta = String(model.get("delta") || "");
      state.payload = newest(this.first, delta ? (JSON.parse(delta) as PayloadDelta) : null);
      state.messages = messagesOf(state.payload);
      state.ghosts = ghostsOf(state.payload);
      this.list.forget();
    }
    if (["view", "delta", "model_text"].some((name) => changed.has(name))) this.takeText();
    this.fresh = changed.has("tokens") ? this.takeTokens() : [];
    if (changed.has("reading")) state.reading = String(model.get("reading") || "chat") as Reading;
    state.reader = readerOf(model);
    if (changed.has("files")) state.files = Files.of(model.get("files"));
    state.views = new Set((model.get("views") as string[] | undefined) ?? []);
    state.remedies = new Map(Object.entries(JSON.parse(String(model.get("remedies") || "{}"))));
  }

  /** The tables of the run, with what its text needs besides; what is asked for again is another text. */
  private takeText(): void {
    const { model, state } = this;
    const held = String(model.get("model_text") || "");
    const text = held ? (JSON.parse(held) as TextJson) : null;
    const own = { ...state.payload, names: namesOf(state.messages) };
    state.tables = text ? tablesWith(own, text) : own;
    const effects = new Map<number, string[]>();
    for (const [kind, , , , row] of text?.effects ?? [])
      if (row >= 0 && kind !== "added") effects.set(row, [...new Set([...(effects.get(row) ?? []), kind])]);
    this.text = text && { text, tokens: new Map(), cut: this.text?.cut ?? false, effects };
    this.textList.forget();
    this.takeTokens();
    if (text?.effects.length && state.live) model.send({ command: "template_remedies" });
  }

  /** The rows whose tokens weren't known. Those that came before stay, though Python sends the newest alone. */
  private takeTokens(): number[] {
    const held = String(this.model.get("tokens") || "");
    if (!held || !this.text) return [];
    const { rows } = JSON.parse(held) as TokensJson;
    const known = this.text.tokens;
    const found = Object.entries(rows).map(([row, each]): [number, TokensJson["rows"][string]] => [Number(row), each]);
    this.text = { ...this.text, tokens: new Map([...known, ...found]) };
    return found.map(([row]) => row).filter((row) => !known.has(row));
  }

  private onChange(changed: Set<string>): void {
    const { model, state, list } = this;
    const { reader } = state;
    this.take(changed);
    if (Boolean(reader) !== Boolean(state.reader)) {
      const before = this.reading.element;
      this.reading = this.readings();
      before.replaceWith(this.reading.element);
    }
    if (changed.has("reading")) this.reading.set(state.reading);
    const selected = String(model.get("selected") ?? "");
    const isOther = selected !== state.selected;
    state.selected = selected;
    if (["view", "delta", "files", "model_text", "reading", "reader"].some((name) => changed.has(name))) this.draw();
    else {
      if (changed.has("remedies")) this.remediesCame();
      if (changed.has("tokens") && this.text?.cut) this.textList.tokensCame(this.fresh);
      if (["error", "effect", "tokens"].some((name) => changed.has(name))) this.drawHead();
    }
    if (isOther && selected) this.reveal(selected);
    list.mark();
    this.textList.mark();
  }

  private get readsText(): boolean {
    return this.state.reading === "text";
  }

  private reveal(key: string): void {
    if (this.readsText) this.textList.reveal({ key }, false);
    else this.list.reveal(key, false);
  }

  private remediesCame(): void {
    this.list.remediesCame();
    this.textList.remediesCame();
    this.effects.draw(this.readsText ? (this.text?.text ?? null) : null, this.state.remedies);
  }

  private showTokens(on: boolean): void {
    if (this.text) this.text = { ...this.text, cut: on };
  }

  private select(key: string): void {
    if (key === this.state.selected) return;
    this.state.selected = key;
    save(this.model, { selected: key });
  }

  // --- what a person does

  private read(to: Reading): void {
    this.state.reading = to;
    save(this.model, { reading: to });
    this.draw();
    if (this.state.selected) this.reveal(this.state.selected);
  }

  private pressed(event: KeyboardEvent): void {
    if (!isSingle(event)) return;
    const does: Record<string, () => void> = {
      "/": () => this.find.focus(),
      c: () => this.cut.click(),
      r: () => {
        const ways: Reading[] = this.state.reader ? ["chat", "raw", "text"] : ["chat", "raw"];
        const to = ways[(ways.indexOf(this.state.reading) + 1) % ways.length];
        this.reading.set(to);
        this.read(to);
      },
      t: () => this.ofText.some(({ hidden }) => hidden) || this.tokens.click(),
    };
    const key = event.key.toLowerCase();
    if (!does[key]) return;
    taken(event);
    does[key]();
  }

  private finding(signal: AbortSignal): void {
    this.find.addEventListener(
      "keydown",
      (event) => {
        if (event.key === "Enter" && !event.isComposing && this.find.value === this.query)
          this.goTo(event.shiftKey ? -1 : 1);
      },
      { signal },
    );
    commits(this.find, { commit: (typed) => this.look(typed), value: () => this.query, signal });
    this.find.addEventListener("search", () => this.find.value || this.look(""), { signal });
  }

  private look(query: string): void {
    this.query = query;
    this.hit = -1;
    this.draw();
    this.goTo(1);
  }

  private goTo(by: number): void {
    const { hits } = this;
    this.hit = hits.length ? (this.hit + by + hits.length) % hits.length : -1;
    const hit = hits[this.hit];
    this.list.found = this.textList.found = hit?.key ?? "";
    if (hit) {
      const isHere = (each: Hit) =>
        this.state.reading === "chat" ? each.key === hit.key : each.message === hit.message;
      const before = hits.slice(0, this.hit).filter(isHere).length;
      if (this.readsText) this.textList.reveal({ id: hit.key }, true, before);
      else this.list.reveal(hit.key, true, before);
    }
    this.drawCount();
  }

  private drawCount(): void {
    const { hits } = this;
    const all = hits.length === MOST_HITS ? `more than ${grouped(MOST_HITS - 1)}` : grouped(hits.length);
    this.count.textContent = !this.query ? "" : hits.length ? `${grouped(this.hit + 1)} of ${all}` : "not found";
  }

  // --- drawing

  private draw(): void {
    const { state, text } = this;
    const wanted = this.readsText ? patternOf(this.query) : null;
    this.hits =
      wanted && text
        ? findInText(text.text, state.tables, wanted, MOST_HITS)
        : findHits(state.messages, state.tables, this.query);
    state.hits = byPart(this.hits);
    if (!this.query) this.list.found = this.textList.found = "";
    this.drawHead();
    const shown = state.messages.length > 0 || state.ghosts.length > 0;
    this.list.element.hidden = !shown || this.readsText;
    this.textList.element.hidden = !shown || !this.readsText;
    for (const each of this.ofChat) each.hidden = this.readsText;
    for (const each of this.ofText) each.hidden = !this.readsText || !state.live || !text?.text.cuts;
    this.effects.draw(this.readsText ? (text?.text ?? null) : null, state.remedies);
    this.list.draw();
    if (this.readsText) this.textList.draw();
    this.drawCount();
    this.empty.hidden = shown;
    this.empty.textContent = this.model.get("view") ? "Nothing to send: the conversation has no message yet." : EMPTY;
  }

  /** What becomes of the messages, and how long their text is. */
  private textAnswer({ text, cut }: TextState): (string | HTMLElement)[] {
    const held = String(this.model.get("tokens") || "");
    const tokens = cut && held ? `, ${many((JSON.parse(held) as TokensJson).total, "token")} by ${text.cuts}` : "";
    const size = text.refused ? "" : ` ${many(text.characters, "character")}${tokens}.`;
    const by = text.engine === "sillytavern" ? "SillyTavern" : text.engine;
    const whose = text.name === subjectOf(text) ? "" : `, for ${text.name}`;
    return [
      harmless(textSentence(text, this.state.messages.length)),
      h("span", { class: "muted" }, harmless(`${size} Rendered as ${by} does it${whose}.`)),
    ];
  }

  private drawHead(): void {
    const { model, state } = this;
    const wrong = String(model.get("error") ?? "");
    const answer = this.readsText && this.text ? this.textAnswer(this.text) : sentence(state);
    this.head.answer(wrong ? harmless(wrong) : answer, Boolean(wrong));
    this.effect.draw((model.get("effect") as { label?: string; text?: string } | undefined) ?? {});
  }
}

/** Whose text can be shown: a page without Python has it, or nobody's. */
const readerOf = (model: Model): string =>
  model.get("live") === true || model.get("model_text") ? String(model.get("reader") ?? "") : "";

/** Of what a page without Python sends, only a jump to another view has somebody who answers. */
const isJump = (message: unknown): boolean => (message as { command?: string }).command === "open_view";

function sentence({ messages, ghosts, payload }: State): (string | HTMLElement)[] {
  if (!messages.length) return ["Nothing to send"];
  if (payload.stopped_at !== null)
    return [`Nothing is sent: the run stops at ${harmless(payload.stopped_at)}. These are the messages before it.`];
  const about = payload.estimated ? "about " : "";
  const cut = ghosts.filter((ghost) => ghost.fitsNot);
  const gone = cut.reduce((n, ghost) => n + ghost.tokens, 0);
  const sent = `${many(messages.length, "message")}, ${about}${many(payload.tokens, "token")}`;
  const rest = cut.length ? `; ${grouped(cut.length)} more, ${many(gone, "token")}, did not fit.` : ".";
  return [sent + rest, h("span", { class: "muted" }, " Click any words for their life.")];
}

const TRAITS = [
  "view",
  "delta",
  "files",
  "remedies",
  "reading",
  "reader",
  "model_text",
  "tokens",
  "selected",
  "views",
  "effect",
  "error",
];

export default widget("What is sent", card + chip + own, (at) => void new SentView(at));
