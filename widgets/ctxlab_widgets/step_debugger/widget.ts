// The step debugger. With a kernel behind it, what is asked becomes a message; alone, it scrubs through a finished run.

import { glyph, h } from "../_shared/dom";
import { isSingle, roving, taken } from "../_shared/keyboard";
import { changeRows } from "../_shared/message_changes";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import card from "../_shared/provenance_card.css";
import type { RemedyJson } from "../_shared/remedy_button";
import { boxes, keysOf, type View } from "../_shared/trace_view";
import { applyDelta, type ViewDelta } from "../_shared/view_delta";
import { Messages } from "./message_list";
import { SidePanel } from "./side_panel";
import { type Command, currentBox, type DebuggerHost, type State } from "./state";
import { StepRow, sentence } from "./step_row";
import own from "./widget.css";

const EMPTY = "Nothing to show: pass a trace or a debugger, StepDebugger(ctxlab.build(session)).";

/** A run may come, and go again: each time the widget begins anew. */
function begin(at: Mounted): void {
  let ending: AbortController | null = null;
  let had: boolean | null = null;
  const put = () => {
    const has = Boolean(at.model.get("view"));
    if (has === had) return;
    had = has;
    ending?.abort();
    ending = new AbortController();
    at.root.querySelector(":scope > .w")?.remove();
    const frame = h("div", { class: "w" });
    at.root.append(frame);
    if (has) new StepDebugger({ ...at, root: frame, signal: ending.signal });
    else frame.append(h("p", { class: "empty" }, EMPTY));
  };
  whenChanged(at, ["view"], put);
  at.signal.addEventListener("abort", () => ending?.abort());
  put();
}

class StepDebugger implements DebuggerHost {
  private readonly state: State;
  private readonly row: StepRow;
  private readonly messages: Messages;
  private readonly side: SidePanel;
  private readonly status = h("span", { class: "ink2 status", "aria-live": "polite" });
  private readonly slider = h("input", { type: "range", min: 0, step: 1, class: "scrub", "aria-label": "Steps done" });
  private readonly target = h("select", { "aria-label": "Run to step" });
  private readonly buttons = new Map<string, HTMLButtonElement>();

