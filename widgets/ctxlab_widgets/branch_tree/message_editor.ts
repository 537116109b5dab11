// The data of one message as JSON, to be changed, and the small things that can be done to it.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { many } from "../_shared/numbers";
import type { Command, TreeHost } from "./host";
import { isSummary, nameOf } from "./tree_data";

export class MessageEditor {
  readonly element = h("section", { class: "panel", "aria-label": "Message", hidden: true });
  /** Whose data is shown; empty when closed. */
  key = "";
  private base = "";
  /** What was typed and not yet taken, by message: it outlives refusals and closing. */
  private readonly drafts = new Map<string, string>();
  private sent: string | null = null;
  private readonly name = h("h3", {});
  private readonly text = h("textarea", { spellcheck: "false", autocomplete: "off", rows: 8 });
  private readonly wrong = h("p", { class: "wrong", role: "alert" });
  private readonly apply: HTMLButtonElement;
  private readonly revert: HTMLButtonElement;
  private readonly actions = h("div", { class: "acts", role: "group", "aria-label": "What to do with it" });

  constructor(private readonly host: TreeHost) {
    const close = this.button("Close", "Escape", () => this.close());
    this.apply = this.button("Apply", "Ctrl+Enter", () => this.send());
    this.revert = this.button("Revert", "", () => this.restore());
    this.element.append(
      h("div", { class: "ph" }, this.name, h("span", { class: "sp" }), close),
      this.text,
      this.wrong,
      h("div", { class: "acts" }, this.apply, this.revert),
      this.actions,
    );
    const { signal } = host;
    this.text.addEventListener("input", () => this.typed(), { signal });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Shows the data that Python opened; says whether it has just been opened. */
  take(key: string, data: string, taken: boolean, error: string): boolean {
    if (taken && this.sent !== null) this.drafts.delete(this.sent);
    const isOther = key !== this.key && key !== "";
    const refused = this.sent !== null && this.sent === key && error !== "";
    if (taken || error || isOther) this.sent = null;
    this.base = data;
    this.key = key;
    this.element.hidden = key === "";
    if (!key) return false;
    const shown = this.drafts.get(key) ?? data;
    if (this.text.value !== shown) this.text.value = shown;
    if (isOther) this.begin();
    this.wrong.replaceChildren(refused ? harmless(error) : "");
    if (refused) this.point(error);
    this.text.setAttribute("aria-label", `Data of ${nameOf(this.host.tree, key)} as JSON`);
    this.mark();
    this.about();
    return isOther;
  }

  focus(): void {
    this.text.focus();
  }

  /** A long message opens where it begins. */
  private begin(): void {
    this.text.setSelectionRange(0, 0);
    this.text.scrollTop = 0;
  }

  private typed(): void {
    if (this.text.value === this.base) this.drafts.delete(this.key);
    else this.drafts.set(this.key, this.text.value);
    this.mark();
  }

  private mark(): void {
    const changed = this.drafts.has(this.key);
    this.text.classList.toggle("changed", changed);
    for (const each of [this.apply, this.revert]) each.setAttribute("aria-disabled", String(!changed));
  }

  private send(): void {
    if (!this.drafts.has(this.key)) return;
    this.sent = this.key;
    this.host.send({ command: "edit", node: this.key, text: this.text.value });
  }

  private restore(): void {
    this.drafts.delete(this.key);
    this.text.value = this.base;
    this.wrong.replaceChildren();
    this.mark();
  }

  private close(): void {
    this.host.send({ command: "close_message" });
    this.host.focus();
  }

  /** Where the sentence names a line and a column, the caret goes there. */
  private point(error: string): void {
    const [, line, column] = /line (\d+), column (\d+)/.exec(error) ?? [];
    if (!line) return;
    const before = this.text.value.split("\n").slice(0, Number(line) - 1);
    const at = before.reduce((sum, each) => sum + each.length + 1, 0) + Number(column) - 1;
    this.text.focus();
    this.text.setSelectionRange(at, at);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.send();
    else return;
    taken(event);
  }

  /** Who it is, and what fits it. */
  private about(): void {
    const { tree } = this.host;
    const i = tree.signOf.get(this.key);
    if (i === undefined) return;
    const data = JSON.parse(this.base) as { role?: string; name?: string; isEnabled?: boolean }; // of a chain every message has its own
    const role = data.role ?? "user";
    const summary = isSummary(tree, i);
    const sign = h("span", { class: summary ? "src-summary" : `role-${role}` }, glyph(summary ? "summary" : role));
    const name = typeof data.name === "string" ? data.name : "";
    this.name.replaceChildren(
      sign,
      h("b", {}, harmless(name || role)),
      name ? h("span", { class: "muted" }, harmless(role)) : "",
    );
    this.name.title = harmless(this.key);
    const off = data.isEnabled === false;
    const turn = off ? "enable" : "disable";
    const below = this.below(i);
    const does: [string, string, Command][] = [
      [off ? "Switch on" : "Switch off", "This message alone", { command: turn, node: this.key, below: false }],
    ];
    if (below > 1)
      does.push([
        off ? "On, all below" : "Off, all below",
        many(below, "message"),
        { command: turn, node: this.key, below: true },
      ]);
    if (role === "user" || role === "assistant")
      does.push(["Copy beside", "A new branch that begins with a copy", { command: "branch", node: this.key }]);
    does.push(["End here", "Look at the branch that ends with this message", { command: "end_at", node: this.key }]);
    if (tree.parent[i] >= 0) {
      const gone = summary ? 1 : below;
      does.push([
        gone > 1 ? `Delete ${many(gone, "message")}` : "Delete",
        "Undo brings it back",
        { command: "delete", node: this.key },
      ]);
    }
    const at = [...this.actions.children].indexOf(document.activeElement as Element);
    this.actions.replaceChildren(
      ...does.map(([label, title, ask]) => this.button(label, title, () => this.host.send(ask))),
    );
    if (at >= 0) (this.actions.children[Math.min(at, does.length - 1)] as HTMLElement).focus();
  }

  /** Messages at and below this one. */
  private below(i: number): number {
    const { tree } = this.host;
    return tree.below[i] - tree.keys.slice(tree.first[i], tree.first[i] + tree.count[i]).indexOf(this.key);
  }

  private button(label: string, title: string, does: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn", title: title || null }, label);
    const { signal } = this.host;
    button.addEventListener("click", () => button.getAttribute("aria-disabled") !== "true" && does(), { signal });
    return button;
  }
}
