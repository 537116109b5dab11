// Undo, redo and save of a form, as buttons and as keys.

import { h, harmless } from "./dom";
import { taken } from "./keyboard";
import type { Mounted } from "./mount";

export interface FormChanges {
  undo: string | null;
  redo: string | null;
  dirty: boolean;
  /** What is wrong, so that nothing can be saved. */
  errors: number;
  /** The file that is written. */
  path: string;
}

type Verb = "undo" | "redo" | "save";

export class FormTools {
  readonly undo = tool("Undo", "undo");
  readonly redo = tool("Redo", "redo");
  readonly save = tool("Save", "save");

  constructor(
    { model, root, signal }: Mounted,
    private readonly send: (command: { command: Verb }) => void,
  ) {
    for (const [button, command] of [
      [this.undo, "undo"],
      [this.redo, "redo"],
      [this.save, "save"],
    ] as const)
      button.addEventListener("click", () => this.press(button, command), { signal });
    const isInPage = () => ((model.get("views") as string[] | undefined) ?? []).length > 0;
    root.addEventListener("keydown", (event) => this.pressed(event, isInPage()), { signal });
  }

  update({ undo, redo, dirty, errors, path }: FormChanges): void {
    able(this.undo, undo !== null, undo && `Undo ${undo}`);
    able(this.redo, redo !== null, redo && `Redo ${redo}`);
    const why = errors ? "Mend what is wrong first" : "There is nothing to save";
    able(this.save, dirty && !errors, dirty && !errors ? path || "Save" : why);
  }

  private press(button: HTMLElement, command: Verb): void {
    if (button.getAttribute("aria-disabled") !== "true") this.send({ command });
  }

  private pressed(event: KeyboardEvent, isInPage: boolean): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const typing = (event.target as Element).matches("input:not([type=range], [type=checkbox]), textarea");
    if (key === "s" && !this.save.hidden) this.press(this.save, "save");
    else if (key === "z" && !typing && !isInPage)
      this.press(event.shiftKey ? this.redo : this.undo, event.shiftKey ? "redo" : "undo");
    else return;
    taken(event);
  }
}

const tool = (label: string, does: Verb) => h("button", { type: "button", class: "btn", "data-does": does }, label);

function able(button: HTMLElement, is: boolean, title: string | null): void {
  button.setAttribute("aria-disabled", String(!is));
  button.title = harmless(title ?? "");
}
