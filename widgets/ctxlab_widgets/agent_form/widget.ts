// An agent's parameters and steps as a form, with the origin of each value and the request that they become.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { radios } from "../_shared/radios";
import type { FormState, InitialSettings } from "../_shared/settings_form";
import form from "../_shared/settings_form.css";
import { ViewHead } from "../_shared/view_head";
import { FieldRow } from "./field_row";
import {
  type Command,
  closedWords,
  type FormHost,
  type FormView,
  foldWords,
  type Group,
  isKept,
  opensAtFirst,
  sorted,
} from "./payload";
import { Side } from "./side";
import { StepList } from "./step_list";
import own from "./widget.css";

const EMPTY = "No agent yet: AgentForm(agent) edits one, AgentForm(\u201cfile.json\u201d) the one in a file.";
const KEYS = [
  ["Enter, Escape", "take over what is typed, or give it back"],
  ["Up, Down", "a number by one step, with Shift by ten"],
  ["Left, Right", "walk through the origins of a value; Enter goes back to one"],
  ["Alt+Up, Alt+Down", "move a step"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["Ctrl+S", "save"],
] as const;

class AgentForm implements FormHost {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private readonly frame = h("div", { class: "w" });
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly name = h("span", { class: "r-assistant who" });
  private readonly models = h("select", { "aria-label": "Model" });
  private readonly undo = this.button("Undo", "undo");
  private readonly redo = this.button("Redo", "redo");
  private readonly save = this.button("Save", "save");
  private readonly show: ReturnType<typeof radios>;
  private readonly head: ViewHead;
  private readonly groups = new Map<string, GroupBox>();
  private readonly fields = h("div", { class: "pane" });
  private readonly main: HTMLElement;
  private readonly steps: StepList;
  private readonly side: Side;

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    const live = model.get("live") !== false;
    this.show = radios(
      "Show",
      { model: "For this model", all: "All" },
      (shown) => {
        save(model, { shown });
        this.draw();
      },
      signal,
    );
    const tools = [
      this.name,
      this.models,
      this.show.element,
      h("span", { class: "sp" }),
      live && h("div", { class: "group" }, this.undo, this.redo),
      live && this.save,
    ];
    this.head = new ViewHead("Agent", tools, KEYS, { root, signal });
    this.steps = new StepList(this);
    this.side = new Side(this);
    this.main = h("div", { class: "agf" }, this.fields, this.side.element);
    this.frame.append(this.empty, this.head.element, this.main);
    root.append(this.frame);
    for (const [button, command] of [
      [this.undo, "undo"],
      [this.redo, "redo"],
      [this.save, "save"],
    ] as const)
      button.addEventListener("click", () => this.press(button, command), { signal });
    this.models.addEventListener("change", () => this.send({ command: "model", name: this.models.value }), { signal });
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    whenChanged(at, ["view", "shown", "refused", "error", "report", "initial_settings"], () => this.draw());
    this.draw();
  }

  send(command: Command): void {
    if (this.model.get("live") !== false) this.model.send(command);
  }

  private button(label: string, name: string): HTMLButtonElement {
    return h("button", { type: "button", class: "btn", "data-does": name }, label);
  }

  private press(button: HTMLElement, command: "undo" | "redo" | "save"): void {
    if (button.getAttribute("aria-disabled") !== "true") this.send({ command });
  }

  private pressed(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const typing = (event.target as Element).matches("input:not([type=range], [type=checkbox]), textarea");
    const inPage = ((this.model.get("views") as string[] | undefined) ?? []).length > 0;
    if (key === "s") this.press(this.save, "save");
    else if (key === "z" && !typing && !inPage)
      this.press(event.shiftKey ? this.redo : this.undo, event.shiftKey ? "redo" : "undo");
    else return;
    taken(event);
  }

  private draw(): void {
    const text = this.model.get("view") as string;
    const view = text ? (JSON.parse(text) as FormView) : null;
    this.empty.hidden = view !== null;
    this.head.element.hidden = this.main.hidden = view === null;
    if (!view) return;
    const error = this.model.get("error") as string;
    const report = this.model.get("report") as string;
    this.head.answer(
      harmless(error || (report && !view.dirty ? `${report} ${view.sentence}` : view.sentence)),
      error !== "",
    );
    this.name.replaceChildren(glyph("assistant"), h("span", {}, harmless(view.agent)));
    this.name.title = harmless(view.path || view.agent);
    this.drawModels(view);
    const shown = this.model.get("shown") as string;
    this.show.set(shown);
    this.able(this.undo, view.undo !== null, view.undo && `Undo ${view.undo}`);
    this.able(this.redo, view.redo !== null, view.redo && `Redo ${view.redo}`);
    const why = view.errors ? "Mend what is wrong first" : "There is nothing to save";
    this.able(this.save, view.dirty && !view.errors, view.dirty && !view.errors ? view.path || "Save" : why);
    const refused = this.model.get("refused") as { step?: string; name?: string; text?: string };
    const state = { step: refused.step ?? "", name: refused.name ?? "", text: refused.text ?? "" };
    this.drawGroups(view, shown, state);
    const settings = this.model.get("initial_settings") as string;
    const formState: FormState = {
      initialSettings: settings ? (JSON.parse(settings) as InitialSettings) : {},
      refused: state.step ? state : null,
    };
    this.steps.update(view.steps, formState);
    this.side.update(view);
  }

  private able(button: HTMLElement, is: boolean, title: string | null): void {
    button.setAttribute("aria-disabled", String(!is));
    button.title = harmless(title ?? "");
  }

  private drawModels(view: FormView): void {
    const names = [...this.models.options].map((option) => option.value);
    if (names.join("\n") !== view.models.join("\n"))
      this.models.replaceChildren(...view.models.map((name) => h("option", { value: name }, harmless(name))));
    this.models.value = view.model;
  }

  private drawGroups(view: FormView, shown: string, refused: { step: string; name: string; text: string }): void {
    for (const group of view.groups) {
      let box = this.groups.get(group.title);
      if (!box) {
        box = new GroupBox(group.title, view.origins, this);
        this.groups.set(group.title, box);
        this.fields.append(box.element);
      }
      box.update(group, shown, refused.step ? "" : refused.name, refused.text);
    }
    if (this.fields.lastElementChild !== this.steps.element) this.fields.append(this.steps.element);
  }
}

