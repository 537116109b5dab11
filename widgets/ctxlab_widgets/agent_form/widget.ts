// An agent's parameters and steps as a form, with the origin of each value and the request that they become.

import sidePanel from "../_shared/components/side_panel.css";
import { glyph, h, harmless } from "../_shared/dom";
import { FoldSection } from "../_shared/fold_section";
import sections from "../_shared/form_sections.css";
import { FormTools } from "../_shared/form_tools";
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
  private readonly tools: FormTools;
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
    this.tools = new FormTools(at, (command) => this.send(command));
    const { undo, redo, save: keep } = this.tools;
    const tools = [
      this.name,
      this.models,
      this.show.element,
      h("span", { class: "sp" }),
      live && h("div", { class: "group" }, undo, redo),
      live && keep,
    ];
    this.head = new ViewHead("Agent", tools, KEYS, { root, signal });
    this.steps = new StepList(this);
    this.side = new Side(this);
    this.main = h("div", { class: "agf" }, this.fields, this.side.element);
    this.frame.append(this.empty, this.head.element, this.main);
    root.append(this.frame);
    this.models.addEventListener("change", () => this.send({ command: "model", name: this.models.value }), { signal });
    whenChanged(at, ["view", "shown", "refused", "error", "report", "initial_settings"], () => this.draw());
    this.draw();
  }

  send(command: Command): void {
    if (this.model.get("live") !== false) this.model.send(command);
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
    this.tools.update(view);
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
  private readonly section: FoldSection;
  private group: Group | null = null;
  private wasOpened = false;
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
    const noteOf = (isOpen: boolean) => (this.group ? (isOpen ? this.group.note : closedWords(this.group)) : "");
    this.section = new FoldSection(title, host.signal, noteOf);
    this.section.inside.append(this.drawn, this.fold, this.folded);
    this.element = this.section.element;
  }

  update(group: Group, shown: string, refused: string, text: string): void {
    const { folded } = sorted(group, shown);
    this.element.hidden = group.fields.length === 0;
    this.group = group;
    if (this.wasOpened) this.section.update();
    else this.section.open(opensAtFirst(group));
    this.wasOpened = true;
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

  private toggle(): void {
    this.folded.hidden = !this.folded.hidden;
    this.fold.setAttribute("aria-expanded", String(!this.folded.hidden));
  }
}

export default widget("Agent form", form + sections + sidePanel + own, (at) => void new AgentForm(at));
