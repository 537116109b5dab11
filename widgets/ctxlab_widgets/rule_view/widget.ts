// A tester of rules: a text on top, below it what each rule does to it, and what is left in the end.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { Frame, jsonTrait, StatusLine, TextField } from "../_shared/text_tester";
import { RuleRow } from "./rule_row";
import { line, type Message, neighbourOf, type View, type Wrong } from "./rules";
import own from "./widget.css";

const EMPTY = 'Nothing to show: pass rules and a text, RuleView(rules, "a text"), or a run, RuleView(trace).';
const TRAITS = ["view", "messages", "message", "text", "role", "depth", "stage", "opened", "wrong", "error", "live"];
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
  private readonly rows = new Map<string, RuleRow>();
  private readonly frame = new Frame();
  private readonly names = h("span", { class: "muted names" });
  private readonly status = new StatusLine();
  private readonly undo = h("button", { type: "button", class: "btn", title: "Ctrl+Z" }, glyph("back"), "Undo");
  private readonly reset = h("button", { type: "button", class: "btn" }, "Back to the message");
  private readonly choice = h("select", { class: "choice", "aria-label": "Message" });
  private readonly before = h("button", { type: "button", class: "btn", "aria-label": "Message before" }, "‹");
  private readonly after = h("button", { type: "button", class: "btn", "aria-label": "Message after" }, "›");
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
  private readonly list = h("div", { class: "rules", role: "list", "aria-label": "Rules in running order" });
  private readonly last = h("div", { class: "last" });
  private at: { key: string; column: 0 | 1 } = { key: "", column: 1 };

  constructor(private readonly mounted: Mounted) {
    const { model, root, signal } = mounted;
    this.model = model;
    this.signal = signal;
    const stages = { request: "Sent", render: "Shown" };
    this.stage = radios("Stage", stages, (stage) => this.look({ stage }), signal);
    this.text = new TextField(mounted, "Text before the rules", 4);
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
    save(this.model, { opened: opened.includes(key) ? opened.filter((each) => each !== key) : [...opened, key] });
  }

  turn(rule: string, on: boolean): void {
    this.model.send({ command: "switch", rule, on });
  }

  edit(rule: string, field: string, value: string, turn: number): void {
    this.model.send({ command: "edit", rule, field, value, turn });
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
      if (changed.has("view") || changed.has("messages")) this.read();
      if (changed.has("messages")) this.choice.replaceChildren();
      this.draw();
    });
    const listening = { signal };
    this.undo.addEventListener("click", () => this.takeBack(), listening);
    this.reset.addEventListener("click", () => this.live && model.send({ command: "reset" }), listening);
    this.choice.addEventListener("change", () => this.choose(this.choice.value), listening);
    this.before.addEventListener("click", () => this.choose(neighbourOf(this.all.all, this.key(), -1)), listening);
    this.after.addEventListener("click", () => this.choose(neighbourOf(this.all.all, this.key(), 1)), listening);
    this.role.addEventListener("change", () => this.look({ role: this.role.value || null }), listening);
    this.depth.addEventListener("change", () => this.sendDepth(), listening);
    this.list.addEventListener("keydown", (event) => this.walk(event), listening);
    this.list.addEventListener("focusin", (event) => this.came(event), listening);
    root.addEventListener("keydown", (event) => this.pressed(event), listening);
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.matches("input, textarea, select") || event.altKey) return;
    const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
    if (!isUndo) return;
    taken(event);
    this.takeBack();
  }

  private takeBack(): void {
    if (this.live && this.view?.undo) this.model.send({ command: "undo" });
  }

  private key(): string {
    return String(this.model.get("message") ?? "");
  }

  private choose(key: string | null): void {
    if (key && this.live) this.model.send({ command: "choose", message: key });
  }

  private sendDepth(): void {
    const words = this.depth.value.trim();
    const depth = words === "" ? null : Number(words);
    if (depth === null || (Number.isInteger(depth) && depth >= 0)) this.look({ depth });
    else this.draw();
  }

  private read(): void {
    this.view = jsonTrait<View>(this.model, "view");
    this.all = jsonTrait<Messages>(this.model, "messages") ?? NO_MESSAGES;
  }

  // --- keys in the list: up and down from rule to rule, left and right between its switch and its line

  private stops(): HTMLElement[] {
    return [...this.rows.values()].flatMap((row) => [row.toggle, row.opener]);
  }

  private came(event: FocusEvent): void {
    const stops = this.stops();
    const place = stops.indexOf(event.target as HTMLElement);
    if (place < 0) return;
    onlyStop(stops, place);
    this.at = { key: [...this.rows.keys()][place >> 1], column: (place & 1) as 0 | 1 };
  }

  private walk(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const stops = this.stops();
    const place = stops.indexOf(target);
    if (place < 0) {
      if (event.key === "Escape" && target.closest(".rb") && !target.matches("input, textarea")) {
        taken(event);
        this.rows.get(target.closest<HTMLElement>(".rule")?.dataset.key ?? "")?.opener.focus();
      }
      return;
    }
    if (event.key.toLowerCase() === "o") {
      taken(event);
      [...this.rows.values()][place >> 1].flip();
      return;
    }
    const column = place & 1;
    const ways: Record<string, number> = {
      ArrowUp: place - 2,
      ArrowDown: place + 2,
      ArrowLeft: column ? place - 1 : place,
      ArrowRight: column ? place : place + 1,
      Home: column,
      End: stops.length - 2 + column,
    };
    const to = ways[event.key];
    if (to === undefined) return;
    taken(event);
    if (stops[to]) stops[to].focus();
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
    this.undo.setAttribute("aria-disabled", String(!this.live || !view.undo));
    this.drawMessages(view);
    this.drawWhere();
    this.drawRules(view);
    this.drawLast(view);
    this.status.show(String(this.model.get("error") ?? ""), view.summary);
  }

  private drawWhere(): void {
    const { model, live } = this;
    this.text.element.disabled = this.role.disabled = this.depth.disabled = !live;
    this.text.update();
    this.role.value = String(model.get("role") ?? "");
    const depth = model.get("depth");
    if (document.activeElement !== this.depth) this.depth.value = depth === null ? "" : String(depth);
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
    this.before.setAttribute("aria-disabled", String(!this.live || !neighbourOf(all, key, -1)));
    this.after.setAttribute("aria-disabled", String(!this.live || !neighbourOf(all, key, 1)));
  }

  private drawRules(view: View): void {
    const opened = new Set(this.opened());
    const kept = new Set(view.rules.map((rule) => rule.key));
    for (const [key, row] of this.rows) if (!kept.has(key)) this.forget(key, row);
    for (const [i, rule] of view.rules.entries()) {
      let row = this.rows.get(rule.key);
      if (!row) {
        row = new RuleRow(rule, this);
        this.rows.set(rule.key, row);
      }
      row.draw(rule, i + 1, opened.has(rule.key));
    }
    const order = view.rules.map((rule) => this.rows.get(rule.key)!.element);
    const stand = [...this.list.children];
    if (order.length !== stand.length || order.some((each, i) => each !== stand[i]))
      this.list.replaceChildren(...order);
    if (!order.length) this.list.replaceChildren(h("p", { class: "empty" }, "There are no rules here."));
    this.list.classList.toggle("long", order.length > 60);
    const place = Math.max(0, [...this.rows.keys()].indexOf(this.at.key));
    onlyStop(this.stops(), place * 2 + this.at.column);
  }

  private forget(key: string, row: RuleRow): void {
    row.element.remove();
    this.rows.delete(key);
  }

  private drawLast({ last }: View): void {
    this.last.replaceChildren(
      h("h3", {}, "After all rules", h("span", { class: "muted plain" }, last.summary)),
      h(
        "div",
        { class: "words", tabindex: 0, role: "group", "aria-label": "Text after all rules" },
        last.text ? harmless(last.text) : h("span", { class: "muted" }, "nothing is left"),
        last.more && h("span", { class: "tag out" }, last.more),
      ),
    );
  }

  private parts(): HTMLElement[] {
    const label = (words: string, control: HTMLElement) => h("label", { class: "lab" }, words, control);
    return [
      h(
        "div",
        { class: "head" },
        h("h2", {}, "Rules"),
        this.names,
        this.undo,
        h("span", { class: "sp" }),
        this.status.element,
      ),
      h(
        "div",
        { class: "bar2" },
        this.message,
        this.role,
        label("Depth", this.depth),
        this.stage.element,
        this.reset,
        this.some,
      ),
      h("div", { class: "typing" }, this.text.element),
      this.list,
      this.last,
    ];
  }
}

export default widget("Rules", own, begin);
