// Settings by section as a form: those of a chat and of plugins, and those of a user profile.

import { glyph, h, harmless } from "../_shared/dom";
import { FoldSection } from "../_shared/fold_section";
import sections from "../_shared/form_sections.css";
import { FormTools } from "../_shared/form_tools";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { type FormHost, type FormState, type InitialSettings, SettingsForm } from "../_shared/settings_form";
import form from "../_shared/settings_form.css";
import { ViewHead } from "../_shared/view_head";
import { type Command, type FormView, opensAtFirst, type Section, setWords } from "./payload";
import own from "./widget.css";

const EMPTY = "Nothing to edit yet: UserForm(user) edits a profile, SettingsForm() the settings of plugins.";
const KEYS = [
  ["Enter, Escape", "take over what is typed, or give it back; in several lines Ctrl+Enter, or leaving the field"],
  ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"],
  ["Ctrl+S", "save, where there is something to save"],
] as const;

class SectionForm implements FormHost {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly name = h("span", { class: "r-user who" });
  private readonly tools: FormTools;
  private readonly head: ViewHead;
  private readonly notes = h("div", { class: "secnotes" });
  private readonly pane = h("div", { class: "pane" });
  private boxes: SectionBox[] = [];

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    const live = model.get("live") !== false;
    this.tools = new FormTools(at, (command) => this.send(command));
    const { undo, redo, save } = this.tools;
    const tools = [
      this.name,
      h("span", { class: "sp" }),
      live && h("div", { class: "group" }, undo, redo),
      live && save,
    ];
    this.head = new ViewHead(this.view()?.title ?? "Settings", tools, KEYS, { root, signal });
    root.append(h("div", { class: "w" }, this.empty, this.head.element, this.notes, this.pane));
    whenChanged(at, ["view", "refused", "error", "report", "initial_settings"], () => this.draw());
    this.draw();
  }

  send(command: Command): void {
    if (this.model.get("live") !== false) this.model.send(command);
  }

  private view(): FormView | null {
    const text = this.model.get("view") as string;
    return text ? (JSON.parse(text) as FormView) : null;
  }

  private draw(): void {
    const view = this.view();
    this.empty.hidden = view !== null;
    this.head.element.hidden = this.pane.hidden = this.notes.hidden = view === null;
    if (!view) return;
    const error = this.model.get("error") as string;
    const report = this.model.get("report") as string;
    const words = report && !view.dirty ? `${report} ${view.sentence}` : view.sentence;
    this.head.answer(harmless(error || words), error !== "");
    this.name.hidden = !view.name;
    this.name.replaceChildren(glyph("user"), h("span", {}, harmless(view.name)));
    this.tools.save.hidden = !view.saves;
    this.tools.update({ ...view, errors: 0, path: "" });
    const line = (note: string) => h("div", { class: "secnote" }, glyph("warning"), h("p", {}, harmless(note)));
    this.notes.replaceChildren(...view.notes.map(line));
    this.drawSections(view);
  }

  private drawSections({ sections }: FormView): void {
    const refused = this.model.get("refused") as { step?: string; name?: string; text?: string };
    const initial = this.model.get("initial_settings") as string;
    const state: FormState = {
      initialSettings: initial ? (JSON.parse(initial) as InitialSettings) : {},
      refused: refused.text ? { step: refused.step ?? "", name: refused.name ?? "", text: refused.text } : null,
    };
    const same = sections.length === this.boxes.length && sections.every((each, i) => this.boxes[i].fits(each));
    if (!same) {
      this.boxes = sections.map((section) => new SectionBox(section, this, sections.length));
      this.pane.replaceChildren(...this.boxes.map(({ element }) => element));
    }
    for (const [i, box] of this.boxes.entries()) box.update(sections[i], state);
  }
}

/** The fields of a section under its heading. */
class SectionBox {
  readonly element: HTMLElement;
  private readonly fold: FoldSection;
  private readonly form: SettingsForm;

  constructor(
    private section: Section,
    host: FormHost,
    count: number,
  ) {
    this.fold = new FoldSection(section.title, host.signal, (isOpen) => (isOpen ? "" : setWords(this.section)));
    this.form = new SettingsForm(section.id, section, null, host);
    this.form.element.setAttribute("aria-label", harmless(section.title));
    const about = section.description && h("p", { class: "muted" }, harmless(section.description));
    this.fold.inside.append(...(about ? [about] : []), this.form.element);
    this.element = this.fold.element;
    this.element.dataset.section = section.id;
    this.fold.open(opensAtFirst(section, count));
  }

  fits(section: Section): boolean {
    const { id, title, description } = this.section;
    const same = id === section.id && title === section.title && description === section.description;
    return same && this.form.fits(section, null);
  }

  update(section: Section, state: FormState): void {
    this.section = section;
    this.form.update(state, section, null);
    if (state.refused?.step === section.id) this.fold.open(true);
    else this.fold.update();
  }
}

export default widget("Form", form + sections + own, (at) => void new SectionForm(at));
