// The head of a page: the answer in one sentence, every run as a chip, one undo for all views.

import { h, harmless } from "../_shared/dom";
import { download } from "../_shared/download";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { ViewHead } from "../_shared/view_head";
import { Chips } from "./chips";
import { fileDrop } from "./file_drop";
import { codeOf, countWords, type HeadHost, type HeadView } from "./payload";
import { RunCard } from "./run_card";
import own from "./widget.css";

const EMPTY = "No run yet: lab(session) builds one.";
const KEYS = [
  ["Left, Right", "walk through the runs, and see what each changed"],
  ["Enter", "go back to the run in focus; a change then makes another branch of runs"],
  ["Space", "pick two runs to compare"],
  ["Ctrl+Z", "undo, whichever view made the change"],
  ["Ctrl+Shift+Z", "redo"],
  ["Escape", "close the card"],
] as const;
/** A pointer that only passes by opens no card. */
const RESTS_MS = 180;
/** On its way from a chip to the card a pointer may leave both. */
const LEAVES_MS = 300;

class RunHistory implements HeadHost {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private readonly frame = h("div", { class: "w" });
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly title = h("span", { class: "ink2 about" });
  private readonly head: ViewHead;
  private readonly undo: HTMLButtonElement;
  private readonly redo: HTMLButtonElement;
  private readonly open: HTMLElement;
  private readonly counts = h("span", { class: "muted" });
  private readonly compare: HTMLButtonElement;
  private readonly runs = h("div", { class: "hist" });
  private readonly chips: Chips;
  private readonly card: RunCard;
  private view: HeadView | null = null;
  private soon = 0;
  private leaving = 0;
  /** Whether the card was asked for, and stays until it is closed. */
  private pinned = false;

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.undo = this.button("Undo", () => this.send({ command: "undo" }));
    this.redo = this.button("Redo", () => this.send({ command: "redo" }));
    this.open = fileDrop(
      root,
      (name, data) => model.send({ command: "open_file", name }, undefined, [data]),
      (words) => this.head.answer(words, true),
      signal,
    );
    const report = this.button("Report", () => this.send({ command: "report" }), "Save the run as one HTML file");
    const group = h("div", { class: "group" }, this.undo, this.redo);
    const tools = [this.title, h("span", { class: "sp" }), this.open, group, report];
    this.head = new ViewHead("", tools, KEYS, { root, signal });
    this.compare = this.button("Compare 2", () => this.comparePicked(), "Put the two picked runs side by side");
    const copy = this.button("Copy as Python", () => this.showCode());
    for (const each of [this.compare, copy]) each.classList.add("quiet");
    this.chips = new Chips(this);
    this.card = new RunCard(() => this.closeCard());
    const bar = h("h3", {}, "Runs ", this.counts, h("span", { class: "sp" }), this.compare, copy);
    this.runs.append(bar, this.chips.element, this.card.element);
    this.frame.append(this.empty, this.head.element, this.runs);
    root.append(this.frame);
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.runs.addEventListener("pointerleave", () => this.left(), { signal });
    this.runs.addEventListener("pointerenter", () => window.clearTimeout(this.leaving), { signal });
    signal.addEventListener("abort", () => {
      window.clearTimeout(this.soon);
      window.clearTimeout(this.leaving);
    });
    whenChanged(at, ["view", "picked", "error"], () => this.draw());
    const onReport = (content: { report?: string }, buffers: DataView[]) => {
      if (content.report && buffers.length) download(content.report, buffers[0], "text/html");
    };
    model.on("msg:custom", onReport);
    signal.addEventListener("abort", () => model.off("msg:custom", onReport));
    this.draw();
  }

  // --- what its parts ask for

  send(command: Record<string, unknown>): void {
    this.model.send(command);
  }

  pick(name: string): void {
    const before = this.picked();
    const now = before.includes(name) ? before.filter((each) => each !== name) : [...before.slice(-1), name];
    save(this.model, { picked: now });
    this.draw();
  }

  /** The card of a run, when the pointer rests on it. */
  show(name: string): void {
    window.clearTimeout(this.soon);
    this.soon = window.setTimeout(() => this.openCard(name), this.card.run === null ? RESTS_MS : 0);
  }

  /** The pointer is gone: the card goes too, unless its code is wanted or the keys are in it. */
  private left(): void {
    window.clearTimeout(this.soon);
    if (this.card.run === null || this.pinned || this.runs.contains(document.activeElement)) return;
    this.leaving = window.setTimeout(() => this.closeCard(), LEAVES_MS);
  }

  private openCard(name: string): void {
    const { view } = this;
    const run = view?.runs.find((each) => each.name === name);
    if (!view || !run) return;
    this.card.draw(run, codeOf(view.runs, run), this.chips.middle(name));
    this.chips.mark(name);
  }

  private closeCard(): void {
    this.pinned = false;
    window.clearTimeout(this.soon);
    this.card.draw(null, "", 0);
    this.chips.mark(null);
  }

  private comparePicked(): void {
    this.send({ command: "compare" });
    this.showViews();
  }

  private showCode(): void {
    if (this.view) this.openCard(this.view.current);
    this.pinned = true;
    this.card.element.querySelector<HTMLElement>(".copy")?.click();
  }

  private pressed(event: KeyboardEvent): void {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && key === "z") {
      taken(event);
      this.send({ command: event.shiftKey ? "redo" : "undo" });
    } else if (event.key === "Escape" && this.card.run !== null) {
      taken(event);
      this.closeCard();
    }
  }

  // --- drawing

  private draw(): void {
    const text = String(this.model.get("view") || "");
    this.view = text ? (JSON.parse(text) as HeadView) : null;
    const { view } = this;
    this.empty.hidden = view !== null;
    this.head.element.hidden = this.runs.hidden = view === null;
    if (view === null) return;
    const wrong = String(this.model.get("error") || "");
    const name = this.head.element.querySelector("h2");
    name?.replaceChildren(harmless(view.title));
    this.title.replaceChildren(harmless(view.about));
    this.head.answer(wrong ? harmless(wrong) : this.sentence(view), Boolean(wrong));
    this.enable(this.undo, view.undo, "Undo");
    this.enable(this.redo, view.redo, "Redo");
    this.open.hidden = !view.opens;
    const picked = this.picked();
    this.compare.hidden = picked.length !== 2;
    this.counts.replaceChildren(countWords(view.runs));
    this.runs.classList.toggle("single", view.runs.length === 1);
    const shown = this.card.run;
    this.chips.draw(view, picked);
    if (shown !== null) this.openCard(view.runs.some((run) => run.name === shown) ? shown : view.current);
  }

  private sentence(view: HeadView): Node[] {
    const out: Node[] = [];
    view.summary.parts.forEach(([words, topic], i) => {
      if (i > 0) out.push(document.createTextNode(i === view.summary.decided ? "; " : ", "));
      const link = h("button", { type: "button", class: "lk strong", "data-topic": topic }, harmless(words));
      link.addEventListener("click", () => {
        this.send({ command: "open_view", view: topic, key: `topic:${topic}` });
        this.showViews();
      });
      out.push(link);
    });
    out.push(document.createTextNode("."));
    return out;
  }

  /** Brings the views into sight, where many runs have pushed them below what is seen. */
  private showViews(): void {
    const tabs = this.frame.closest(".ctxlab-page")?.querySelector(".jupyter-widget-tab, .widget-tab");
    if (tabs && tabs.getBoundingClientRect().top > innerHeight * 0.6) tabs.scrollIntoView({ block: "start" });
  }

  private picked(): string[] {
    return (this.model.get("picked") as string[] | undefined) ?? [];
  }

  private button(label: string, does: () => void, title = ""): HTMLButtonElement {
    const made = h("button", { type: "button", class: "btn", title: title || null }, label);
    made.addEventListener("click", () => made.getAttribute("aria-disabled") !== "true" && does(), {
      signal: this.signal,
    });
    return made;
  }

  private enable(button: HTMLElement, name: string | null, verb: string): void {
    button.setAttribute("aria-disabled", String(name === null));
    button.title = name === null ? `Nothing to ${verb.toLowerCase()}` : `${verb} ${harmless(name)}`;
  }
}

export default widget("Runs", own, (at) => {
  new RunHistory(at);
});
