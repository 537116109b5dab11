// A text in the colours of its tokens, by two tokenizers that scroll together.

import sidePanel from "../_shared/components/side_panel.css";
import { h, harmless } from "../_shared/dom";
import { isSingle, taken } from "../_shared/keyboard";
import { type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped, many } from "../_shared/numbers";
import { type Radios, radios } from "../_shared/radios";
import { textWidths } from "../_shared/text_width";
import { sourceOf } from "../_shared/trace_view";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { hitAt, search } from "./find_hits";
import { linesOf } from "./line_breaks";
import { type Message, other, type Side, type State, type TokenPlace, type TokenViewHost, type View } from "./state";
import { TokenCard } from "./token_card";
import { LINE, TokenPane } from "./token_pane";
import { markJoints, stretchOf, tokenAt, tokensFrom } from "./tokens";
import own from "./widget.css";

const EMPTY = 'Nothing to show: pass a text, a message or a trace, TokenView("Hello, harbour").';
const KEYS: KeyList = [
  ["\u2190 \u2192", "the token before, the next one"],
  ["\u2191 \u2193", "a line up, a line down"],
  ["Page up, down", "a page up, a page down"],
  ["Home, End", "the first token, the last one"],
  ["/", "to the search"],
  ["Enter", "in the search: the next hit; with Shift the one before"],
  ["Escape", "in the search: clear it, then back to the text"],
];
const SPARE = 24; // pixels at the end of a line, for the sign of its end
const NOTHING: View = {
  characters: 0,
  tokens: [0, 0],
  boundaries: { first: 0, second: 0, both: 0 },
  names: [],
  run: false,
  estimate: "",
  messages: [],
};

