// Beside the messages: what one answer got, where one is, and the next request as one types.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { fillOf, sourceBar } from "./budget_bar";
import { type OutlineNode, outlineRows, outlineWires, ROW, ROW_OF_FINGERS, x, y } from "./outline";
import type { Around, Command, Draft, Got } from "./payload";

const VIEWS = ["steps", "budget", "lore", "request"] as const;
const MOST_KEPT = 3;
const MOST_NOTES = 5;
const STATES: Partial<Record<OutlineNode["state"], string>> = {
  generating: "being written",
  stopped: "stopped",
  failed: "did not answer",
  disabled: "off",
};

export interface SideHost {
  send(command: Command): void;
  /** Brings a message of the path into sight. */
  reveal(key: string): void;
  live: boolean;
  signal: AbortSignal;
}

export class Side {
  readonly element: HTMLElement;
  private readonly gotPart = h("section", { "aria-label": "What an answer got", hidden: true });
  private readonly aroundPart = h("section", { class: "grow", "aria-label": "Where you are" });
  private readonly nextPart = h("section", { class: "next", "aria-label": "Next request" });
  private readonly tree = h("div", {
    class: "mini",
    role: "tree",
    "aria-label": "The last messages and their siblings",
  });
  private readonly figures = h("div");
  private readonly warnings = h("div", { class: "warns", "aria-live": "polite" });
  private items: HTMLElement[] = [];

  constructor(private readonly host: SideHost) {
    const { live } = host;
    roving(this.tree, () => this.items, { signal: host.signal, vertical: true });
    const open = live && press("Open the tree", "btn q", () => host.send({ command: "open", view: "tree", key: "" }));
    this.aroundPart.append(h("h3", {}, "Where you are", h("span", { class: "sp" }), open || null), this.tree);
    const typing = h("span", { class: "muted plain" }, live ? "as you type" : "as it was");
    this.nextPart.append(h("h3", {}, "Next request", typing), this.figures, this.warnings);
    this.element = h(
      "aside",
      { class: "side", "aria-label": "Requests" },
      this.gotPart,
      this.aroundPart,
      this.nextPart,
    );
  }

  got(got: Got | null): void {
    this.gotPart.hidden = !got;
    if (!got) return;
    const host = this.host;
    const { key } = got;
    const close = host.live && press("Close", "btn q", () => host.send({ command: "got", key: "" }));
    const name = `What ${harmless(key)} got`;
    this.gotPart.setAttribute("aria-label", name);
    this.gotPart.replaceChildren(
      h("h3", { title: harmless(got.who) }, name, h("span", { class: "sp" }), close || ""),
      h("p", { class: "ink2 from" }, harmless(got.sentence)),
      h("div", { class: "bx" }, sourceBar(got)),
      keyed(got.totals, sentWords(got), got.tokens),
      h("p", { class: "gap" }, harmless(got.cut)),
      ...got.notes.slice(0, MOST_NOTES).map(warning),
    );
    if (!host.live) return;
    const open = (view: (typeof VIEWS)[number]) =>
      press(view[0].toUpperCase() + view.slice(1), "btn", () => host.send({ command: "open", view, key }));
    this.gotPart.append(h("div", { class: "ways" }, VIEWS.map(open)));
  }

  around({ nodes }: Around): void {
    const had = this.items.indexOf(this.element.ownerDocument.activeElement as HTMLElement);
    const rows = outlineRows(nodes);
    const height = window.matchMedia("(pointer: coarse)").matches ? ROW_OF_FINGERS : ROW;
    const wires = outlineWires(rows, height);
    this.aroundPart.hidden = !rows.length;
    const leaf = rows.findLast(({ node }) => node.isActive)?.node.key;
    this.items = rows.map(({ node, depth, parent }, i) => {
      const item = this.item(node, node.key === leaf);
      item.setAttribute("aria-level", String(depth + 1));
      item.dataset.parent = String(parent);
      item.style.top = `${y(i, height) - height / 2}px`;
      item.style.left = `${x(depth) - 8}px`;
      return item;
    });
    const at = rows.findIndex(({ node }) => node.key === leaf);
    if (this.items.length) onlyStop(this.items, Math.max(0, had >= 0 && had < rows.length ? had : at));
    this.tree.style.height = `${rows.length * height}px`;
    this.tree.replaceChildren(drawn(wires, rows.length * height), ...this.items);
    if (had >= 0) this.items[Math.min(had, this.items.length - 1)]?.focus({ preventScroll: true });
  }

