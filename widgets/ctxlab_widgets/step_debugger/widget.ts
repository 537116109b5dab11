// The step debugger. With a kernel behind it, what is asked becomes a message; alone, it scrubs through a finished run.

import chip from "../_shared/attachment_chip.css";
import { Files } from "../_shared/attachments";
import sidePanel from "../_shared/components/side_panel.css";
import { glyph, h, harmless } from "../_shared/dom";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { isSingle, roving, taken } from "../_shared/keyboard";
import { changeRows } from "../_shared/message_changes";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import card from "../_shared/provenance_card.css";
import type { RemedyJson } from "../_shared/remedy_button";
import form from "../_shared/settings_form.css";
import stands from "../_shared/stands_for.css";
import { boxes, type View } from "../_shared/trace_view";
import { applyDelta, type ViewDelta } from "../_shared/view_delta";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { jumpTo } from "./jump";
import { Messages } from "./message_list";
import { SidePanel } from "./side_panel";
import { type Command, currentBox, type DebuggerHost, type State, scopeOf } from "./state";
import { StepRow, sentence } from "./step_row";
import own from "./widget.css";

const EMPTY = "Nothing to show: pass a trace or a debugger, StepDebugger(ctxlab.build(session)).";

const MOVING: KeyList = [
  ["\u2190 \u2192 Home End", "along the steps; up and down along the messages"],
  ["Enter, T", "on a step: go there"],
  ["N, Shift+N", "one step on, one back"],
];
const LIVE: KeyList = [
  ["R", "run to the next breakpoint, or to the end"],
  ["B", "on a step: a breakpoint, or none"],
  ["O", "on a step: on or off"],
  ["E", "on a message: edit it; Ctrl+Enter takes it over, Esc gives back"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo the last change, redo it in a page"],
];
const READING: KeyList = [
  ["Enter", "on a message: where its words come from; \u2190 \u2192 by span, Shift by character"],
  ["F", "on a message: why its files go as they do"],
  ["Esc", "closes, and gives the focus back"],
  ["?", "these keys"],
];

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
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;
  private readonly slider = h("input", { type: "range", min: 0, step: 1, class: "scrub", "aria-label": "Steps done" });
  private readonly buttons = new Map<string, HTMLButtonElement>();

  /** Whether a step was asked for here: its settings stay in view, also where the run doesn't come to it. */
  private keepsShown = false;
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
      result: model.get("result") === true,
      views: (model.get("views") as string[] | undefined) ?? [],
      scope: "step",
      colour: "source",
      canSplitTokens: false,
      ends: new Map(),
      rows: [],
      files: Files.of(model.get("files")),
      summaries: this.json("summaries"),
      reasons: new Set(),
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
    this.head = new ViewHead("Steps", this.tools(), [...MOVING, ...(live ? LIVE : []), ...READING], at);
    this.banner = new EffectBanner(live ? () => this.undo() : null, signal);
    root.append(this.head.element, this.row.element, this.banner.element, body);
    this.listen(root);
    this.side.watch((height) => root.style.setProperty("--beside", `${height}px`));
    this.read();
    this.state.boxes = boxes(this.state.view);
    this.readEnds();
    this.state.initialSettings = this.json("initial_settings");
    this.state.shown = Math.max(0, currentBox(this.state));
    this.draw();
    if (this.state.selected) this.bring(false);
  }

  // --- what parts ask for

  send(what: Command): void {
    if (this.state.live) {
      if (!QUESTIONS.has(what.command)) this.keepsShown = KEEP_SHOWN.has(what.command);
      if (what.command === "step" && this.isAtEnd()) this.model.send({ command: "result" });
      else this.model.send(what);
      return;
    }
    const { position, result, view } = this.state;
    const last = view.steps.length;
    if (what.command === "step") this.goTo(position + 1);
    else if (what.command === "back") this.goTo(result ? last : position - 1);
    else if (what.command === "result") this.goTo(last + 1);
    else if (what.command === "run_to") this.goTo(what.position);
  }

  show(box: number): void {
    this.state.shown = box;
    this.row.mark();
    this.side.draw();
  }

  goToBox(at: number): void {
    const box = this.state.boxes[at];
    this.show(at);
    if (!box) this.send({ command: "result" });
    else if (box.state !== "off") this.send({ command: "run_to", position: box.at });
  }

  change(values: Partial<Pick<State, "scope" | "colour">>): void {
    const { state } = this;
    Object.assign(state, values);
    if (state.result && values.scope === "step") {
      this.send({ command: "back" });
      return;
    }
    state.rows = changeRows(state.view, state.position, scopeOf(state));
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
    const jump = this.messages.has(key) ? null : jumpTo(this.state);
    if (jump) this.goToBox(jump.box);
  }

  /** What is selected comes into sight, also out of a fold; where else it is to be seen is offered, not done. */
  private bring(mayScrollPage: boolean): void {
    const { state } = this;
    state.revealed = state.selected;
    this.messages.offer(state.selected ? jumpTo(state) : null);
    if (state.selected) this.messages.reveal(mayScrollPage);
  }

  private undo(): void {
    this.send({ command: this.state.views.length ? "page_undo" : "undo_change" });
  }

  private isAtEnd(): boolean {
    const { boxes: all, position, view } = this.state;
    return position === view.steps.length && !all.some((box) => box.state === "todo");
  }

  // --- where it stands

  private goTo(position: number): void {
    const { state } = this;
    const last = state.view.steps.length;
    const result = position > last;
    const to = Math.min(Math.max(position, 0), last);
    if (to === state.position && result === state.result) return;
    this.model.set("position", to);
    this.model.set("result", result);
    this.model.save_changes();
    Object.assign(state, { position: to, result });
    state.shown = Math.max(0, currentBox(state));
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
    const before = [state.position, state.result].join();
    state.result = model.get("result") === true;
    state.views = (model.get("views") as string[] | undefined) ?? [];
    state.position = Math.min(Number(model.get("position") ?? 0), state.view.steps.length);
    state.breakpoints = new Set((model.get("breakpoints") as string[] | undefined) ?? []);
    state.rerun = new Set((model.get("rerun") as string[] | undefined) ?? []);
    const failed = model.get("failed") as { id?: string; error?: string } | undefined;
    state.failed = failed?.id ? { id: failed.id, error: failed.error ?? "" } : null;
    const refused = model.get("refused") as State["refused"] | undefined;
    state.refused = refused?.name ? refused : null;
    const comparison = model.get("comparison") as State["comparison"] | undefined;
    state.comparison = comparison?.rows ? comparison : null;
    return [state.position, state.result].join() !== before;
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
    if (another) this.messages.forget(changed.has("view"));
    if (changed.has("initial_settings")) state.initialSettings = this.json("initial_settings");
    if (changed.has("summaries")) state.summaries = this.json("summaries");
    if (changed.has("files")) state.files = Files.of(this.model.get("files"));
    if (another || changed.has("token_ends") || changed.has("can_split_tokens")) this.readEnds();
    const elsewhere = this.read();
    const selected = String(this.model.get("selected") ?? "");
    const isOther = selected !== state.selected;
    if (changed.has("remedies"))
      state.remedies = new Map(Object.entries(this.json<Record<string, RemedyJson>>("remedies")));
    state.selected = selected;
    if (elsewhere || changed.has("view")) state.open.clear();
    if (elsewhere || another || changed.has("files")) {
      if (elsewhere && !this.keepsShown) state.shown = Math.max(0, currentBox(state));
      this.keepsShown = false;
      this.draw();
    } else if (PANEL_TRAITS.some((name) => changed.has(name))) this.drawPanels();
    else if (changed.has("token_ends")) this.messages.tokensCame();
    if (changed.has("remedies")) this.messages.remediesCame();
    if (isOther) this.messages.mark();
    if (isOther || elsewhere || another) this.bring(false);
  }

  /** Single keys, while the focus is inside and not in a field. */
  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (this.undone(event) || !isSingle(event)) return;
    const at = this.row.focused();
    const does: Record<string, () => void> = {
      n: () => this.send({ command: "step" }),
      N: () => this.send({ command: "back" }),
      r: () => this.send({ command: "run" }),
      t: () => this.row.enter(at),
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

  /** Ctrl+Z: in a page that of the page, alone the change that the banner tells of. */
  private undone(event: KeyboardEvent): boolean {
    const { live, views } = this.state;
    const isZ = event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey) && !event.altKey;
    if (!isZ || !live || (event.target as HTMLElement).matches("input, select, textarea")) return false;
    const effect = this.model.get("effect") as Partial<Effect> | undefined;
    if (event.shiftKey ? !views.length : !views.length && !effect?.text) return false;
    taken(event);
    if (event.shiftKey) this.send({ command: "page_redo" });
    else this.undo();
    return true;
  }

  // --- drawing

  private draw(): void {
    const { state } = this;
    state.rows = changeRows(state.view, state.position, scopeOf(state));
    this.messages.draw();
    this.drawPanels();
  }

  /** All but the messages. */
  private drawPanels(): void {
    const { state } = this;
    this.row.draw();
    this.side.draw();
    const wrong = String(this.model.get("error") ?? "");
    const words = wrong ? [harmless(wrong)] : sentence(state);
    this.head.answer(words, Boolean(wrong || state.failed));
    this.banner.draw((this.model.get("effect") as Partial<Effect> | undefined) ?? {});
    const last = state.live ? state.boxes.filter((box) => box.state !== "off").length : state.view.steps.length;
    this.slider.max = String(last + 1);
    this.slider.value = String(state.result ? last + 1 : state.position);
    const spoken = words.map((each) => (typeof each === "string" ? each : each.textContent)).join("");
    this.slider.setAttribute("aria-valuetext", spoken);
    this.enable("back", state.position > 0);
    this.enable("step", !state.result);
    this.enable("run", state.position < last);
  }

  private enable(name: string, on: boolean): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
  }

  private tools(): HTMLElement[] {
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
    return state.live ? [tools] : [tools, this.slider];
  }
}

const KEEP_SHOWN = new Set<Command["command"]>(["set", "undo", "switch", "run_to", "result"]);
/** What changes nothing, and may be asked while a change is under way. */
const QUESTIONS = new Set<Command["command"]>(["tokens", "remedies", "open_view"]);
const PANEL_TRAITS = ["breakpoints", "rerun", "failed", "error", "initial_settings", "refused", "comparison", "effect"];
const TRAITS = [
  ...["view", "delta", "position", "result", "can_split_tokens", "token_ends", "selected", "remedies", "views"],
  ...["files", "summaries"],
  ...PANEL_TRAITS,
];

export default widget("Step debugger", card + stands + chip + form + sidePanel + own, begin);