  /** Whether a setting was changed here: its step stays in view, also where the run doesn't come to it any more. */
  private changing = false;
  private first!: View;
  private readonly model: Model;
  readonly signal: AbortSignal;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    const live = model.get("live") === true;
    this.state = {
      view: this.view(true),
      boxes: [],
      position: 0,
      shown: 0,
      breakpoints: new Set(),
      rerun: new Set(),
      failed: null,
      initialSettings: {},
      refused: null,
      comparison: null,
      live,
      scope: live ? "step" : "start",
      colour: "source",
      canSplitTokens: false,
      ends: new Map(),
      rows: [],
      selected: String(model.get("selected") ?? ""),
      remedies: new Map(Object.entries(this.json<Record<string, RemedyJson>>("remedies"))),
      revealed: "",
      open: new Map(),
      whole: new Set(),
    };
    this.row = new StepRow(this.state, this);
    this.messages = new Messages(this.state, this);
    this.side = new SidePanel(this.state, this);
    const body = h("div", { class: "two" }, this.messages.element, this.side.element);
    root.classList.toggle("live", live);
    root.append(this.head(), this.row.element, body);
    this.listen(root);
    this.side.watch((height) => root.style.setProperty("--beside", `${height}px`));
    this.read();
    this.state.boxes = boxes(this.state.view);
    this.readEnds();
    this.state.initialSettings = this.json("initial_settings");
    this.state.shown = Math.max(0, currentBox(this.state));
    this.draw();
  }

  // --- what parts ask for

  send(what: Command): void {
    if (this.state.live) {
      this.changing = what.command === "set" || what.command === "undo" || what.command === "switch";
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
    this.state.rows = changeRows(this.state.view, this.state.position, this.state.scope);
    this.messages.draw();
  }

  select(key: string): void {
    const { state } = this;
    if (key === state.selected) return;
    state.selected = key;
    state.revealed = "";
    this.messages.mark();
    save(this.model, { selected: key });
  }

  seek(key: string): void {
    this.select(key);
    this.bring(true);
  }

  /** What is selected comes into sight, also out of a fold, or where only the whole run tells of it. */
  private bring(mayScrollPage: boolean): void {
    const { state } = this;
    if (!state.selected) return;
    state.revealed = state.selected;
    if (state.scope === "step" && !this.messages.has(state.selected)) {
      const found = changeRows(state.view, state.position, "start");
      if (found.some((row) => keysOf(state.view.drafts[row.draft]).includes(state.selected)))
        this.change({ scope: "start" });
    }
    this.messages.reveal(mayScrollPage);
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

  /** The run as it is now. What was sent first is read once. */
  private view(again: boolean): View {
    if (again) this.first = this.json<View>("view");
    return applyDelta(this.first, this.json<ViewDelta>("delta"));
  }

  /** A trait that is JSON text; an empty value where it holds none. */
  private json<T extends object>(name: string): T {
    return JSON.parse(String(this.model.get(name) || "{}")) as T;
  }

  /** Takes over what the model holds; says whether it is another place than before. */
  private read(): boolean {
    const { state, model } = this;
    const before = state.position;
    state.position = Math.min(Number(model.get("position") ?? 0), state.view.steps.length);
    state.breakpoints = new Set((model.get("breakpoints") as string[] | undefined) ?? []);
    state.rerun = new Set((model.get("rerun") as string[] | undefined) ?? []);
    const failed = model.get("failed") as { id?: string; error?: string } | undefined;
    state.failed = failed?.id ? { id: failed.id, error: failed.error ?? "" } : null;
    const refused = model.get("refused") as State["refused"] | undefined;
    state.refused = refused?.name ? refused : null;
    const comparison = model.get("comparison") as State["comparison"] | undefined;
    state.comparison = comparison?.rows ? comparison : null;
    return state.position !== before;
  }

  private readEnds(): void {
    const { state, model } = this;
    state.canSplitTokens = model.get("can_split_tokens") === true;
    const ends = (model.get("token_ends") as Record<string, number[]> | undefined) ?? {};
    state.ends = new Map(Object.entries(ends).map(([draft, each]) => [Number(draft), each]));
  }

  private listen(root: HTMLElement): void {
    whenChanged(this.at, TRAITS, (changed) => this.onChange(changed));
    const { signal } = this;
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Draws what the change touches and nothing else: a long conversation is not drawn for a breakpoint. */
  private onChange(changed: Set<string>): void {
    const { state } = this;
    if (!this.model.get("view")) return; // the run is gone, and this with it
    const another = changed.has("view") || changed.has("delta");
    if (another) {
      state.view = this.view(changed.has("view"));
      state.boxes = boxes(state.view);
    }
    if (changed.has("view")) this.messages.forget();
    if (changed.has("initial_settings")) state.initialSettings = this.json("initial_settings");
    if (another || changed.has("token_ends") || changed.has("can_split_tokens")) this.readEnds();
    const elsewhere = this.read();
    const selected = String(this.model.get("selected") ?? "");
    const isOther = selected !== state.selected;
    if (changed.has("remedies"))
      state.remedies = new Map(Object.entries(this.json<Record<string, RemedyJson>>("remedies")));
    state.selected = selected;
    if (elsewhere || changed.has("view")) state.open.clear();
    if (elsewhere || another) {
      if (elsewhere && !this.changing) state.shown = Math.max(0, currentBox(state));
      this.changing = false;
      this.draw();
    } else if (PANEL_TRAITS.some((name) => changed.has(name))) this.drawPanels();
    else if (changed.has("token_ends")) this.messages.tokensCame();
    if (changed.has("remedies")) this.messages.remediesCame();
    if (isOther) {
      this.messages.mark();
      this.bring(false);
    }
  }

  /** Single keys, while the focus is inside and not in a field. */
  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!isSingle(event)) return;
    const at = this.row.focused();
    const does: Record<string, () => void> = {
      n: () => this.send({ command: "step" }),
      N: () => this.send({ command: "back" }),
      r: () => this.send({ command: "run" }),
      t: () => this.row.runTo(at),
    };
    if (target.matches(".step")) does.enter = () => this.row.enter(at);
    if (this.state.live) {
      does.b = () => this.row.toggleBreakpoint(at);
      does.o = () => this.row.toggleOn(at);
    }
    const key = event.shiftKey ? event.key.toUpperCase() : event.key.toLowerCase();
    if (!does[key]) return;
    taken(event);
    does[key]();
  }

  // --- drawing

  private draw(): void {
    const { state } = this;
    state.rows = changeRows(state.view, state.position, state.scope);
    this.messages.draw();
    this.drawPanels();
  }

  /** All but the messages. */
  private drawPanels(): void {
    const { state } = this;
    this.row.draw();
    this.side.draw();
    const wrong = String(this.model.get("error") ?? "");
    this.status.replaceChildren(...(wrong ? [wrong] : sentence(state)));
    this.status.classList.toggle("wrong", Boolean(wrong || state.failed));
    const last = state.live ? state.boxes.filter((box) => box.state !== "off").length : state.view.steps.length;
    this.slider.max = String(last);
    this.slider.value = String(state.position);
    this.slider.setAttribute("aria-valuetext", this.status.textContent ?? "");
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
      const button = h("button", { type: "button", class: "btn", title, "data-does": name }, glyph(name), label);
      button.addEventListener(
        "click",
        () => button.getAttribute("aria-disabled") !== "true" && this.send({ command: name }),
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
      this.status,
    );
  }

  private runTo(): HTMLElement {
    const go = h("button", { type: "button", class: "btn", title: "T" }, glyph("to"), "Run to");
    go.addEventListener("click", () => this.row.runTo(Number(this.target.value)), { signal: this.signal });
    return h("div", { class: "group" }, go, this.target);
  }
}

const PANEL_TRAITS = ["breakpoints", "rerun", "failed", "error", "initial_settings", "refused", "comparison"];
const TRAITS = ["view", "delta", "position", "can_split_tokens", "token_ends", "selected", "remedies", ...PANEL_TRAITS];

export default widget("Step debugger", card + own, begin);
