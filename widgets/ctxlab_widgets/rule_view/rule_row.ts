// One rule: its line, and below it the text after it and the fields to change it in.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { complaint, type Piece, type Rule, shownReplacement, type Wrong, withBreaks } from "./rules";

const SIGNS = { matched: "done", none: "todo", off: "off", failed: "failed", idle: "skipped" };
const FIELDS = { pattern: "Pattern", replacement: "Replacement", flags: "Flags" } as const;
type Field = keyof typeof FIELDS;
const LIVE = 300; // milliseconds without a key before what is typed counts

export interface RuleRowHost {
  live: boolean;
  several: boolean;
  /** Whether a change counts while it is typed; a run is built again only when it is finished. */
  whileTyping: boolean;
  signal: AbortSignal;
  wrong(): Wrong;
  toggle(key: string): void;
  turn(key: string, on: boolean): void;
  edit(key: string, field: string, value: string, turn: number): void;
}

export class RuleRow {
  readonly element = h("div", { class: "rule", role: "listitem" });
  readonly toggle = h("button", { type: "button", class: "sw", role: "switch" }, h("i"));
  readonly opener = h("button", { type: "button", class: "ro" });
  private readonly body = h("div", { class: "rb" });
  private readonly marked = h("div", { class: "after" });
  private form: HTMLElement | null = null;
  private readonly fields = new Map<Field, HTMLInputElement | HTMLTextAreaElement>();
  private readonly errors = new Map<Field, HTMLElement>();
  private rule: Rule;
  private waiting = 0;
  private turns = 0;

  constructor(
    rule: Rule,
    private readonly host: RuleRowHost,
  ) {
    const { signal } = host;
    this.rule = rule;
    this.element.append(h("div", { class: "rh" }, this.toggle, this.opener));
    this.toggle.addEventListener("click", () => this.flip(), { signal });
    this.opener.addEventListener("click", () => host.toggle(this.rule.key), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.waiting));
  }

  get key(): string {
    return this.rule.key;
  }

  flip(): void {
    if (this.host.live) this.host.turn(this.rule.key, !this.rule.on);
  }

  draw(rule: Rule, number: number, open: boolean): void {
    this.rule = rule;
    this.element.className = `rule s-${rule.state}`;
    this.element.dataset.key = rule.key;
    this.toggle.setAttribute("aria-checked", String(rule.on));
    this.toggle.setAttribute("aria-label", `Rule ${harmless(rule.name)}`);
    if (this.host.live) this.toggle.removeAttribute("aria-disabled");
    else this.toggle.setAttribute("aria-disabled", "true");
    this.opener.setAttribute("aria-expanded", String(open));
    this.opener.replaceChildren(...line(rule, number, this.host.several));
    if (!open) {
      this.body.remove();
      return;
    }
    if (!this.body.isConnected) this.element.append(this.body);
    this.drawBody();
  }

  private drawBody(): void {
    const { rule } = this;
    if (!this.form) {
      this.form = this.makeForm();
      this.body.append(this.form, this.marked);
    }
    const wrong = this.host.wrong();
    for (const [name, field] of this.fields) {
      // What somebody types right now is not overwritten.
      if (document.activeElement !== field && field.value !== rule[name]) field.value = rule[name];
      field.disabled = !this.host.live;
      const outcome = complaint(rule, name, wrong);
      this.errors.get(name)!.textContent = harmless(outcome);
      field.setAttribute("aria-invalid", String(outcome !== ""));
    }
    this.marked.replaceChildren(...after(rule));
  }

  private makeForm(): HTMLElement {
    const parts = (Object.keys(FIELDS) as Field[]).map((name) => {
      const shared = { class: `mono f-${name}`, "aria-label": FIELDS[name], spellcheck: "false", autocomplete: "off" };
      const field = name === "replacement" ? h("textarea", { ...shared, rows: 1 }) : h("input", shared);
      const error = h("span", { class: "wrong", role: "alert" });
      this.fields.set(name, field);
      this.errors.set(name, error);
      this.listen(name, field);
      return h("div", { class: `fl fl-${name}` }, h("span", { class: "ink2" }, FIELDS[name]), field, error);
    });
    const { holder, layer } = this.rule;
    const whose =
      layer !== "global" &&
      h("p", { class: "muted whose" }, `It belongs to the ${layer} ${harmless(holder)}: a change here is made in it.`);
    return h("div", { class: "fm" }, parts, whose);
  }

  private listen(name: Field, field: HTMLInputElement | HTMLTextAreaElement): void {
    const { signal } = this.host;
    const send = () => {
      clearTimeout(this.waiting);
      this.waiting = 0;
      if (field.value !== this.rule[name] || this.host.wrong().rule === this.rule.key)
        this.host.edit(this.rule.key, name, field.value, this.turns);
    };
    field.addEventListener(
      "focus",
      () => {
        this.turns = Date.now();
      },
      { signal },
    );
    field.addEventListener(
      "input",
      () => {
        if (!this.host.whileTyping) return;
        clearTimeout(this.waiting);
        this.waiting = setTimeout(send, LIVE);
      },
      { signal },
    );
    field.addEventListener("change", send, { signal });
    field.addEventListener(
      "keydown",
      (event) => {
        const pressed = event as KeyboardEvent;
        if (pressed.key === "Escape") {
          taken(pressed);
          field.value = this.rule[name];
          send();
          this.opener.focus();
        } else if (pressed.key === "Enter" && !pressed.shiftKey) {
          taken(pressed);
          send();
        }
      },
      { signal },
    );
  }
}

