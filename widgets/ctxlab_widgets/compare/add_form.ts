// One more column: what it shall have otherwise than the base.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import type { Command, CompareHost, State } from "./payload";

/** Whole numbers from here on arrive in Python as others or not as whole ones: it refuses this one. */
const UNCOUNTABLE = 2 ** 53;

export class AddForm {
  readonly element = h("form", { class: "adding", hidden: true, "aria-label": "Add a column", novalidate: true });
  readonly button = h("button", { type: "button", class: "btn", "aria-expanded": "false" }, "Add a column");
  private fields = new Map<string, HTMLSelectElement | HTMLInputElement>();
  private choices = "";
  /** How many columns there were when one more was asked for; null when none is awaited. */
  private awaiting: number | null = null;

  constructor(
    private readonly state: State,
    private readonly host: CompareHost,
  ) {
    const { signal } = host;
    this.button.addEventListener("click", () => (this.element.hidden ? this.open() : this.close()), { signal });
    this.element.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        this.submit();
      },
      { signal },
    );
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Takes over what there is to choose from; a column that came as asked closes the form. */
  draw(): void {
    const { strategies, agents, leaves, columns } = this.state.view;
    const choices = JSON.stringify([strategies, agents, leaves]);
    if (choices !== this.choices) this.build();
    this.choices = choices;
    if (this.awaiting !== null && columns.length > this.awaiting) this.close();
  }

  /** The fields anew, with what was chosen in them where it can still be. */
  private build(): void {
    const before = new Map([...this.fields].map(([name, field]) => [name, field.value]));
    this.fields = new Map();
    this.element.replaceChildren(...this.inside());
    for (const [name, field] of this.fields) {
      field.value = before.get(name) ?? "";
      if (!field.value) field.value = ""; // a choice that is gone leaves a select with none at all
    }
  }

  private open(): void {
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.fields.values().next().value?.focus();
  }

  private close(): void {
    const inside = this.element.contains(document.activeElement);
    this.awaiting = null;
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    for (const field of this.fields.values()) field.value = "";
    if (inside) this.button.focus();
  }

  /** Enter in a field adds the column: a notebook may give the form no `submit` for it. */
  private pressed(event: KeyboardEvent): void {
    const isAdd = event.key === "Enter" && event.target instanceof HTMLInputElement && !event.isComposing;
    if (event.key !== "Escape" && !isAdd) return;
    taken(event);
    if (isAdd) this.submit();
    else this.close();
  }

  private submit(): void {
    const values = Object.fromEntries([...this.fields].map(([name, field]) => [name, field.value]));
    const what: Command = { command: "add" };
    if (values.strategy) what.strategy = values.strategy;
    if (values.agent) what.agent = values.agent;
    if (values.leaf) what.leaf = values.leaf;
    if (values.budget) what.budget = Math.min(Math.round(Number(values.budget)), UNCOUNTABLE);
    this.awaiting = this.state.view.columns.length;
    this.host.send(what);
  }

  private inside(): HTMLElement[] {
    const { view } = this.state;
    const same = (list: string[]): [string, string][] => list.map((each) => [each, each]);
    const out = [this.choice("strategy", "Strategy", same(view.strategies)), this.budget()];
    if (view.agents.length > 1) out.push(this.choice("agent", "Agent", view.agents));
    const branches = view.leaves.map(([id, words]): [string, string] => [id, `${id} ${words}`]);
    if (branches.length) out.push(this.choice("leaf", "Branch", branches));
    const cancel = h("button", { type: "button", class: "btn quiet" }, "Cancel");
    cancel.addEventListener("click", () => this.close(), { signal: this.host.signal });
    return [...out, h("div", { class: "does" }, h("button", { type: "submit", class: "btn" }, "Add"), cancel)];
  }

  private choice(name: string, label: string, options: [string, string][]): HTMLElement {
    const field = h(
      "select",
      { name },
      h("option", { value: "" }, "as in the base"),
      options.map(([value, words]) => h("option", { value }, harmless(words))),
    );
    this.fields.set(name, field);
    return h("label", {}, h("span", { class: "ink2" }, label), field);
  }

  private budget(): HTMLElement {
    const field = h("input", { type: "number", name: "budget", min: 1, step: 1, placeholder: "as in the base" });
    this.fields.set("budget", field);
    return h("label", {}, h("span", { class: "ink2" }, "Budget"), field);
  }
}
