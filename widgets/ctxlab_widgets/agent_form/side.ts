// Beside the fields: the request without its messages, notes, and what the squares mean.

import { glyph, h, harmless } from "../_shared/dom";
import type { FormHost, FormView } from "./payload";

export class Side {
  readonly element = h("aside", { class: "side", "aria-label": "The request" });
  private readonly vendor = h("span", { class: "muted" });
  private readonly body = h("pre", { class: "py", tabindex: 0, "aria-label": "Parameters in the request's body" });
  private readonly notes = h("ul", { class: "notes" });
  private readonly none = h("p", { class: "ink2" }, "None: all of it is sent as it is.");
  private readonly order = h("p", { class: "ink2" });

  constructor(private readonly host: FormHost) {
    const squares = [
      ["overruled", "set, but overruled"],
      ["counts", "the one that counts"],
      ["empty", "not set here"],
    ].map(([state, words]) =>
      h(
        "li",
        { class: "og" },
        h("span", { class: "sq", "data-state": state }, h("i", {})),
        h("span", { class: "ink2" }, words),
      ),
    );
    this.element.append(
      h("section", {}, h("h3", {}, "Leaves as", this.vendor), this.body),
      h("section", {}, h("h3", {}, "Notes"), this.notes, this.none),
      h("section", {}, h("h3", {}, "Where values come from"), h("ul", { class: "legend" }, squares), this.order),
    );
  }

  update(view: FormView): void {
    this.vendor.textContent = harmless(view.provider);
    this.body.replaceChildren(
      ...view.body.flatMap(({ text, wrong }) => {
        const indent = /^ */.exec(text)![0];
        return [indent, h("span", wrong ? { class: "ls" } : {}, harmless(text.slice(indent.length))), "\n"];
      }),
    );
    const wasInside = this.notes.contains(document.activeElement);
    this.none.hidden = view.notes.length > 0;
    this.notes.replaceChildren(
      ...view.notes.map(({ level, text, fixes }) =>
        h(
          "li",
          { class: level },
          glyph(level),
          h("span", {}, harmless(text)),
          fixes.length > 0 &&
            h(
              "span",
              { class: "fx" },
              fixes.map((label) => this.fix(label)),
            ),
        ),
      ),
    );
    if (wasInside) this.body.focus(); // the button that was pressed is gone
    this.order.textContent = `${view.origins.join(", ")}, from left to right. Press a square: back to that value.`;
  }

  private fix(label: string): HTMLElement {
    const button = h("button", { type: "button", class: "btn small" }, harmless(label));
    button.addEventListener("click", () => this.host.send({ command: "fix", label }), { signal: this.host.signal });
    return button;
  }
}
