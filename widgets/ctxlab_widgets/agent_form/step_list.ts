// The steps in order: on or off, at another place, each with its settings.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type FormState, SettingsForm } from "../_shared/settings_form";
import type { FormHost, FormStep } from "./payload";

export class StepList {
  readonly element = h("section", { class: "fg steps", "aria-label": "Steps" });
  private readonly note = h("span", { class: "muted" });
  private readonly list = h("ol", { class: "steplist" });
  private readonly rows = new Map<string, StepRow>();

  constructor(private readonly host: FormHost) {
    this.element.append(h("h3", {}, "Steps", this.note), this.list);
  }

  update(steps: readonly FormStep[], state: FormState): void {
    const on = steps.filter((step) => step.enabled).length;
    this.note.textContent = `${on} of ${steps.length} on; Alt with up or down moves one`;
    for (const [i, step] of steps.entries()) {
      const row = this.rows.get(step.id) ?? new StepRow(step, this.host);
      this.rows.set(step.id, row);
      row.update(step, i, steps.length, state);
    }
    const wanted = steps.map((step) => this.rows.get(step.id)!.element);
    if (wanted.some((element, i) => this.list.children[i] !== element) || this.list.children.length !== wanted.length) {
      const focused = document.activeElement as HTMLElement | null;
      this.list.replaceChildren(...wanted);
      if (focused && this.list.contains(focused)) focused.focus();
    }
  }
}

class StepRow {
  readonly element = h("li", { class: "st" });
  private readonly box: HTMLInputElement;
  private readonly name: HTMLButtonElement;
  private readonly changed = h("span", { class: "tag" }, "changed");
  private readonly up: HTMLButtonElement;
  private readonly down: HTMLButtonElement;
  private readonly place = h("div", { class: "stform", hidden: true });
  private readonly about: HTMLElement;
  private form: SettingsForm | null = null;
  private at = 0;
  private last: { step: FormStep; state: FormState } | null = null;

  constructor(
    step: FormStep,
    private readonly host: FormHost,
  ) {
    const { signal } = host;
    const name = harmless(step.name);
    this.element.dataset.step = step.id;
    this.box = h("input", { type: "checkbox", "aria-label": `${name} on` });
    this.name = h(
      "button",
      { type: "button", class: "nm", "aria-expanded": "false", "aria-label": name, title: harmless(step.id) },
      name,
    );
    this.up = h("button", { type: "button", class: "btn small", "aria-label": `Move ${name} up` }, "\u2191");
    this.down = h("button", { type: "button", class: "btn small", "aria-label": `Move ${name} down` }, "\u2193");
    this.about = h("span", { class: "muted ab" }, harmless(step.description));
    const line = h("div", { class: "sl" }, this.box, this.name, this.about, this.changed, this.up, this.down);
    this.element.append(line, this.place);
    this.box.addEventListener("change", () => host.send({ command: "switch", step: step.id, on: this.box.checked }), {
      signal,
    });
    this.name.addEventListener("click", () => this.toggle(), { signal });
    this.up.addEventListener("click", () => this.move(-1), { signal });
    this.down.addEventListener("click", () => this.move(1), { signal });
    line.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  update(step: FormStep, at: number, count: number, state: FormState): void {
    this.at = at;
    this.last = { step, state };
    this.box.checked = step.enabled;
    this.element.classList.toggle("stoff", !step.enabled);
    this.changed.hidden = !step.changed;
    this.up.setAttribute("aria-disabled", String(at === 0));
    this.down.setAttribute("aria-disabled", String(at === count - 1));
    if (!this.place.hidden) this.draw();
  }

  private draw(): void {
    const { step, state } = this.last!;
    if (!Object.keys(step.settings).length) {
      this.place.replaceChildren(h("p", { class: "muted" }, "It has no settings."));
      return;
    }
    if (!this.form?.fits(step, null)) {
      this.form = new SettingsForm(step.id, step, null, this.host);
      this.place.replaceChildren(this.form.element);
    }
    this.form.update(state, step, null);
  }

  private toggle(): void {
    this.place.hidden = !this.place.hidden;
    this.name.setAttribute("aria-expanded", String(!this.place.hidden));
    if (!this.place.hidden) this.draw();
  }

  private move(by: number): void {
    const button = by < 0 ? this.up : this.down;
    if (button.getAttribute("aria-disabled") !== "true")
      this.host.send({ command: "move", step: this.last!.step.id, to: this.at + by });
  }

  private pressed(event: KeyboardEvent): void {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    taken(event);
    this.move(event.key === "ArrowUp" ? -1 : 1);
  }
}
