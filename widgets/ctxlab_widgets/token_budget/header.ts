// The head: which strategy, which tokenizer, how much, and the sentence that says what comes of it.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { commits } from "../_shared/number_field";
import { grouped, many } from "../_shared/numbers";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { type BudgetHost, cutCount, handleAt, range, type State } from "./payload";

const KEYS: KeyList = [
  ["\u2190 \u2192", "on the handle: 16 tokens less or more"],
  ["Page up, down", "on the handle: 256 tokens"],
  ["Home, End", "on the handle: the least budget, and one in which all fits"],
  ["\u2191 \u2193", "on the cut line: keep one more, cut one more; in the list: walk"],
  ["Enter", "in the list: pin a message; in a field: take over the number"],
  ["K", "in the list: keep a message that was cut"],
  ["Escape", "unpin; in a field: the number before"],
  ["Ctrl+Z", "undo"],
];

export class Header {
  readonly element: HTMLElement;
  private readonly head: ViewHead;
  private readonly strategy = h("select", { "aria-label": "Strategy" });
  private readonly numbers = h("span", { class: "params" });
  private readonly tokenizer = h("select", { "aria-label": "Tokenizer" });
  private readonly slider = h("input", { type: "range", min: 1, step: 1, "aria-label": "Budget" });
  private readonly field = h("input", {
    type: "number",
    min: 1,
    step: 1,
    class: "amount",
    "aria-label": "Budget in tokens",
  });
  private readonly undo = h("button", { type: "button", class: "btn undo" }, "Undo");
  private readonly compare = h("button", { type: "button", class: "btn" }, "Compare strategies");
  private offered = "";

  constructor(
    private readonly state: State,
    private readonly host: BudgetHost,
    root: HTMLElement,
  ) {
    const { signal } = host;
    const controls = [
      this.strategy,
      this.numbers,
      this.tokenizer,
      this.slider,
      this.field,
      state.views.length === 0 && this.undo,
      state.views.includes("compare") && this.compare,
    ];
    this.head = new ViewHead("Budget", state.live ? controls : [this.numbers], state.live ? KEYS : [], {
      root,
      signal,
    });
    this.element = this.head.element;
    if (state.live) this.listen(root, signal);
  }

  draw(): void {
    const { state } = this;
    const { view } = state;
    if (state.live) this.drawControls();
    else this.numbers.replaceChildren(tag(view.strategy), tag(view.tokenizer));
    const wrong = view.refused || state.error;
    if (wrong) this.head.answer([harmless(wrong), " ", this.least()], true);
    else this.head.answer(sentence(state, () => this.host.select(view.border?.key ?? "")));
  }

  /** Slider and field follow the handle, also before Python has answered. */
  follow(): void {
    const { least, most } = range(this.state);
    const at = handleAt(this.state);
    this.slider.min = String(Math.min(least, at));
    this.slider.max = String(Math.max(most, at));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", `${grouped(at)} tokens`);
    if (document.activeElement !== this.field || this.state.held !== null) this.field.value = this.budget();
  }

  private budget(): string {
    const none = this.state.view.wanted === null && this.state.held === null;
    return none ? "" : String(handleAt(this.state));
  }

  private least(): HTMLElement | false {
    const { view, live } = this.state;
    const { least } = view;
    if (least === null || !live) return false;
    const words = `Use ${grouped(least)}, the least possible`;
    const button = h("button", { type: "button", class: "btn small remedy" }, words);
    button.addEventListener("click", () => this.host.setBudget(least), { signal: this.host.signal });
    return button;
  }

  private drawControls(): void {
    const { choices, view } = this.state;
    const offered = JSON.stringify(choices);
    if (offered !== this.offered) {
      this.offered = offered;
      this.strategy.replaceChildren(...choices.strategies.map(({ name }) => h("option", { value: name }, name)));
      this.tokenizer.replaceChildren(...choices.tokenizers.map((name) => h("option", { value: name }, harmless(name))));
    }
    this.strategy.value = view.strategy;
    this.tokenizer.value = view.tokenizer;
    for (const each of [this.strategy, this.slider, this.field]) each.disabled = !choices.limiter;
    this.field.placeholder = "none";
    this.undo.setAttribute("aria-disabled", String(!view.undo));
    this.drawNumbers();
    this.follow();
  }

