// One message to read, whole and unchanged, beside the tree or below it.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { many } from "../_shared/numbers";
import { standsFor } from "../_shared/stands_for";
import type { MessagePreview } from "./host";
import { isActive, isFolded, isOpened, nameOf, type Tree } from "./tree_data";

export interface PreviewActions {
  readonly signal: AbortSignal;
  readonly live: boolean;
  readonly tree: Tree;
  switchTo(sign: number): void;
  unfoldAt(sign: number): void;
  edit(): void;
  closePreview(): void;
}

export class Preview {
  readonly element = h("section", { class: "panel preview", "aria-label": "The message", hidden: true });
  /** Whose text is shown; empty when closed. */
  key = "";
  private shown = "";
  private readonly name = h("h3", {});
  private readonly facts = h("p", { class: "muted facts" });
  private readonly stands = h("div");
  private readonly open = new Set<string>();
  private readonly text = h("div", { class: "text", tabindex: 0, role: "group" });
  private readonly actions = h("div", { class: "acts" });

  constructor(private readonly can: PreviewActions) {
    const close = can.live && this.button("Close", "Escape", () => can.closePreview());
    this.element.append(
      h("div", { class: "ph" }, this.name, h("span", { class: "sp" }), close),
      this.facts,
      this.stands,
      this.text,
      this.actions,
    );
    const leave = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !can.live) return;
      taken(event);
      can.closePreview();
    };
    this.element.addEventListener("keydown", leave, { signal: can.signal });
  }

  /** Shows a message, or nothing while it is edited or none is open. */
  take(message: MessagePreview | null, isEdited: boolean): void {
    const sign = message ? this.can.tree.signOf.get(message.key) : undefined;
    this.element.hidden = sign === undefined || isEdited;
    this.key = message && sign !== undefined ? message.key : "";
    if (!message || sign === undefined) return;
    const isOther = this.key !== this.shown;
    this.shown = this.key;
    const { role, name } = message;
    const sort = role === "summary" ? "src-summary" : `role-${role}`;
    const sign12 = h("span", { class: sort }, glyph(role));
    this.name.replaceChildren(
      sign12,
      h("b", {}, harmless(name || role)),
      name ? h("span", { class: "muted" }, role) : "",
    );
    this.name.title = harmless(message.key);
    this.facts.replaceChildren(factsOf(message));
    if (isOther || !message.stands_for || !this.stands.textContent)
      this.stands.replaceChildren(standsFor(message.stands_for, this.key, this.open) ?? "");
    const words = harmless(message.text);
    if (this.text.textContent !== words) this.text.replaceChildren(words);
    this.text.setAttribute("aria-label", `Text of ${nameOf(this.can.tree, message.key)}`);
    this.text.hidden = !message.text;
    if (isOther) this.text.scrollTop = 0;
    if (this.can.live) this.offer(sign);
  }

  private offer(sign: number): void {
    const { tree } = this.can;
    const here = this.button("Continue here", "Enter, or a double click in the tree", () => this.can.switchTo(sign));
    const isHere = isActive(tree, sign);
    here.setAttribute("aria-disabled", String(isHere));
    if (isHere) here.title = "The active branch goes through here";
    const folds = isFolded(tree, sign) ? `Unfold ${many(tree.count[sign], "message")}` : isOpened(tree, sign) && "Fold";
    const all = [
      here,
      this.button("Edit", "E", () => this.can.edit()),
      folds && this.button(folds, "F", () => this.can.unfoldAt(sign)),
    ].filter((each) => each instanceof HTMLElement);
    const at = [...this.actions.children].indexOf(document.activeElement as Element);
    this.actions.replaceChildren(...all);
    if (at >= 0) all[Math.min(at, all.length - 1)].focus();
  }

  private button(label: string, title: string, does: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn", title }, label);
    const click = () => button.getAttribute("aria-disabled") !== "true" && does();
    button.addEventListener("click", click, { signal: this.can.signal });
    return button;
  }
}

/** "81 tokens, 13 messages deep, 2026-01-12 18:06; calls look_up". */
export function factsOf({ tokens, depth, date, calls, files, text }: MessagePreview): string {
  const when = /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(date) ? date.slice(0, 16).replace("T", " ") : harmless(date);
  const parts = [
    text ? `${many(tokens, "token")}${files.length ? " without its files" : ""}` : "no words",
    depth ? `${many(depth, "message")} deep` : "the root",
    when,
  ];
  const more = [
    calls.length > 0 && `calls ${harmless(calls.join(", "))}`,
    files.length > 0 && `with ${harmless(files.join("; "))}`,
  ];
  return [parts.filter(Boolean).join(", "), ...more.filter(Boolean)].join("; ");
}