function line(rule: Rule, number: number, several: boolean): HTMLElement[] {
  const from = rule.layer === "global" ? rule.preset : `${rule.layer} ${rule.holder || rule.preset}`;
  return [
    h("span", { class: "no num" }, number),
    h(
      "span",
      { class: "nm" },
      h("span", { class: "strong" }, harmless(rule.name)),
      (several || rule.layer !== "global") && from !== rule.name && h("span", { class: "sub" }, harmless(from)),
    ),
    h(
      "span",
      { class: "pt mono" },
      h("span", { class: "cut2" }, h("span", { class: "pat" }, harmless(rule.pattern) || "–"), flags(rule)),
      h(
        "span",
        { class: "cut2 rp" },
        h("span", { class: "muted", "aria-label": "becomes" }, "→ "),
        rule.replacement ? shownReplacement(harmless(rule.replacement)) : h("span", { class: "muted" }, "nothing"),
      ),
    ),
    h("span", { class: "at ink2" }, harmless(rule.where)),
    h("span", { class: "st" }, glyph(SIGNS[rule.state]), h("span", {}, harmless(rule.outcome))),
  ];
}

const flags = (rule: Rule) => rule.flags && h("span", { class: "tag fg" }, harmless(rule.flags));

function after(rule: Rule): HTMLElement[] {
  const remarks = rule.remarks.map((remark) => h("p", { class: "muted" }, harmless(remark)));
  if (!rule.pieces) return [h("p", { class: "ink2" }, stays(rule)), ...remarks];
  // It may scroll: the arrow keys need somewhere to be.
  const text = h("div", {
    class: "words",
    tabindex: 0,
    role: "group",
    "aria-label": `Text after ${harmless(rule.name)}`,
  });
  text.append(...rule.pieces.map(piece));
  return [text, ...remarks];
}

function stays({ state, outcome }: Rule): string {
  const because = {
    off: "the rule is off",
    failed: "the rule failed",
    idle: outcome.startsWith("it ") ? outcome : `the rule is ${outcome}`,
    none: "nothing in it matches",
  };
  return `The text stays as it was: ${harmless(because[state as keyof typeof because] ?? outcome)}.`;
}

function piece([sign, text]: Piece): Node {
  if (sign === "-") return h("del", {}, withBreaks(harmless(text)));
  if (sign === "+") return h("ins", {}, withBreaks(harmless(text)));
  if (sign === "~") return h("span", { class: "tag out" }, harmless(text));
  return document.createTextNode(harmless(text));
}