  private drawNumbers(): void {
    const { choices, view } = this.state;
    const wanted = choices.strategies.find(({ name }) => name === view.strategy)?.numbers ?? [];
    const had = [...this.numbers.querySelectorAll("input")];
    if (had.map((each) => each.name).join() === wanted.map((each) => each.name).join()) {
      for (const [i, each] of had.entries()) {
        each.defaultValue = String(wanted[i].value);
        if (document.activeElement !== each) each.value = each.defaultValue;
      }
      return;
    }
    this.numbers.replaceChildren(
      ...wanted.map((number) => {
        const { name, title, value, step, max, about } = number;
        const at = { type: "number", class: "amount small", "aria-label": title, name, value, step, min: 0, max };
        const field = h("input", at);
        this.commitsNumber(field);
        return h("label", { title: about }, h("span", { class: "muted" }, title.toLowerCase()), field);
      }),
    );
  }

  private commitsNumber(field: HTMLInputElement): void {
    const commit = () => {
      const { name, valueAsNumber } = field;
      if (Number.isFinite(valueAsNumber))
        this.host.ask({ command: "strategy", name: this.state.view.strategy, settings: { [name]: valueAsNumber } });
      else field.value = field.defaultValue;
    };
    commits(field, { commit, value: () => field.defaultValue, signal: this.host.signal });
  }

  private listen(root: HTMLElement, signal: AbortSignal): void {
    const { slider, host } = this;
    slider.addEventListener("pointerdown", () => host.begin(), { signal });
    slider.addEventListener("focus", () => host.begin(), { signal });
    slider.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
    slider.addEventListener("pointerup", () => host.end(), { signal });
    slider.addEventListener("blur", () => host.end(), { signal });
    slider.addEventListener(
      "input",
      () => {
        host.begin(false);
        host.slide({ command: "budget", tokens: Number(slider.value) });
      },
      { signal },
    );
    commits(this.field, { commit: () => this.typed(), value: () => this.budget(), signal });
    const asks = (select: HTMLSelectElement, command: string) =>
      select.addEventListener("change", () => host.ask({ command, name: select.value }), { signal });
    asks(this.strategy, "strategy");
    asks(this.tokenizer, "tokenizer");
    this.undo.addEventListener("click", () => host.undo(), { signal });
    this.compare.addEventListener("click", () => host.ask({ command: "open_view", view: "compare", key: "" }), {
      signal,
    });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
    if ((event.target as HTMLElement).matches("input, select")) return;
    taken(event);
    if (!event.shiftKey) this.host.undo();
    else if (this.state.views.length) this.host.ask({ command: "page_redo" });
  }

  private typed(): void {
    const { field } = this;
    if (field.value === "" && !field.validity.badInput) this.host.setBudget(null);
    else if (field.valueAsNumber >= 1) this.host.setBudget(Math.round(field.valueAsNumber));
    else field.value = this.budget();
  }
}

const tag = (words: string): HTMLElement => h("span", { class: "tag" }, harmless(words));

/** What is sent, of how much, and what did not fit. */
export function sentence({ view }: State, showCut: () => void): (string | Node)[] {
  const sent = `${view.estimated ? "about " : ""}${grouped(view.sent)}`;
  const messages = many(view.messages, "message");
  const estimate = view.estimate && ` (${view.estimate})`;
  if (view.budget === null) {
    const why = view.to_come ? "the cut is still to come" : "no budget is set";
    return [`${messages}, ${sent} ${view.sent === 1 ? "token" : "tokens"}; ${why}${estimate}`];
  }
  const free = view.budget - view.sent;
  const room = free >= 0 ? `${grouped(free)} free` : `${grouped(-free)} over the budget`;
  const cut = cutCount(view);
  const words: (string | Node)[] = [`${messages}, ${sent} of ${many(view.budget, "token")}, ${room}; `];
  const fell = `${grouped(cut)} ${view.one_cut ? "older " : ""}${cut === 1 ? "message" : "messages"} did not fit`;
  if (cut && view.border?.key) {
    const link = h("button", { type: "button", class: "lk" }, fell);
    link.addEventListener("click", showCut);
    words.push(link);
  } else words.push(cut ? fell : view.shortened ? "nothing was cut whole" : "everything fits");
  if (view.shortened) words.push(`, ${grouped(view.shortened)} ${view.shortened === 1 ? "is" : "are"} shortened`);
  if (estimate) words.push(estimate);
  return words;
}
