// A tester of rules: a text on top, below it what each rule does to it, and what is left in the end.

import { glyph, h, harmless } from "../_shared/dom";
import { EffectBanner } from "../_shared/effect_banner";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { Frame, jsonTrait, TextField } from "../_shared/text_tester";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { HitStrip } from "./hit_strip";
import { markedText } from "./marked_text";
import { RuleList } from "./rule_list";
import { type Hits, line, type Message, nextHit, type View, type Wrong } from "./rules";
import own from "./widget.css";

const EMPTY = 'Nothing to show: pass rules and a text, RuleView(rules, "a text"), or a run, RuleView(trace).';
const TRAITS = [
  ...["view", "messages", "message", "text", "role", "depth", "stage", "opened", "wrong", "error", "live"],
  ...["hits", "effect", "views"],
];
const KEYS: KeyList = [
  ["Up, Down", "from rule to rule; Home and End the first and the last"],
  ["Left, Right", "between a rule's switch and its line"],
  ["Enter", "open a rule, or close it; in a field: take the value"],
  ["O", "switch a rule on or off"],
  ["N, Shift+N", "the next message that a rule changed, and the one before"],
  ["Ctrl+Z", "undo"],
  ["Esc", "in a field: give the value back, then to its rule"],
];
const NO_HITS: Hits = { count: 0, tokens: null, messages: [] };
/** How many messages there are, and those that can be chosen. */
type Messages = { count: number; all: Message[] };
const NO_MESSAGES: Messages = { count: 0, all: [] };
const ROLES = ["system", "user", "assistant", "tool"];

const begin = (at: Mounted): void => void new RuleView(at);

class RuleView {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private view: View | null = null;
  private all = NO_MESSAGES;
  private hits = NO_HITS;
  private readonly frame = new Frame();
  private readonly names = h("span", { class: "muted names" });
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;
  private readonly strip: HitStrip;
  private readonly undo = h("button", { type: "button", class: "btn", title: "Ctrl+Z" }, glyph("back"), "Undo");
  private readonly reset = h("button", { type: "button", class: "btn" }, "Back to the message");
  private readonly choice = h("select", { class: "choice", "aria-label": "Message" });
  private readonly before = h(
    "button",
    { type: "button", class: "btn", "aria-label": "Changed message before", title: "Shift+N" },
    "‹",
  );
  private readonly after = h(
    "button",
    { type: "button", class: "btn", "aria-label": "Next changed message", title: "N" },
    "›",
  );
  private readonly message = h("div", { class: "group pick" }, this.before, this.choice, this.after);
  private readonly some = h("span", { class: "muted" });
  private readonly role = h(
    "select",
    { "aria-label": "Role" },
    h("option", { value: "" }, "any role"),
    ROLES.map((role) => h("option", { value: role }, role)),
  );
  private readonly depth = h("input", { type: "number", min: 0, class: "depth", placeholder: "any" });
  private readonly stage;
  private readonly text: TextField;
  private readonly depthWrong = h("span", { class: "wrong", role: "alert" });
  private readonly list: RuleList;
  private readonly last = h("div", { class: "last" });

  constructor(private readonly mounted: Mounted) {
    const { model, root, signal } = mounted;
    this.model = model;
    this.signal = signal;
    const stages = { request: "Sent", render: "Shown" };
    this.stage = radios("Stage", stages, (stage) => this.look({ stage }), signal);
    this.text = new TextField(mounted, "Text before the rules", 6);
    this.head = new ViewHead("Rules", [this.names, this.undo], KEYS, mounted);
    this.banner = new EffectBanner(() => this.takeBack(), signal);
    this.strip = new HitStrip(this);
    this.list = new RuleList(this);
    root.append(this.frame.element);
    this.listen(root);
    this.read();
    this.draw();
  }

  // --- what rows ask for

  get live(): boolean {
    return this.model.get("live") === true;
  }

  get several(): boolean {
    return this.view?.several ?? false;
  }

  get whileTyping(): boolean {
    return !this.view?.run;
  }