class TokenView implements TokenViewHost {
  readonly signal: AbortSignal;
  private readonly state: State;
  private readonly panes: [TokenPane, TokenPane];
  private readonly card: TokenCard;
  private readonly title: ViewHead;
  private readonly empty = h("p", { class: "empty", hidden: true }, EMPTY);
  private readonly blank = h("p", { class: "empty", hidden: true }, "The text is empty: no tokens.");
  private readonly frame: HTMLElement;
  private readonly two: HTMLElement;
  private readonly messages = h("select", { class: "which", "aria-label": "Message" });
  private readonly names: [HTMLSelectElement, HTMLSelectElement];
  private readonly colours: Radios;
  private readonly field = h("input", { type: "search", class: "field", placeholder: "Find", "aria-label": "Find" });
  private readonly found = h("span", { class: "muted found", "aria-live": "polite" });
  private readonly jumps: HTMLButtonElement[];
  /** The view as Python sent it. */
  private held = "";
  private width = 0;
  private drawn = false;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.signal = signal;
    const none = tokensFrom(null, 0);
    this.state = {
      view: NOTHING,
      text: "",
      names: ["", ""],
      sides: [none, none],
      lines: new Int32Array(1),
      colour: "token",
      hits: [],
      at: { side: 0, token: 0 },
      over: null,
      live: model.get("live") === true,
    };
    this.panes = [new TokenPane(this.state, 0, this), new TokenPane(this.state, 1, this)];
    this.card = new TokenCard(this.state);
    this.names = [this.choice("First tokenizer"), this.choice("Second tokenizer")];
    this.colours = radios("Colour text by", { token: "Token", plain: "Plain" }, (to) => this.recolour(to), signal);
    this.jumps = [this.jump("Previous hit", "\u2191", -1), this.jump("Next hit", "\u2193", 1)];
    const panes = h("div", { class: "panes" }, this.panes[0].element, this.panes[1].element);
    this.two = h("div", { class: "two" }, panes, this.card.element);
    this.title = this.head();
    this.frame = h("div", { class: "w" }, this.title.element, this.blank, this.two);
    root.append(this.empty, this.frame);
    this.listen();
    this.read();
    this.draw();
  }

  // --- what the panes ask for

  focus(place: TokenPlace): void {
    const { state } = this;
    state.at = place;
    const [start] = stretchOf(state.text, state.sides[place.side], place.token);
    this.panes[place.side].reveal(start);
    this.scrolled(place.side);
    this.mark();
    this.drawFound();
    const token = place.side === 0 ? place.token : tokenAt(state.sides[0], start);
    if (token !== this.at.model.get("token")) save(this.at.model, { token });
  }

  hover(place: TokenPlace | null): void {
    const before = this.state.over;
    if (before?.side === place?.side && before?.token === place?.token) return;
    this.state.over = place;
    this.mark();
  }

  scrolled(from: Side): void {
    const { scroller } = this.panes[from];
    const beside = this.panes[other(from)];
    if (beside.scroller.scrollTop !== scroller.scrollTop) beside.scroller.scrollTop = scroller.scrollTop;
    for (const pane of this.panes) pane.fill();
  }

  // --- what Python says

  private listen(): void {
    const { model, root } = this.at;
    const { signal } = this;
    const names = ["view", "text", "tokenizers", "first", "second", "token", "colour", "find", "selected", "error"];
    whenChanged(this.at, names, (changed) => {
      const token = Number(model.get("token"));
      const elsewhere = changed.has("token") && this.firstFor(this.state.at) !== token;
      if (changed.size > 1 || !changed.has("token")) {
        this.read();
        this.draw();
      }
      if (elsewhere) this.turnTo(token);
    });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    const watch = new ResizeObserver(() => {
      if (this.panes[0].room !== this.width) this.drawText();
      else this.scrolled(0); // a page that was hidden forgot where it stood
    });
    watch.observe(this.panes[0].scroller);
    signal.addEventListener("abort", () => watch.disconnect());
  }

  private read(): void {
    const { model } = this.at;
    const { state } = this;
    const held = String(model.get("view") ?? "");
    const text = String(model.get("text") ?? "");
    if (held !== this.held) {
      this.held = held;
      state.view = held ? (JSON.parse(held) as View) : NOTHING;
      this.listMessages();
      this.listNames();
    }
    if (text !== state.text) {
      state.text = text;
      this.width = 0;
      for (const { scroller } of this.panes) scroller.scrollTop = 0;
    }
    const [one, two] = ["first", "second"].map((name, i) =>
      tokensFrom(model.get(name) as DataView | null, state.view.tokens[i]),
    );
    markJoints(one, two);
    state.sides = [one, two];
    state.names = [...(model.get("tokenizers") as [string, string])];
    state.colour = model.get("colour") === "plain" ? "plain" : "token";
    state.hits = search(text, String(model.get("find") ?? ""));
    state.over = null;
    const token = Math.min(Math.max(Number(model.get("token") ?? 0), 0), Math.max(one.count - 1, 0));
    if (state.at.side === 1 && state.at.token < two.count && this.firstFor(state.at) === token) return;
    state.at = { side: 0, token };
  }

  /** The token of the first tokenizer for one of either. */
  private firstFor({ side, token }: TokenPlace): number {
    const { text, sides } = this.state;
    return side === 0 || !sides[side].count ? token : tokenAt(sides[0], stretchOf(text, sides[side], token)[0]);
  }

  private turnTo(token: number): void {
    const last = Math.max(this.state.sides[0].count - 1, 0);
    this.state.at = { side: 0, token: Math.min(Math.max(token, 0), last) };
    this.show();
  }

  /** Brings the token in focus into sight. */
  private show(): void {
    const { text, sides, at } = this.state;
    if (!sides[at.side].count || !this.width) return;
    this.panes[at.side].reveal(stretchOf(text, sides[at.side], at.token)[0]);
    this.scrolled(at.side);
    this.mark();
    this.drawFound();
  }

  // --- drawing

  private draw(): void {
    const { state, at } = this;
    const hasText = Boolean(at.model.get("view"));
    this.empty.hidden = hasText;
    this.frame.hidden = !hasText;
    this.blank.hidden = !hasText || state.text !== "";
    this.two.hidden = state.text === "";
    this.colours.set(state.colour);
    this.names.forEach((select, i) => {
      select.value = state.names[i];
    });
    const find = String(at.model.get("find") ?? "");
    if (this.field.value !== find) this.field.value = find;
    this.markMessage();
    this.drawAnswer();
    this.drawText();
    this.drawFound();
  }

  /** Breaks the text into lines where its width changed, and draws both panes. */
  private drawText(): void {
    const { state } = this;
    const room = this.panes[0].room;
    if (room <= 0 || !state.text) return;
    if (room !== this.width) {
      this.width = room;
      const top = this.panes[0].scroller.scrollTop;
      const first = state.lines[Math.floor(top / LINE)] ?? 0;
      state.lines = linesOf(state.text, room - SPARE, textWidths(this.panes[0].scroller));
      for (const pane of this.panes) pane.draw();
      if (top > 0) this.panes[0].reveal(first);
    } else for (const pane of this.panes) pane.draw();
    this.card.draw();
    this.scrolled(0);
    if (this.drawn) return;
    this.drawn = true;
    if (state.at.token) this.show();
    performance.mark("ctxlab:token-view:drawn");
  }

  private mark(): void {
    for (const pane of this.panes) pane.mark();
    this.card.drawToken();
  }

  private drawAnswer(): void {
    const { view, names } = this.state;
    const wrong = String(this.at.model.get("error") ?? "");
    const [one, two] = view.tokens;
    const apart = difference(one, two);
    const answer = `${many(one, "token")} by ${names[0]}, ${grouped(two)} by ${names[1]}${apart ? `, ${apart}` : ""}`;
    this.title.answer(harmless(wrong || answer), wrong !== "");
  }

  private listNames(): void {
    for (const select of this.names)
      select.replaceChildren(...this.state.view.names.map((name) => h("option", { value: name }, harmless(name))));
  }

  private listMessages(): void {
    const { view, live } = this.state;
    const { messages } = this;
    messages.hidden = !view.run || !live;
    if (messages.hidden) return;
    const sent = view.messages.filter((message) => message.sent).length;
    const options = view.messages.map((message, i) => h("option", { value: message.key }, label(message, i)));
    messages.replaceChildren(h("option", { value: "" }, `Whole prompt, ${many(sent, "message")}`), ...options);
  }

  private markMessage(): void {
    const { messages } = this.state.view;
    const selected = String(this.at.model.get("selected") ?? "");
    this.messages.value = messages.find(({ key, parts }) => key === selected || parts.includes(selected))?.key ?? "";
  }

  // --- controls

  private head(): ViewHead {
    const { messages, field, signal } = this;
    messages.addEventListener("change", () => save(this.at.model, { selected: messages.value }), { signal });
    field.addEventListener("input", () => this.look(), { signal });
    field.addEventListener("keydown", (event) => this.typed(event), { signal });
    const finding = h("div", { class: "finding", role: "search" }, field, this.jumps, this.found);
    return new ViewHead("Tokens", [messages, this.names, this.colours.element, finding], KEYS, this.at);
  }

  private choice(label: string): HTMLSelectElement {
    const select = h("select", { class: "which", "aria-label": label, disabled: !this.state.live });
    const ask = () => {
      const [first, second] = this.names.map(({ value }) => value);
      this.at.model.send({ command: "tokenizers", first, second });
    };
    select.addEventListener("change", ask, { signal: this.signal });
    return select;
  }

  private recolour(to: string): void {
    save(this.at.model, { colour: to });
  }

  private jump(name: string, sign: string, by: number): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn", "aria-label": name, title: name, hidden: true }, sign);
    button.addEventListener("click", () => this.go(by), { signal: this.signal });
    return button;
  }

  private look(): void {
    save(this.at.model, { find: this.field.value });
  }

  private typed(event: KeyboardEvent): void {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    taken(event);
    if (event.key === "Enter") this.go(event.shiftKey ? -1 : 1);
    else if (this.field.value) {
      this.field.value = "";
      this.look();
    } else this.panes[0].scroller.focus();
  }

  /** On to the next hit behind the token in focus, or back; from the last to the first. */
  private go(by: number): void {
    const { text, hits, sides, at } = this.state;
    if (!hits.length) return;
    const [start, end] = stretchOf(text, sides[at.side], at.token);
    const to = by > 0 ? hitAfter(hits, end) : hitAt(hits, start) - 1;
    const hit = hits[(to + hits.length) % hits.length];
    this.focus({ side: at.side, token: tokenAt(sides[at.side], hit[0]) });
  }

  private drawFound(): void {
    const { text, hits, sides, at } = this.state;
    const looking = this.field.value !== "";
    for (const button of this.jumps) {
      button.hidden = !looking;
      button.setAttribute("aria-disabled", String(!hits.length));
    }
    const [start, end] = sides[at.side].count ? stretchOf(text, sides[at.side], at.token) : [0, 0];
    const now = hitAt(hits, start);
    const here = hits[now] && hits[now][0] < end;
    const count = here ? `${grouped(now + 1)} of ${grouped(hits.length)}` : many(hits.length, "hit");
    this.found.textContent = looking ? count : "";
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key !== "/" || !isSingle(event)) return;
    taken(event);
    this.field.focus();
    this.field.select();
  }
}

/** The first hit that begins at an offset or behind it. */
function hitAfter(hits: [number, number][], offset: number): number {
  const to = hitAt(hits, offset);
  return hits[to] && hits[to][0] < offset ? to + 1 : to;
}

function difference(one: number, two: number): string {
  if (one === two) return "as many";
  if (!one || !two) return "";
  return `${((100 * Math.abs(two - one)) / one).toFixed(1)} % ${two > one ? "more" : "fewer"}`;
}

function label({ key, role, kind, tokens, parts, sent }: Message, at: number): string {
  const source = parts.length ? `merged ${parts.length}` : sourceOf(kind);
  const place = sent ? String(at + 1) : "not sent";
  return harmless(`${place} ${role} ${key}, ${source}, ${many(tokens, "token")}`);
}

export default widget("Token view", sidePanel + own, (at) => {
  new TokenView(at);
});
