// The row of steps: what each did in time and tokens, where the run stands, where it stops.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { changeRows, summary } from "../_shared/message_changes";
import { grouped, many, milliseconds } from "../_shared/numbers";
import { price } from "../_shared/remedy_button";
import { type Box, budgetOf, draftsAt, tokens } from "../_shared/trace_view";
import { currentBox, type DebuggerHost, type State } from "./state";

const SAID = {
  done: "done",
  failed: "failed, skipped",
  skipped: "passed over",
  edited: "edited by hand",
  lost: "edit by hand, lost",
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
  }

  draw(): void {
    const { state } = this;
    const had = this.buttons.indexOf(document.activeElement as HTMLButtonElement);
    const most = Math.max(1, ...state.boxes.map((box) => Math.max(box.before ?? 0, box.after ?? 0)));
    const current = currentBox(state);
    this.element.style.setProperty("--n", String(state.boxes.length + 1));
    this.element.classList.toggle("long", state.boxes.length > 13);
    this.buttons = [...state.boxes.map((box, i) => this.box(box, i, i === current, most)), this.result()];
    this.element.replaceChildren(...this.buttons.map((button) => h("li", {}, button)));
    const stop = had >= 0 ? had : Math.max(0, state.shown);
    onlyStop(this.buttons, Math.min(stop, this.buttons.length - 1));
    if (had >= 0) this.buttons[had]?.focus({ preventScroll: true });
    if (state.boxes.length > 13) this.reveal(this.buttons[Math.max(current, 0)]);
  }

  /** Another box is shown: nothing is drawn anew. */
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
    const isAhead = state.live && box.at > state.position;
    const ahead = isAhead && !isKnown(state) && (box.state === "done" || box.state === "edited");
    const kind = failed ? "failed" : ahead ? "todo" : box.state;
    const stops = state.breakpoints.has(box.id);
    const words = failed ? "failed" : SAID[kind];
    const time = box.seconds === null ? "" : milliseconds(box.seconds);
    const number = String(i + 1).padStart(2, "0");
    return h(
      "button",
      {
        type: "button",
        class: ["step", kind, isCurrent && "now", i === state.shown && "shown"].filter(Boolean).join(" "),
        "data-step": box.id,
        tabindex: -1,
        "aria-current": isCurrent ? "step" : null,
        "aria-pressed": String(i === state.shown),
        title: harmless(failed ? (state.failed?.error ?? "") : (box.error ?? box.id)),
      },
      h(
        "span",
        { class: "st" },
        h("span", { class: "no" }, glyph(isCurrent && kind === "done" ? "now" : kind), number),
        stops && h("span", { class: "bp" }, glyph("breakpoint")),
        kind === "failed" && h("span", { class: "rr" }, failed ? "failed" : "skipped"),
        kind === "edited" && h("span", { class: "rr" }, "by hand"),
        kind === "lost" && h("span", { class: "rr" }, "lost"),
        state.rerun.has(box.id) && h("span", { class: "rr" }, "rerun"),
      ),
      h("span", { class: "nm" }, harmless(box.id)),
      h("span", { class: "ms" }, time || "\u00a0"),
      h("span", { class: "tk" }, this.tokens(box)),
      h("span", { class: "lvl", "aria-hidden": "true" }, bar(box.before, box.after, most)),
      h("span", { class: "vh" }, [words, isCurrent && "current", stops && "breakpoint"].filter(Boolean).join(", ")),
    );
  }

  /** Behind the last step: what is sent. */
  private result(): HTMLButtonElement {
    const { state } = this;
    const at = state.boxes.length;
    const isKnown = state.view.steps.length > 0 && !state.boxes.some((box) => box.state === "todo");
    const messages = draftsAt(state.view, state.view.steps.length);
    const sum = tokens(state.view, messages) + state.view.request_tokens;
    const words = isKnown ? many(messages.length, "message") : "not yet run";
    return h(
      "button",
      {
        type: "button",
        class: ["step result", state.result && "now", at === state.shown && "shown"].filter(Boolean).join(" "),
        "data-step": "",
        tabindex: -1,
        "aria-current": state.result ? "step" : null,
        "aria-pressed": String(at === state.shown),
        title: "What is sent",
      },
      h("span", { class: "st" }, h("span", {}, glyph(state.result ? "now" : "to"))),
      h("span", { class: "nm" }, "Result"),
      h("span", { class: "ms" }, words),
      h("span", { class: "tk" }, isKnown ? h("b", {}, many(sum, "token")) : ""),
      h("span", { class: "lvl" }),
    );
  }

  private tokens({ state, before, after }: Box) {
    if (state === "off") return "switched off";
    if (after === null || before === null) return "not yet run";
    if (before === after) return `= ${grouped(after)}`;
    return [h("b", {}, price(after - before)), ` = ${grouped(after)}`];
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

  /** Goes to a step; its settings follow. */
  enter(at: number): void {
    this.host.goToBox(at);
  }

  /** Without a kernel there is nothing to run: moving along the row moves through the run. */
  private arrived(at: number): void {
    if (!this.state.live) this.enter(at);
  }

  toggleBreakpoint(at: number): void {
    const box = this.state.boxes[at];
    if (!box || isEdit(box)) return;
    this.host.send({ command: "breakpoint", step: box.id, on: !this.state.breakpoints.has(box.id) });
  }

  toggleOn(at: number): void {
    const box = this.state.boxes[at];
    if (!box || isEdit(box)) return;
    this.host.send({ command: "switch", step: box.id, on: box.state === "off" });
  }
}

