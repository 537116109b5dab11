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
import { byPart, findHits, type Hit, MOST_HITS } from "./find";
import { MessageList } from "./message_list";
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
  ["R", "as a chat, or raw"],
];

class SentView {
  private readonly state: State;
  private readonly model: Model;
  private readonly head: ViewHead;
  private readonly list: MessageList;
  private readonly effect: EffectBanner;
  private readonly empty = h("p", { class: "empty" });
  private readonly reading: Radios;
  private readonly cut: HTMLInputElement;
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
    this.reading = radios("Read as", { chat: "Chat", raw: "Raw" }, (to) => this.read(to as Reading), signal);
    this.reading.set("chat");
    this.cut = h("input", { type: "checkbox" });
    const rules = h("input", { type: "checkbox" });
    const tools = [
      this.reading.element,
      this.check(this.cut, "cut", (on) => {
        this.state.cut = on;
      }),
      this.check(rules, "what rules changed", (on) => {
        this.state.rules = on;
      }),
      h("span", { class: "sp" }),
      this.find,
      this.count,
    ];
    this.head = new ViewHead("What is sent", tools, KEYS, at);
    const back = () => model.send({ command: this.state.views.size ? "page_undo" : "back" });
    this.effect = new EffectBanner(live ? back : null, signal);
    const frame = h("div", { class: "w" }, this.head.element, this.effect.element, this.list.element, this.empty);
    root.append(frame);
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.finding(signal);
    whenChanged(at, TRAITS, (changed) => this.onChange(changed));
    this.take(new Set(TRAITS));
    this.draw();
    if (this.state.selected) this.list.reveal(this.state.selected, false);
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
      state.tables = { ...state.payload, names: namesOf(state.messages) };
      this.list.forget();
    }
    if (changed.has("files")) state.files = Files.of(model.get("files"));
    state.views = new Set((model.get("views") as string[] | undefined) ?? []);
    state.remedies = new Map(Object.entries(JSON.parse(String(model.get("remedies") || "{}"))));
  }

  private onChange(changed: Set<string>): void {
    const { model, state, list } = this;
    this.take(changed);
    const selected = String(model.get("selected") ?? "");
    const isOther = selected !== state.selected;
    state.selected = selected;
    if (["view", "delta", "files"].some((name) => changed.has(name))) this.draw();
    else {
      if (changed.has("remedies")) list.remediesCame();
      if (changed.has("error") || changed.has("effect")) this.drawHead();
    }
    if (isOther && selected) list.reveal(selected, false);
    list.mark();
  }

  private select(key: string): void {
    if (key === this.state.selected) return;
    this.state.selected = key;
    save(this.model, { selected: key });
  }

  // --- what a person does

  private read(to: Reading): void {
    this.state.reading = to;
    this.draw();
  }

  private pressed(event: KeyboardEvent): void {
    if (!isSingle(event)) return;
    const does: Record<string, () => void> = {
      "/": () => this.find.focus(),
      c: () => this.cut.click(),
      r: () => {
        const to = this.state.reading === "chat" ? "raw" : "chat";
        this.reading.set(to);
        this.read(to);
      },
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
    this.list.found = hit?.key ?? "";
    if (hit) {
      const isHere = (each: Hit) =>
        this.state.reading === "raw" ? each.message === hit.message : each.key === hit.key;
      this.list.reveal(hit.key, true, hits.slice(0, this.hit).filter(isHere).length);
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
    const { state } = this;
    this.hits = findHits(state.messages, state.tables, this.query);
    state.hits = byPart(this.hits);
    if (!this.query) this.list.found = "";
    this.drawHead();
    this.list.draw();
    this.drawCount();
    const shown = state.messages.length > 0 || state.ghosts.length > 0;
    this.list.element.hidden = !shown;
    this.empty.hidden = shown;
    this.empty.textContent = this.model.get("view") ? "Nothing to send: the conversation has no message yet." : EMPTY;
  }

  private drawHead(): void {
    const { model, state } = this;
    const wrong = String(model.get("error") ?? "");
    this.head.answer(wrong ? harmless(wrong) : sentence(state), Boolean(wrong));
    this.effect.draw((model.get("effect") as { label?: string; text?: string } | undefined) ?? {});
  }
}

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

const TRAITS = ["view", "delta", "files", "remedies", "selected", "views", "effect", "error"];

export default widget("What is sent", card + chip + own, (at) => void new SentView(at));
