// The budget of a run. What is moved becomes a command; Python runs again and says what that changes.

import chip from "../_shared/attachment_chip.css";
import { Files } from "../_shared/attachments";
import { h, harmless } from "../_shared/dom";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import type { RemedyJson } from "../_shared/remedy_button";
import { BudgetBar } from "./budget_bar";
import { type Command, Queue } from "./command_queue";
import { Header } from "./header";
import { MessageList } from "./message_list";
import {
  type BudgetHost,
  BY_SOURCE,
  type Choices,
  isCut,
  type Messages,
  type Slide,
  type State,
  type View,
} from "./payload";
import { SidePanel } from "./side_panel";
import own from "./widget.css";

const EMPTY = "Nothing to show: pass a run, TokenBudget(ctxlab.build(session)).";

function begin(at: Mounted): void {
  const place = h("div", { class: "w" });
  at.root.append(place);
  let shown: TokenBudget | null = null;
  const update = (changed: Set<string>) => {
    if (!at.model.get("view") || changed.has("live") || changed.has("views")) {
      shown?.stop();
      shown = null;
    }
    if (!at.model.get("view")) {
      place.replaceChildren(h("p", { class: "empty" }, EMPTY));
    } else if (shown) shown.update(changed);
    else {
      shown = new TokenBudget(at);
      place.replaceChildren(shown.element);
      shown.start();
    }
  };
  whenChanged(
    at,
    [
      "view",
      "messages",
      "choices",
      "files",
      "error",
      "live",
      "views",
      "effect",
      "pinned",
      "selected",
      "remedies",
      "acknowledged",
    ],
    update,
  );
  update(new Set());
}

class TokenBudget implements BudgetHost {
  readonly element = h("div", {});
  readonly signal: AbortSignal;
  private readonly model: Model;
  private readonly ending = new AbortController();
  private readonly state: State;
  private readonly head: Header;
  private readonly bar: BudgetBar;
  private readonly list: MessageList;
  private readonly side: SidePanel;
  private readonly versus = h("div", { class: "versus" });
  private readonly banner: EffectBanner;
  private readonly queue: Queue;
  private fresh = true;
  private gesture = false;

  constructor({ model, root, signal }: Mounted) {
    this.model = model;
    this.signal = this.ending.signal;
    signal.addEventListener("abort", () => this.stop(), { signal: this.signal });
    this.state = {
      view: JSON.parse(String(model.get("view"))) as View,
      messages: JSON.parse(String(model.get("messages"))) as Messages,
      choices: JSON.parse(String(model.get("choices"))) as Choices,
      files: Files.of(model.get("files")),
      reasons: new Set(),
      live: model.get("live") === true,
      error: String(model.get("error") ?? ""),
      views: [...((model.get("views") as string[] | undefined) ?? [])],
      remedies: remediesOf(model),
      selected: String(model.get("selected") ?? ""),
      pinned: String(model.get("pinned") ?? ""),
      closed: "",
      held: null,
      pointed: "",
    };
    this.queue = new Queue((command) => model.send(command), this.signal);
    this.head = new Header(this.state, this, root);
    this.banner = new EffectBanner(this.state.live ? () => this.undo() : null, this.signal);
    this.bar = new BudgetBar(this.state, this);
    this.list = new MessageList(this.state, this);
    this.side = new SidePanel(this.state, this);
    const below = h("div", { class: "tb" }, this.side.element, this.list.element);
    const { element: banner } = this.banner;
    this.element.append(this.head.element, h("div", { class: "bd2" }, this.bar.element, this.versus, below), banner);
  }

  start(): void {
    this.draw();
    if (this.state.selected) this.list.reveal(this.state.selected);
  }

  stop(): void {
    this.ending.abort();
  }

  update(changed: Set<string>): void {
    const { state, model } = this;
    if (changed.has("acknowledged")) this.queue.answered();
    if (changed.has("view")) state.view = JSON.parse(String(model.get("view"))) as View;
    if (changed.has("messages")) state.messages = JSON.parse(String(model.get("messages"))) as Messages;
    if (changed.has("choices")) state.choices = JSON.parse(String(model.get("choices"))) as Choices;
    if (changed.has("files")) state.files = Files.of(model.get("files"));
    state.error = String(model.get("error") ?? "");
    state.remedies = remediesOf(model);
    state.pinned = String(model.get("pinned") ?? "");
    const selected = String(model.get("selected") ?? "");
    const elsewhere = selected !== state.selected;
    if (elsewhere) state.closed = "";
    state.selected = selected;
    if (!this.queue.busy) state.held = null;
    if (changed.has("view") || changed.has("messages") || changed.has("choices") || changed.has("files")) this.draw();
    else this.redrawMarks();
    if (elsewhere && selected) this.list.reveal(selected);
  }

