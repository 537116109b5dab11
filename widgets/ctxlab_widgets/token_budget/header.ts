// One row: which strategy, which tokenizer, how much, and the sentence that says what came of it.

import { h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { type BudgetHost, handleAt, range, type State } from "./payload";

export class Header {
  readonly element = h("div", { class: "head" });
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
  private readonly status = h("span", { class: "ink2 status", "aria-live": "polite" });
  private offered = "";

  constructor(
    private readonly state: State,
    private readonly host: BudgetHost,
  ) {
    const { signal } = host;
    const sp = h("span", { class: "sp" });
    if (state.live) {
      const controls = [this.strategy, this.numbers, this.tokenizer, this.slider, this.field];
      this.element.append(h("h2", {}, "Budget"), ...controls, sp, this.status);
      this.listen(signal);
    } else {
      this.element.append(h("h2", {}, "Budget"), this.numbers, sp, this.status);
    }
  }

  draw(): void {
    const { state } = this;
    const { view } = state;
    if (state.live) this.drawControls();
    else this.numbers.replaceChildren(tag(view.strategy), tag(view.tokenizer));
    const wrong = state.error || view.refused;
    this.status.classList.toggle("wrong", wrong !== "");
    this.status.replaceChildren(...(wrong ? [harmless(wrong)] : sentence(state)));
  }

  /** Slider and field follow the handle, also before Python has answered. */
  follow(): void {
    const { least, most } = range(this.state);
    const at = handleAt(this.state);
    this.slider.min = String(Math.min(least, at));
    this.slider.max = String(Math.max(most, at));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", `${grouped(at)} tokens`);
    const none = this.state.view.wanted === null && this.state.held === null;
    if (document.activeElement !== this.field || this.state.held !== null) this.field.value = none ? "" : String(at);
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
    this.drawNumbers();
    this.follow();
  }

  private drawNumbers(): void {
    const { choices, view } = this.state;
    const wanted = choices.strategies.find(({ name }) => name === view.strategy)?.numbers ?? [];
    const had = [...this.numbers.querySelectorAll("input")];
    if (had.map((each) => each.name).join() === wanted.map((each) => each.name).join()) {
      for (const [i, each] of had.entries()) if (document.activeElement !== each) each.value = String(wanted[i].value);
      return;
    }
    this.numbers.replaceChildren(
      ...wanted.map(({ name, title, value, step, max, about }) =>
        h(
          "label",
          { title: about },
          h("span", { class: "muted" }, name.split("_")[0]),
          h("input", { type: "number", class: "amount small", "aria-label": title, name, value, step, min: 0, max }),
        ),
      ),
    );
  }

  private listen(signal: AbortSignal): void {
    const { slider, field } = this;
    slider.addEventListener("pointerdown", () => this.host.begin(), { signal });
    slider.addEventListener("focus", () => this.host.begin(), { signal });
    slider.addEventListener("keydown", (event) => event.stopPropagation(), { signal });
    slider.addEventListener("pointerup", () => this.host.end(), { signal });
    slider.addEventListener("blur", () => this.host.end(), { signal });
    slider.addEventListener(
      "input",
      () => {
        this.host.begin(false);
        this.host.slide({ command: "budget", tokens: Number(slider.value) });
      },
      { signal },
    );
    field.addEventListener("change", () => this.typed(), { signal });
    this.strategy.addEventListener("change", () => this.host.ask({ command: "strategy", name: this.strategy.value }), {
      signal,
    });
    this.tokenizer.addEventListener(
      "change",
      () => this.host.ask({ command: "tokenizer", name: this.tokenizer.value }),
      {
        signal,
      },
    );
    this.numbers.addEventListener(
      "change",
      (event) => {
        const { name, value, valueAsNumber } = event.target as HTMLInputElement;
        if (value === "" || !Number.isFinite(valueAsNumber)) this.drawControls();
        else
          this.host.ask({ command: "strategy", name: this.state.view.strategy, settings: { [name]: valueAsNumber } });
      },
      { signal },
    );
  }

  private typed(): void {
    const { field } = this;
    if (field.value === "" && !field.validity.badInput) this.host.ask({ command: "budget", tokens: null });
    else if (field.valueAsNumber >= 1) {
      this.host.begin();
      this.host.slide({ command: "budget", tokens: Math.round(field.valueAsNumber) });
      this.host.end();
    } else this.follow();
  }
}

const tag = (words: string): HTMLElement => h("span", { class: "tag" }, harmless(words));

/** What came of it, in words. */
export function sentence({ view }: State): (string | Node)[] {
  const about = view.estimated ? "about " : "";
  if (view.budget === null) {
    const why = view.to_come ? "the cut is still to come" : "no budget";
    return [`${about}${many(view.sent, "token")}, `, h("b", {}, why)];
  }
  const free = view.budget - view.sent;
  const short = view.shortened ? `, ${grouped(view.shortened)} shortened` : "";
  const room = free >= 0 ? `${about}${many(free, "token")} free` : `${many(-free, "token")} over budget`;
  return [`${many(view.cut, "unit")} cut${short}, `, h("b", {}, room)];
}
