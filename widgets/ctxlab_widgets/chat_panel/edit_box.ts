// A message's words in a field of their own, in its place: saved there, or as a branch beside it.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";

export type EditKind = "edit" | "branch";

export interface EditHost {
  text: string;
  /** Whether a branch is answered at once, as that of the user's words is. */
  sends: boolean;
  /** What Ctrl+Enter does. */
  first: EditKind;
  can: (kind: EditKind) => boolean;
  save(kind: EditKind, text: string): void;
  cancel(): void;
  typed(text: string): void;
}

const MOST_LINES = 24;

export class EditBox {
  readonly element: HTMLElement;
  private readonly field = h("textarea", { class: "ebox", "aria-label": "Text of the message", dir: "auto" });

  constructor(private readonly host: EditHost) {
    this.field.value = host.text;
    this.field.addEventListener("input", () => {
      this.grow();
      host.typed(this.field.value);
    });
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    const kinds = (["edit", "branch"] as const).filter(host.can);
    const labels = { edit: "Save", branch: host.sends ? "As a branch, and send" : "As a branch" };
    const keys = `Ctrl+Enter: ${labels[host.first]}, Esc: Cancel`;
    this.element = h(
      "div",
      { class: "editing" },
      this.field,
      h(
        "div",
        { class: "row" },
        kinds.map((kind) => this.button(labels[kind], () => this.save(kind), kind === host.first)),
        this.button("Cancel", () => host.cancel()),
        h("span", { class: "muted f11" }, keys),
      ),
    );
    this.grow();
  }

  focus(): void {
    this.field.focus({ preventScroll: true });
    this.field.setSelectionRange(this.field.value.length, this.field.value.length);
  }

  private button(label: string, act: () => void, isFirst = false): HTMLElement {
    const button = h("button", { type: "button", class: `btn small${isFirst ? " strong" : ""}` }, label);
    button.addEventListener("click", act);
    return button;
  }

  private save(kind: EditKind): void {
    this.host.save(kind, this.field.value);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Escape") {
      taken(event);
      this.host.cancel();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      taken(event);
      this.save(this.host.first);
    }
  }

  /** As many lines as the words take; a browser that fits fields itself does it better. */
  private grow(): void {
    const lines = this.field.value.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 90), 0);
    this.field.rows = Math.min(MOST_LINES, Math.max(2, lines));
  }
}