  // --- what parts ask for

  begin(anew = true): void {
    if (!anew && this.gesture) return;
    this.fresh = true;
    this.gesture = true;
  }

  end(): void {
    if (!this.gesture) return;
    this.gesture = false;
    this.bar.draw(false);
  }

  slide(command: Slide): void {
    if (!this.state.live) return;
    const { state } = this;
    if (command.command === "budget") state.held = Number(command.tokens);
    this.queue.ask({ ...command, drag: true, ...(this.fresh ? {} : { continues: true }) });
    this.fresh = false;
    this.bar.draw(this.gesture);
    this.head.follow();
  }

  setBudget(tokens: number | null): void {
    if (!this.state.live) return;
    this.end();
    this.state.held = tokens;
    this.queue.ask({ command: "budget", tokens });
    this.bar.draw(false);
    this.head.follow();
  }

  keep(key: string): void {
    this.ask({ command: "apply_remedy", key });
  }

  undo(): void {
    const { views, view } = this.state;
    if (views.length) this.ask({ command: "page_undo" });
    else if (view.undo) this.ask({ command: "undo" });
  }

  ask(command: Record<string, unknown>): void {
    if (this.state.live) this.queue.ask(command as Command);
  }

  point(at: string): void {
    const pointed = at === BY_SOURCE ? "" : at;
    if (this.state.pointed === pointed) return;
    this.state.pointed = pointed;
    this.redrawMarks(false);
  }

  pin(at: string): void {
    const { state } = this;
    state.pinned = at;
    state.closed = at ? "" : state.selected;
    save(this.model, { pinned: at });
    const look = at.startsWith(BY_SOURCE) ? at.slice(BY_SOURCE.length) : "";
    const first = look
      ? state.messages.rows.find((row, i) => (isCut(state.view, i) ? look === "cut" : row[2] === look))
      : undefined;
    if (first) this.select(first[0]);
    this.redrawMarks(false);
  }

  select(key: string): void {
    this.state.selected = key;
    save(this.model, { selected: key });
    this.list.reveal(key);
  }

  // --- drawing

  private draw(): void {
    this.element.classList.toggle("stale", this.state.view.refused !== "");
    this.head.draw();
    this.banner.draw((this.model.get("effect") ?? {}) as Partial<Effect>);
    this.bar.draw(this.gesture);
    this.drawVersus();
    this.list.draw();
    this.side.draw();
  }

  private redrawMarks(head = true): void {
    if (head) {
      this.head.draw();
      this.banner.draw((this.model.get("effect") ?? {}) as Partial<Effect>);
      this.bar.draw(this.gesture);
    }
    this.bar.mark();
    this.list.mark();
    this.side.drawCard();
  }

  /** What two tokenizers count of the same messages, where another than the run's own was chosen. */
  private drawVersus(): void {
    const { view } = this.state;
    this.versus.hidden = view.own === null;
    if (view.own === null) return;
    const most = Math.max(view.sent, view.own.sent, 1);
    const percent = Math.round((100 * (view.sent - view.own.sent)) / Math.max(view.own.sent, 1));
    const than = percent === 0 ? "as many" : `${Math.abs(percent)} % ${percent > 0 ? "more" : "fewer"}`;
    const line = (name: string, tokens: number, words: string) => {
      const bar = h("i", { class: "fill src-overhead" });
      bar.style.width = `${(100 * tokens) / most}%`;
      return [
        h("span", { class: "nm" }, harmless(name)),
        h("span", { class: "tr" }, bar),
        h("span", { class: "num" }, grouped(tokens)),
        h("span", { class: "muted" }, words),
      ];
    };
    this.versus.replaceChildren(
      ...line(view.tokenizer, view.sent, than),
      ...line(view.own.name, view.own.sent, "the run's own"),
    );
  }
}

const remediesOf = (model: Model): State["remedies"] =>
  new Map(Object.entries(JSON.parse(String(model.get("remedies") || "{}")) as Record<string, RemedyJson>));

export default widget("Token budget", chip + own, begin);
