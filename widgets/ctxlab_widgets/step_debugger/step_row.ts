// The row of steps: what each did in time and tokens, where the run stands, where it stops.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped, milliseconds } from "../_shared/numbers";
import { type Box, budgetOf } from "../_shared/trace_view";
import { currentBox, type DebuggerHost, type State } from "./state";

const SAID = {
  done: "done",
  failed: "failed, skipped",
  skipped: "passed over",
  edited: "edited by hand",
  off: "switched off",
  todo: "not yet",
};

export class StepRow {
  readonly element = h("ol", { class: "steps", "aria-label": "Pipeline steps" });
  private buttons: HTMLButtonElement[] = [];

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {
    const { signal } = host;
    roving(this.element, () => this.buttons, { signal, onmove: (to) => this.arrived(to) });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("dblclick", (event) => this.twice(event), { signal });
  }

  draw(): void {
    const { state } = this;
    const had = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
    const most = Math.max(1, ...state.boxes.map((box) => box.after ?? 0));
    const current = currentBox(state);
    this.element.style.setProperty("--n", String(state.boxes.length));
    this.element.classList.toggle("long", state.boxes.length > 14);
    this.buttons = state.boxes.map((box, i) => this.box(box, i, i === current, most));
    this.element.replaceChildren(...this.buttons.map((button) => h("li", {}, button)));
    const stop = had >= 0 ? had : Math.max(0, state.shown);
    onlyStop(this.buttons, Math.min(stop, this.buttons.length - 1));
    if (had >= 0) this.buttons[had]?.focus({ preventScroll: true });
    if (state.boxes.length > 14) this.reveal(this.buttons[Math.max(current, 0)]);
  }

  /** Another box is shown: nothing is drawn anew, so that a second click still finds what the first one hit. */
  mark(): void {
    for (const [i, button] of this.buttons.entries()) {
      const isShown = i === this.state.shown;
      button.classList.toggle("shown", isShown);
      button.setAttribute("aria-pressed", String(isShown));
    }
    onlyStop(this.buttons, this.state.shown);
  }

  /** The box in focus, else the one whose settings are shown. */
  focused(): number {
    const at = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
    return at >= 0 ? at : this.state.shown;
  }

  private reveal(button: HTMLElement | undefined): void {
    if (!button) return;
    const { element } = this;
    const left = button.offsetLeft - element.offsetLeft;
    if (left < element.scrollLeft || left + button.offsetWidth > element.scrollLeft + element.clientWidth)
      element.scrollLeft = left - element.clientWidth / 2;
  }

  private box(box: Box, i: number, isCurrent: boolean, most: number): HTMLButtonElement {
    const { state } = this;
    const failed = state.failed?.id === box.id && box.state === "todo";
    const ahead = state.live && box.at > state.position && (box.state === "done" || box.state === "edited");
    const kind = failed ? "failed" : ahead ? "todo" : box.state;
    const stops = state.breakpoints.has(box.id);
    const words = failed ? "failed" : SAID[kind];
    const time = box.seconds === null ? "" : milliseconds(box.seconds);
    const number = String(i + 1).padStart(2, "0");
    const label = [
      `${i + 1} ${box.id}`,
      isCurrent ? `${words}, current` : words,
      stops && "breakpoint",
      time,
      box.after !== null && `tokens ${grouped(box.before ?? 0)} to ${grouped(box.after)}`,
    ];
    return h(
      "button",
      {
        type: "button",
        class: ["step", kind, isCurrent && "now", i === state.shown && "shown"].filter(Boolean).join(" "),
        "data-step": box.id,
        tabindex: -1,
        "aria-current": isCurrent ? "step" : null,
        "aria-pressed": String(i === state.shown),
        "aria-label": label.filter(Boolean).join(", "),
        title: harmless(failed ? (state.failed?.error ?? "") : (box.error ?? box.id)),
      },
      h(
        "span",
        { class: "st" },
        h("span", { class: "no" }, glyph(isCurrent && kind === "done" ? "now" : kind), number),
        stops && h("span", { class: "bp" }, glyph("breakpoint")),
        kind === "failed" && h("span", { class: "rr" }, failed ? "failed" : "skipped"),
        state.rerun.has(box.id) && h("span", { class: "rr" }, "rerun"),
      ),
      h("span", { class: "nm" }, harmless(box.id)),
      h("span", { class: "ms" }, time || "\u00a0"),
      h("span", { class: "tk" }, this.tokens(box)),
      h("span", { class: "lvl" }, bar((box.after ?? 0) / most)),
    );
  }

  private tokens({ state, before, after }: Box) {
    if (state === "off") return "switched off";
    if (after === null || before === null) return "not yet run";
    if (before === after) return `= ${grouped(after)}`;
    return [`${grouped(before)}\u2009\u2192\u2009`, h("b", {}, grouped(after))];
  }

  private indexOf(target: EventTarget | null): number {
    const button = (target as Element | null)?.closest<HTMLButtonElement>("button.step");
    return button ? this.buttons.indexOf(button) : -1;
  }

  private clicked(event: MouseEvent): void {
    const at = this.indexOf(event.target);
    if (at < 0) return;
    if (this.state.live && isOnNumber(event)) this.toggleBreakpoint(at);
    else this.enter(at);
  }

  /** A step's settings; in a report also what the run was after it. */
  enter(at: number): void {
    if (this.state.live) this.host.show(at);
    else this.arrived(at);
  }

  private twice(event: MouseEvent): void {
    if (!isOnNumber(event)) this.runTo(this.indexOf(event.target));
  }

  /** Without a kernel there is nothing to run: moving along the row moves through the run. */
  private arrived(at: number): void {
    if (this.state.live) return;
    this.host.show(at);
    this.runTo(at);
  }

  runTo(at: number): void {
    const box = this.state.boxes[at];
    if (box && box.state !== "off") this.host.send({ command: "run_to", position: box.at });
  }

  toggleBreakpoint(at: number): void {
    const box = this.state.boxes[at];
    if (!box || box.state === "edited") return;
    this.host.send({ command: "breakpoint", step: box.id, on: !this.state.breakpoints.has(box.id) });
  }

  toggleOn(at: number): void {
    const box = this.state.boxes[at];
    if (!box || box.state === "edited") return;
    this.host.send({ command: "switch", step: box.id, on: box.state === "off" });
  }
}

const isOnNumber = ({ target }: MouseEvent): boolean => (target as Element).closest(".no") !== null;

function bar(share: number): HTMLElement {
  const level = h("i");
  level.style.width = `${Math.round(share * 1000) / 10}%`;
  return level;
}

/** "after 8 of 10, 1,733 + 60 = 1,793 of 1,800 tokens", in pieces. */
export function sentence(state: State): (string | HTMLElement)[] {
  if (state.failed) return [`${state.failed.id} failed: ${harmless(state.failed.error)}`];
  const running = state.boxes.filter((box) => box.state !== "off");
  const box = state.boxes[currentBox(state)];
  const after = box?.after ?? state.view.start.drafts.reduce((n, i) => n + state.view.drafts[i].tokens, 0);
  const extra = state.view.request_tokens;
  const budget = budgetOf(state.view);
  const place = state.position ? `after ${state.position} of ${running.length}, ` : "before the first step, ";
  const sum = extra ? `${grouped(after)} + ${grouped(extra)} = ${grouped(after + extra)}` : grouped(after);
  const isGuess = state.view.tokenizer.estimated || state.view.drafts.some((draft) => draft.estimated);
  const about = isGuess ? " tokens, estimated" : " tokens";
  return [place, h("b", {}, sum), budget === null ? about : ` of ${grouped(budget)}${about}`];
}