const isEdit = (box: Box): boolean => box.state === "edited" || box.state === "lost";

/** Whether the run is known to its end, so that no step ahead is still to be done. */
const isKnown = ({ boxes }: State): boolean => !boxes.some((box) => box.state === "todo");

const isOnNumber = ({ target }: MouseEvent): boolean => (target as Element).closest(".no") !== null;

/** What a step added or took away, on the scale of all; what was there and stays is pale. */
function bar(before: number | null, after: number | null, most: number): HTMLElement[] {
  if (before === null || after === null) return [];
  const share = (tokens: number) => `${Math.round((tokens / most) * 1000) / 10}%`;
  const level = h("i", { class: "stays" });
  level.style.width = share(Math.min(before, after));
  const delta = h("i", { class: after < before ? "took" : "put" });
  delta.style.width = share(Math.abs(after - before));
  return [level, delta];
}

/** "after 8 of 10, 1,733 + 60 = 1,793 of 1,800 tokens", in pieces. */
export function sentence(state: State): (string | HTMLElement)[] {
  if (state.failed) return [`${state.failed.id} failed: ${harmless(state.failed.error)}`];
  const running = state.boxes.filter((box) => box.state !== "off");
  const box = state.result ? running.at(-1) : state.boxes[currentBox(state)];
  const after = box?.after ?? state.view.start.drafts.reduce((n, i) => n + state.view.drafts[i].tokens, 0);
  const extra = state.view.request_tokens;
  const budget = budgetOf(state.view);
  const sent = `${many(draftsAt(state.view, state.position).length, "message")} sent, `;
  const did = state.position > 0 && !state.result ? summary(changeRows(state.view, state.position, "step")) : "";
  const done = did ? `after ${state.position} of ${running.length}: ${did}; ` : "before the first step, ";
  const place = state.result ? sent : done;
  const sum = extra ? `${grouped(after)} + ${grouped(extra)} = ${grouped(after + extra)}` : grouped(after);
  const isGuess = state.view.tokenizer.estimated || state.view.drafts.some((draft) => draft.estimated);
  const about = isGuess ? " tokens, estimated" : " tokens";
  return [place, h("b", {}, sum), budget === null ? about : ` of ${grouped(budget)}${about}`];
}