  wrong(): Wrong {
    return (this.model.get("wrong") as Wrong | undefined) ?? {};
  }

  toggle(key: string): void {
    const opened = this.opened();
    this.list.touch(key);
    save(this.model, { opened: opened.includes(key) ? opened.filter((each) => each !== key) : [...opened, key] });
  }

  turn(rule: string, on: boolean): void {
    this.list.touch(rule);
    this.model.send({ command: "switch", rule, on });
  }

  edit(rule: string, field: string, value: string, turn: number): void {
    this.model.send({ command: "edit", rule, field, value, turn });
  }

  /** A button that shows the message in the steps. */
  toSteps(): HTMLElement | null {
    const key = this.key().split("#")[0];
    if (!this.live || !this.view?.run || !this.views().includes("steps") || !key) return null;
    const button = h("button", { type: "button", class: "btn small to-steps" }, "Open in Steps");
    const open = () => this.model.send({ command: "open_view", view: "steps", key });
    button.addEventListener("click", open, { signal: this.signal });
    return button;
  }

  private views(): string[] {
    return (this.model.get("views") as string[] | undefined) ?? [];
  }

  private opened(): string[] {
    return (this.model.get("opened") as string[] | undefined) ?? [];
  }

  private look(where: Record<string, unknown>): void {
    this.model.send({ command: "test", where });
  }

  // --- changes

  private listen(root: HTMLElement): void {
    const { signal, model } = this;
    whenChanged(this.mounted, TRAITS, (changed) => {
      if (changed.has("view") || changed.has("messages") || changed.has("hits")) this.read();
      if (changed.has("messages")) this.choice.replaceChildren();
      this.draw();
    });
    const listening = { signal };
    this.undo.addEventListener("click", () => this.takeBack(), listening);
    this.reset.addEventListener("click", () => this.live && model.send({ command: "reset" }), listening);
    this.choice.addEventListener("change", () => this.choose(this.choice.value), listening);
    this.before.addEventListener("click", () => this.toHit(-1), listening);
    this.after.addEventListener("click", () => this.toHit(1), listening);
    this.role.addEventListener("change", () => this.look({ role: this.role.value || null }), listening);
    const depth = () => String(model.get("depth") ?? "");
    commits(this.depth, { commit: (typed) => this.sendDepth(typed), value: depth, signal });
    this.depth.addEventListener("input", () => this.complain(""), listening);
    this.depth.addEventListener("keydown", (event) => event.key === "Escape" && this.complain(""), listening);
    root.addEventListener("keydown", (event) => this.pressed(event), listening);
  }