  next(draft: Draft | null): void {
    this.nextPart.hidden = !draft || (!draft.totals.length && !draft.error);
    if (!draft) return;
    const last = draft.free === null ? "sent" : leftWords(draft.free);
    this.figures.replaceChildren(...(draft.totals.length ? [keyed(draft.totals, last, draft.tokens)] : []));
    const said = draft.marks.map(({ note }) => note).filter(Boolean);
    const notes = draft.notes.filter((note) => !said.some((each) => note.endsWith(each)));
    const sentences = [draft.error, ...draft.cache, ...notes].filter(Boolean);
    const words = [...new Set(sentences)].slice(0, MOST_NOTES).map(warning);
    this.warnings.replaceChildren(...words, ...this.ways(draft));
  }

  /** The figures are of a text that was typed on since. */
  old(isOld: boolean): void {
    this.nextPart.classList.toggle("old", isOld);
  }

  private ways({ cut, free }: Draft): HTMLElement[] {
    const { host } = this;
    if (!host.live) return [];
    const kept = cut.flatMap(({ key, keep, cause }) => {
      if (!keep) return [];
      const label = harmless(keep.label.replace(/^Keep it\b/, `Keep ${key}`));
      return [press(label, "btn", () => host.send({ command: "keep", key }), cause)];
    });
    const isFull = cut.length > 0 || (free !== null && free < 0);
    const compress = isFull
      ? [press("Compress\u2026", "btn", () => host.send({ command: "open", view: "compression", key: "" }))]
      : [];
    const all = [...kept.slice(0, MOST_KEPT), ...compress];
    return all.length ? [h("div", { class: "ways" }, all)] : [];
  }

  private item(node: OutlineNode, isLeaf: boolean): HTMLElement {
    const { host } = this;
    const { key, isActive, state } = node;
    const can = host.live || isActive;
    const words = [harmless(node.label), node.note ?? STATES[state]].filter(Boolean).join(", ");
    const sign = glyph(state === "failed" ? "failed" : node.role);
    const item = h(
      "button",
      {
        type: "button",
        role: "treeitem",
        class: `r-${node.role} ${state}${isActive ? " active" : ""}${isLeaf ? " leaf" : ""}`,
        "aria-selected": String(isLeaf),
        "aria-disabled": can ? null : "true",
        title: isActive ? `${key}: shows it` : `${key}: goes on from here`,
        tabindex: -1,
      },
      h("span", { class: "sign" }, sign),
      h("span", { class: "words" }, words),
    );
    const act = () => (isActive ? host.reveal(key) : host.send({ command: "switch", key }));
    if (can) item.addEventListener("click", act);
    return item;
  }
}

const leftWords = (free: number): string => `${grouped(Math.abs(free))} ${free < 0 ? "too many" : "free"}`;

const sentWords = ({ budget, tokens }: Got): string =>
  typeof budget === "number" ? `sent, ${leftWords(budget - tokens)}` : "sent";

function keyed(totals: Draft["totals"], last: string, tokens: number): HTMLElement {
  const rows = totals
    .filter(([, , each]) => each > 0)
    .map(([source, label, each]) => [
      h("dt", {}, h("i", { class: `sw ${fillOf(source)}` }), h("span", {}, harmless(label))),
      h("dd", {}, grouped(each)),
    ]);
  return h("dl", { class: "kv" }, rows, h("dt", { class: "tot" }, last), h("dd", { class: "tot" }, grouped(tokens)));
}

const warning = (sentence: string): HTMLElement =>
  h("div", { class: "warnline" }, glyph("warning"), h("p", {}, harmless(sentence)));

function press(label: string, look: string, does: () => void, title?: string): HTMLButtonElement {
  const button = h("button", { type: "button", class: look, title: title && harmless(title) }, label);
  button.addEventListener("click", does);
  return button;
}

const SVG = "http://www.w3.org/2000/svg";

function drawn(wires: { others: string; active: string }, height: number): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "wires");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("height", String(height));
  for (const [name, d] of Object.entries(wires)) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("class", name);
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
