// One field and its new value, for all entries that are picked.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { options } from "./options";

export const FIELDS = ["enabled", "order", "depth", "position", "group", "probability"];
const NUMBERS = new Set(["order", "depth", "probability"]);

export class BulkChange {
  private readonly field = h("select", { "aria-label": "Field to change" });
  private readonly choice = h("select", { "aria-label": "New value" });
  private readonly typed = h("input", { class: "field", "aria-label": "New value" });
  private readonly apply = h("button", { type: "button", class: "btn" }, "Change");
  readonly element = h("span", { class: "bulk" }, this.field, this.choice, this.typed, this.apply);
  private positions: string[] = [];

  constructor(
    private readonly change: (field: string, value: unknown) => void,
    signal: AbortSignal,
  ) {
    options(this.field, FIELDS, "enabled");
    this.field.addEventListener("change", () => this.choose(), { signal });
    this.apply.addEventListener("click", () => this.send(), { signal });
    this.typed.addEventListener(
      "keydown",
      (event) => {
        if (event.key !== "Enter" || event.isComposing) return;
        taken(event);
        this.send();
      },
      { signal },
    );
    this.choose();
  }

  draw(positions: string[], picked: number): void {
    if (positions.join() !== this.positions.join()) {
      this.positions = positions;
      this.choose();
    }
    this.apply.disabled = !picked;
  }

  /** The control that fits the field. */
  private choose(): void {
    const field = this.field.value;
    const choices = field === "enabled" ? ["on", "off"] : field === "position" ? this.positions : [];
    options(this.choice, choices, this.choice.value);
    this.choice.hidden = !choices.length;
    this.typed.hidden = choices.length > 0;
    this.typed.type = NUMBERS.has(field) ? "number" : "text";
  }

  private send(): void {
    if (this.apply.disabled) return;
    const field = this.field.value;
    if (field === "enabled") this.change(field, this.choice.value === "on");
    else if (field === "position") this.change(field, this.choice.value);
    else if (!NUMBERS.has(field)) this.change(field, this.typed.value);
    else if (this.typed.value !== "") this.change(field, Number(this.typed.value));
  }
}
