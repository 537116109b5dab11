// The step debugger. With a kernel behind it, what is asked becomes a message; alone, it scrubs through a finished run.

import { rows } from "../_shared/changes";
import { glyph, h } from "../_shared/dom";
import { roving } from "../_shared/keyboard";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { boxes, type View } from "../_shared/view";
import { Messages } from "./messages";
import { Side } from "./side";
import { type Ask, currentBox, type Door, type State } from "./state";
import { StepRow, sentence } from "./steps";
import own from "./widget.css";

function begin(at: Mounted): void {
  if (at.model.get("view")) new Shown(at);
  else at.root.append(h("p", { class: "empty" }, EMPTY));
}

const EMPTY = "Nothing to show: pass a trace or a debugger, StepDebugger(ctxlab.build(session)).";

class Shown implements Door {
  private readonly state: State;
  private readonly row: StepRow;
  private readonly messages: Messages;
  private readonly side: Side;
  private readonly said = h("span", { class: "ink2 said", "aria-live": "polite" });
  private readonly slider = h("input", { type: "range", min: 0, step: 1, class: "scrub", "aria-label": "Steps done" });
  private readonly target = h("select", { "aria-label": "Run to step" });
  private readonly buttons = new Map<string, HTMLButtonElement>();

  private readonly model: Model;
  readonly signal: AbortSignal;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.state = {
      view: JSON.parse(String(model.get("view"))) as View,
      boxes: [],
      position: 0,
      shown: 0,
      breakpoints: new Set(),
      rerun: new Set(),
      failed: null,
      live: model.get("live") === true,
      scope: "step",
      colour: "source",
      rows: [],
      open: new Map(),
      whole: new Set(),
    };
    this.row = new StepRow(this.state, this);
    this.messages = new Messages(this.state, this);
    this.side = new Side(this.state, this);
    const body = h("div", { class: "two" }, this.messages.element, this.side.element);
    root.append(h("div", { class: "w" }, this.head(), this.row.element, body));
    this.listen(root);
    this.read();
    this.state.shown = Math.max(0, currentBox(this.state));
    this.draw();
  }

  // --- what parts ask for

  ask(what: Ask): void {
    if (this.state.live) {
      this.model.send(what);
      return;
    }
    const { position, view } = this.state;
    const last = view.steps.length;
    if (what.command === "step") this.goTo(position + 1);
    else if (what.command === "back") this.goTo(position - 1);
    else if (what.command === "run") this.goTo(last);
    else if (what.command === "run_to") this.goTo(what.position);
  }

  show(box: number): void {
    this.state.shown = box;
    this.row.mark();
    this.side.draw();
    this.target.value = String(box);
  }

  change(values: Partial<Pick<State, "scope" | "colour">>): void {
    Object.assign(this.state, values);
    this.state.rows = rows(this.state.view, this.state.position, this.state.scope);
    this.messages.draw();
  }

  redrawMessages(focus?: string): void {
    this.messages.draw(focus);
  }

  // --- where it stands

  private goTo(position: number): void {
    const to = Math.min(Math.max(position, 0), this.state.view.steps.length);
    if (to === this.state.position) return;
    this.model.set("position", to);
    this.model.save_changes();
    this.moved(to);
  }

  private moved(to: number): void {
    this.state.position = to;
    this.state.shown = Math.max(0, currentBox(this.state));
    this.draw();
  }

  /** Takes over what the model holds; says whether it is another place than before. */
  private read(): boolean {
    const { state, model } = this;
    const before = state.position;
    state.boxes = boxes(state.view);
    state.position = Math.min(Number(model.get("position") ?? 0), state.view.steps.length);
    state.breakpoints = new Set((model.get("breakpoints") as string[] | undefined) ?? []);
    state.rerun = new Set((model.get("rerun") as string[] | undefined) ?? []);
    const failed = model.get("failed") as { id?: string; error?: string } | undefined;
    state.failed = failed?.id ? { id: failed.id, error: failed.error ?? "" } : null;
    return state.position !== before;
  }

  private listen(root: HTMLElement): void {
    const { model, signal } = this;
    const heard = ["view", "position", "breakpoints", "rerun", "failed", "said"];
    whenChanged(this.at, heard, (changed) => {
      const another = changed.has("view");
      if (another) this.state.view = JSON.parse(String(model.get("view"))) as View;
      const elsewhere = this.read();
      if (elsewhere || another) this.state.open.clear();
      if (elsewhere) this.moved(this.state.position);
      else this.draw();
    });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Single keys, while the focus is inside and not in a field. */
  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, select, textarea")) return;
    const at = this.row.focused();
    const does: Record<string, () => void> = {
      n: () => this.ask({ command: "step" }),
      N: () => this.ask({ command: "back" }),
      r: () => this.ask({ command: "run" }),
      t: () => this.row.runTo(at),
    };
    if (this.state.live) {
      does.b = () => this.row.toggleBreakpoint(at);
      does.o = () => this.row.toggleOn(at);
    }
    const key = event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase();
    if (!does[key]) return;
    event.preventDefault();
    event.stopPropagation();
    does[key]();
  }

  // --- drawing

  private draw(): void {
    const { state } = this;
    state.rows = rows(state.view, state.position, state.scope);
    this.row.draw();
    this.messages.draw();
    this.side.draw();
    const wrong = String(this.model.get("said") ?? "");
    this.said.replaceChildren(...(wrong ? [wrong] : sentence(state)));
    this.said.classList.toggle("wrong", Boolean(wrong || state.failed));
    const last = state.live ? state.boxes.filter((box) => box.state !== "off").length : state.view.steps.length;
    this.slider.max = String(last);
    this.slider.value = String(state.position);
    this.slider.setAttribute("aria-valuetext", this.said.textContent ?? "");
    this.enable("back", state.position > 0);
    this.enable("step", state.position < last);
    this.enable("run", state.position < last);
    const options = state.boxes.map((box, i) => h("option", { value: i, disabled: box.state === "off" }, box.id));
    this.target.replaceChildren(...options);
    this.target.value = String(state.shown);
  }

  private enable(name: string, on: boolean): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
  }

  private head(): HTMLElement {
    const { state, signal } = this;
    const make = (name: "back" | "step" | "run", label: string, title: string) => {
      const button = h("button", { type: "button", class: "btn", title }, glyph(name), label);
      button.addEventListener(
        "click",
        () => button.getAttribute("aria-disabled") !== "true" && this.ask({ command: name }),
        { signal },
      );
      this.buttons.set(name, button);
      return button;
    };
    const all = [make("back", "Back", "Shift+N"), make("step", state.live ? "Step" : "Next", "N")];
    if (state.live) all.push(make("run", "Run", "R"));
    const tools = h("div", { class: "group", role: "toolbar", "aria-label": "Run" }, all);
    for (const [i, each] of all.entries()) each.tabIndex = i === 1 ? 0 : -1;
    roving(tools, () => all, { signal });
    this.slider.addEventListener("input", () => this.goTo(Number(this.slider.value)), { signal });
    const sp = h("span", { class: "sp" });
    return h(
      "div",
      { class: "head" },
      h("h2", {}, "Steps"),
      tools,
      state.live ? this.runTo() : this.slider,
      sp,
      this.said,
    );
  }

  private runTo(): HTMLElement {
    const go = h("button", { type: "button", class: "btn", title: "T" }, glyph("to"), "Run to");
    go.addEventListener("click", () => this.row.runTo(Number(this.target.value)), { signal: this.signal });
    return h("div", { class: "group" }, go, this.target);
  }
}

export default widget("Step debugger", own, begin);
