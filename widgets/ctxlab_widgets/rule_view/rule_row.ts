// One rule: its line, and below it the text after it and the fields to change it in.

import { glyph, h, harmless } from "../_shared/dom";
import { commits } from "../_shared/number_field";
import { markedText } from "./marked_text";
import { complaint, type Rule, shownReplacement, type Wrong } from "./rules";

const SIGNS = { matched: "done", none: "todo", off: "off", failed: "failed", idle: "skipped" };
const FIELDS = {
  pattern: "Pattern",
  replacement: "Replacement",
  flags: "Flags",
  name: "Name",
  min_depth: "Depth from",
  max_depth: "to",
} as const;
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
  /** A button that opens the message in the steps; null where there is no such view. */
  toSteps(): HTMLElement | null;
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
      const refused = wrong.rule === rule.key && wrong.field === name;
      if (document.activeElement !== field && !refused) field.value = shownValue(rule, name);
      field.disabled = !this.host.live;
      const outcome = complaint(rule, name, wrong);
      this.errors.get(name)!.textContent = harmless(outcome);
      field.setAttribute("aria-invalid", String(outcome !== ""));
    }
    this.marked.replaceChildren(...after(rule, this.host));
  }

  private makeForm(): HTMLElement {
    const parts = (Object.keys(FIELDS) as Field[]).map((name) => {
      const label = name === "max_depth" ? "Depth to" : FIELDS[name];
      const shared = { class: `mono f-${name}`, "aria-label": label, spellcheck: "false", autocomplete: "off" };
      const more = name.endsWith("depth") ? { inputmode: "numeric", placeholder: "any" } : {};
      const field = name === "replacement" ? h("textarea", { ...shared, rows: 1 }) : h("input", { ...shared, ...more });
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
    const send = (value: string) => {
      clearTimeout(this.waiting);
      this.waiting = 0;
      this.host.edit(this.rule.key, name, value, this.turns);
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
        this.waiting = setTimeout(() => send(field.value), LIVE);
      },
      { signal },
    );
    commits(field, { commit: send, value: () => shownValue(this.rule, name), signal });
    field.addEventListener(
      "keydown",
      (event) => {
        const { key } = event as KeyboardEvent;
        // What was refused is forgotten with the value.
        if (key === "Escape" && this.host.wrong().rule === this.rule.key) send(shownValue(this.rule, name));
      },
      { signal },
    );
  }
}

const shownValue = (rule: Rule, name: Field): string => rule[name === "name" ? "own_name" : name];

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

function after(rule: Rule, host: RuleRowHost): Node[] {
  const remarks = rule.remarks.map((remark) => h("p", { class: "muted" }, harmless(remark)));
  if (!rule.pieces) return [h("p", { class: "ink2" }, stays(rule)), ...remarks];
  const open = host.toSteps();
  return [markedText(rule.pieces, `Text after ${rule.name}`), ...(open ? [open] : []), ...remarks];
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
