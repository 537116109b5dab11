// The origins of a value as a row of squares: which counts, which are overruled. One press goes back to another.

import { h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { valueText } from "../_shared/setting_values";
import { type Field, type FormHost, squaresOf } from "./payload";

const WORDS = { counts: "counts", overruled: "overruled", empty: "not set here" } as const;

export class OriginSquares {
  readonly element = h("div", { class: "og" });
  private readonly squares: HTMLButtonElement[];
  private readonly name = h("span", {});
  private field: Field | null = null;

  constructor(
    title: string,
    private readonly origins: readonly string[],
    host: FormHost,
  ) {
    this.squares = origins.map((origin) => {
      const square = h("button", { type: "button", class: "sq", "data-origin": origin }, h("i", {}));
      const press = () => {
        if (square.getAttribute("aria-disabled") !== "true" && this.field)
          host.send({ command: "back_to", name: this.field.name, origin });
      };
      square.addEventListener("click", press, { signal: host.signal });
      return square;
    });
    const row = h("span", { class: "sqs", role: "group", "aria-label": `Origins of ${harmless(title)}` }, this.squares);
    roving(row, () => this.squares, { signal: host.signal });
    this.element.append(row, this.name);
  }

  update(field: Field): void {
    this.field = field;
    const states = squaresOf(this.origins, field);
    for (const [i, square] of this.squares.entries()) {
      const state = states[i];
      const origin = this.origins[i];
      const value = state === "empty" ? "" : ` ${valueText(field.values[origin])}`;
      const goes = i < this.origins.indexOf(field.origin) && (state === "overruled" || origin === "default");
      square.dataset.state = state;
      square.title = harmless(`${origin}:${value || ` ${WORDS.empty}`}${goes ? "; press to go back to it" : ""}`);
      square.setAttribute("aria-label", harmless(`${origin}:${value} ${WORDS[state]}`));
      square.setAttribute("aria-disabled", String(!goes));
    }
    if (!this.squares.some((each) => each === document.activeElement))
      onlyStop(this.squares, Math.max(0, this.origins.indexOf(field.origin)));
    const own = this.origins.indexOf(field.origin) > 1;
    this.name.className = own ? "strong" : "ink2";
    this.name.textContent = field.origin;
  }
}