  private pressed(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).matches("input, textarea, select") || event.altKey) return;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    if (isUndo) {
      taken(event);
      this.takeBack();
    } else if (event.key.toLowerCase() === "n" && isSingle(event)) {
      taken(event);
      this.toHit(event.shiftKey ? -1 : 1);
    }
  }

  /** Undoes the last change: here, or in the page that has one undo for all its views. */
  private takeBack(): void {
    if (!this.live) return;
    if (this.views().length) this.model.send({ command: "page_undo" });
    else if (this.view?.undo) this.model.send({ command: "undo" });
  }

  private toHit(by: 1 | -1): void {
    this.choose(nextHit(this.all.all, this.key(), by));
  }

  private key(): string {
    return String(this.model.get("message") ?? "");
  }

  choose(key: string | null): void {
    if (key && this.live) this.model.send({ command: "choose", message: key });
  }

  private sendDepth(typed: string): void {
    const words = typed.trim();
    const isDepth = /^\d+$/.test(words);
    this.complain(words === "" || isDepth ? "" : "A depth is a whole number from 0, or nothing for any.");
    if (words === "" || isDepth) this.look({ depth: words === "" ? null : Number(words) });
  }

  private complain(words: string): void {
    this.depthWrong.textContent = words;
    this.depth.setAttribute("aria-invalid", String(words !== ""));
  }

  private read(): void {
    this.view = jsonTrait<View>(this.model, "view");
    this.all = jsonTrait<Messages>(this.model, "messages") ?? NO_MESSAGES;
    this.hits = jsonTrait<Hits>(this.model, "hits") ?? NO_HITS;
  }

  // --- drawing

  private draw(): void {
    const { view } = this;
    if (!view || view.empty !== undefined) {
      this.frame.showEmpty(view?.empty ?? EMPTY);
      return;
    }
    this.frame.showParts(() => this.parts());
    this.names.textContent = harmless(view.names);
    this.names.title = harmless(view.names);
    this.undo.hidden = this.views().length > 0;
    this.undo.setAttribute("aria-disabled", String(!this.live || !view.undo));
    this.drawMessages(view);
    this.drawWhere();
    this.strip.draw(this.hits, this.key());
    this.list.draw(view.rules, new Set(this.opened()), view.run);
    this.drawLast(view);
    this.drawAnswer(view);
    this.banner.draw((this.model.get("effect") as { label?: string; text?: string } | undefined) ?? {});
  }

  /** The result, or why the last thing asked for was not done. */
  private drawAnswer({ answer }: View): void {
    const all = String(this.model.get("error") ?? "");
    const { rule, error: atField } = this.wrong();
    // What a field says is not said twice.
    const error = all === atField && this.opened().includes(rule ?? "") ? "" : all;
    const parts = answer.map(([words, to]) => {
      if (!to) return harmless(words);
      const link = h("button", { type: "button", class: "lk" }, harmless(words));
      link.addEventListener("click", () => this.openRule(to), { signal: this.signal });
      return link;
    });
    this.head.answer(error ? harmless(error) : [...parts, "."], error !== "");
  }

  private openRule(key: string): void {
    if (this.live) this.model.send({ command: "show_key", key });
    else save(this.model, { opened: [key] });
  }

  private drawWhere(): void {
    const { model, live } = this;
    this.text.element.disabled = this.role.disabled = this.depth.disabled = !live;
    this.text.update();
    this.role.value = String(model.get("role") ?? "");
    const depth = model.get("depth");
    const isFree = document.activeElement !== this.depth && !this.depthWrong.textContent;
    if (isFree) this.depth.value = depth === null ? "" : String(depth);
    this.stage.set(String(model.get("stage")));
    this.stage.element.toggleAttribute("inert", !live);
  }

  private drawMessages(view: View): void {
    const { count, all } = this.all;
    this.message.hidden = !view.run;
    this.reset.hidden = !view.run || view.own || !this.live;
    this.some.hidden = all.length === count;
    this.some.textContent = `${grouped(all.length)} of ${grouped(count)} messages can be chosen: what a rule changed, and the newest`;
    if (!view.run) return;
    if (!this.choice.childElementCount) {
      const options = all.map((each) => h("option", { value: each.key }, harmless(line(each))));
      this.choice.replaceChildren(...options);
    }
    const key = this.key();
    this.choice.value = key;
    this.choice.disabled = !this.live;
    this.before.setAttribute("aria-disabled", String(!this.live || !nextHit(all, key, -1)));
    this.after.setAttribute("aria-disabled", String(!this.live || !nextHit(all, key, 1)));
  }

  private drawLast({ last }: View): void {
    this.last.replaceChildren(
      h("h3", {}, "After all rules", h("span", { class: "muted plain" }, last.summary)),
      last.pieces.length
        ? markedText(last.pieces, "Text after all rules")
        : h("p", { class: "muted" }, "There is no text."),
    );
  }

  private parts(): HTMLElement[] {
    const label = (words: string, control: HTMLElement) => h("label", { class: "lab" }, words, control);
    return [
      this.head.element,
      this.banner.element,
      this.strip.element,
      h(
        "div",
        { class: "bar2" },
        this.message,
        this.role,
        label("Depth", this.depth),
        this.depthWrong,
        this.stage.element,
        this.reset,
        this.some,
      ),
      h("div", { class: "pair" }, h("div", { class: "typing" }, h("h3", {}, "Before"), this.text.element), this.last),
      this.list.element,
    ];
  }
}

export default widget("Rules", own, begin);
