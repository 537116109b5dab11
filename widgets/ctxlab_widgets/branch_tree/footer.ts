// The footer: what was done, what went wrong, and what two picked branches share.

import { type Child, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Report, SharedHistory } from "./host";
import { nameOf, type Tree } from "./tree_data";

export interface FooterContent {
  tree: Tree;
  live: boolean;
  isOutline: boolean;
  wrong: string;
  cut: string | null;
  report: Report | null;
  /** What the reported change did to the run. */
  effect: string;
  mayUndo: boolean;
  isPicking: boolean;
  picked: string[];
  likeness: SharedHistory | null;
  mayCompare: boolean;
}

export interface FooterActions {
  readonly signal: AbortSignal;
  undo(): void;
  unpick(): void;
  openCompare(ids: [string, string]): void;
}

export class Footer {
  private readonly told = h("div", { class: "told", role: "status" });
  private readonly acts = h("div", { class: "footacts" });
  readonly element: HTMLElement;
  private shown = "";

  constructor(
    private readonly can: FooterActions,
    right: HTMLElement,
  ) {
    this.element = h("div", { class: "foot" }, this.told, this.acts, h("span", { class: "sp" }), right);
  }

  draw(content: FooterContent): void {
    const parts = contentParts(content);
    const acts = this.actsOf(content);
    const shown = [...parts, ...acts].map((part) => part.textContent).join("\n");
    if (shown === this.shown) return;
    this.shown = shown;
    this.told.replaceChildren(...parts);
    this.acts.replaceChildren(...acts);
  }

  private actsOf({ wrong, cut, report, mayUndo, picked, likeness, mayCompare }: FooterContent): HTMLElement[] {
    if (wrong || cut !== null) return [];
    if (report) return mayUndo ? [this.button("Undo", () => this.can.undo())] : [];
    if (!picked.length) return [];
    const clear = this.button("Clear", () => this.can.unpick());
    if (!likeness || picked.length < 2 || !mayCompare) return [clear];
    return [this.button("Open in Compare", () => this.can.openCompare(likeness.ids)), clear];
  }

  private button(label: string, does: () => void): HTMLButtonElement {
    const button = h("button", { type: "button", class: "btn small" }, label);
    button.addEventListener("click", does, { signal: this.can.signal });
    return button;
  }
}

const said = (...words: Child[]): HTMLElement => h("span", {}, words);

function contentParts(content: FooterContent): HTMLElement[] {
  const { tree, wrong, cut, report, effect, isPicking, picked, likeness } = content;
  const name = (key: string) => h("b", {}, nameOf(tree, key));
  if (wrong) return [h("span", { class: "status wrong" }, harmless(wrong))];
  if (cut !== null)
    return [said(name(cut), " is cut: V hangs it with all below it on the focus, Alt+V alone, Escape leaves it")];
  if (report) {
    const told = said(h("b", {}, harmless(report.text)));
    return effect ? [told, h("span", { class: "muted" }, harmless(effect))] : [told];
  }
  if (likeness && picked.length === 2) return compared(tree, likeness);
  if (picked.length === 1) {
    const other = isPicking ? "pick another one" : "Shift+click or Space on another";
    return [said(name(picked[0]), ` is picked: ${other} compares the two`)];
  }
  if (isPicking) return [said("Pick two messages to compare their branches")];
  return [h("span", { class: "muted hint" }, content.live ? hint(content.isOutline) : "")];
}

function compared(tree: Tree, { ids, fork, shared, shared_tokens, own, own_tokens }: SharedHistory): HTMLElement[] {
  const [a, b] = ids.map((key) => nameOf(tree, key));
  const up =
    shared && fork !== null ? [`, ${many(shared_tokens, "token")}, up to `, h("b", {}, nameOf(tree, fork))] : "";
  const ownPart = (i: 0 | 1, label: string) =>
    h("span", { title: `${many(own[i], "message")} of its own` }, `${label} +${grouped(own_tokens[i])}`);
  return [
    said(h("b", {}, `${a} and ${b}`), ` share ${shared ? many(shared, "message") : "no message"}`, up),
    ownPart(0, a),
    ownPart(1, b),
  ];
}

const hint = (isOutline: boolean): string =>
  matchMedia("(pointer: coarse)").matches
    ? "A double tap switches to the branch, a long press lifts a message"
    : `A double click switches to the branch, ${isOutline ? "X and V graft" : "a drag grafts"}, Shift+click picks two to compare`;