/** Fields under a heading; those that aren't sent are folded into one line that says so. */
class GroupBox {
  readonly element: HTMLElement;
  private readonly note = h("span", { class: "muted" });
  private readonly inside = h("div", {});
  private readonly title: HTMLButtonElement;
  private group: Group | null = null;
  private isOpen: boolean | null = null;
  private readonly drawn = h("div", {});
  private readonly folded = h("div", { hidden: true });
  private readonly fold: HTMLButtonElement;
  private readonly words = h("span", { class: "fw" });
  private readonly kept = h("span", { class: "muted" }, "kept");
  private readonly rows = new Map<string, FieldRow>();

  constructor(
    title: string,
    private readonly origins: readonly string[],
    private readonly host: FormHost,
  ) {
    this.fold = h("button", { type: "button", class: "fold", "aria-expanded": "false" }, this.words, this.kept);
    this.fold.addEventListener("click", () => this.toggle(), { signal: host.signal });
    this.inside.append(this.drawn, this.fold, this.folded);
    this.title = h("button", { type: "button", class: "fold" }, h("b", {}, title));
    this.title.addEventListener("click", () => this.open(!this.isOpen), { signal: host.signal });
    const head = h("h3", {}, this.title, this.note);
    this.element = h("section", { class: "fg", "aria-label": title }, head, this.inside);
  }

  update(group: Group, shown: string, refused: string, text: string): void {
    const { folded } = sorted(group, shown);
    this.element.hidden = group.fields.length === 0;
    this.group = group;
    this.open(this.isOpen ?? opensAtFirst(group));
    this.fold.hidden = folded.length === 0;
    if (!folded.length) this.folded.hidden = true;
    this.fold.setAttribute("aria-expanded", String(!this.folded.hidden));
    this.words.textContent = harmless(foldWords(folded));
    this.kept.hidden = !folded.some(isKept);
    for (const field of group.fields) {
      let row = this.rows.get(field.name);
      if (!row?.fits(field)) {
        const made = new FieldRow(field, this.origins, this.host);
        row?.element.replaceWith(made.element);
        this.rows.set(field.name, made);
        row = made;
      }
      const place = folded.includes(field) ? this.folded : this.drawn;
      if (row.element.parentElement !== place) this.put(row.element, place, group);
      row.update(field, field.name === refused ? text : "");
    }
  }

  /** Into a list, at the place that the group's order gives it. */
  private put(element: HTMLElement, list: HTMLElement, group: Group): void {
    const order = group.fields.map((field) => field.name);
    const at = order.indexOf(element.dataset.name!);
    const next = [...list.children].find((each) => order.indexOf((each as HTMLElement).dataset.name!) > at);
    list.insertBefore(element, next ?? null);
  }

  private open(is: boolean): void {
    this.isOpen = is;
    this.inside.hidden = !is;
    this.title.setAttribute("aria-expanded", String(is));
    this.element.classList.toggle("closed", !is);
    if (this.group) this.note.textContent = harmless(is ? this.group.note : closedWords(this.group));
  }

  private toggle(): void {
    this.folded.hidden = !this.folded.hidden;
    this.fold.setAttribute("aria-expanded", String(!this.folded.hidden));
  }
}

export default widget("Agent form", form + own, (at) => void new AgentForm(at));
