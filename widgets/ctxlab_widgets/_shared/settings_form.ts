// The settings of a step as fields. What is typed becomes a command; what Python holds is what stands there.

import { h, harmless } from "./dom";
import { taken } from "./keyboard";
import {
  alike,
  fieldText,
  hasLines,
  layerWords,
  parsedInput,
  type SliderRange,
  sliderEnds,
  stepped,
  valueText,
} from "./setting_values";
import type { Setting, Stage } from "./trace_view";

const PAUSE = 90; // milliseconds that a handle rests before the run is done again

/** What settings were in the run given at first: value and layer by name. */
export type InitialSettings = Record<
  string,
  { enabled: boolean; settings: Record<string, [value: unknown, layer: string]> }
>;

export interface FormState {
  initialSettings: InitialSettings;
  /** A value that a setting doesn't take, and why. */
  refused: { step: string; name: string; text: string } | null;
}

export interface FormHost {
  send(
    what:
      | { command: "set"; step: string; name: string; value: unknown; continues?: boolean }
      | { command: "undo"; step: string; name?: string },
  ): void;
  signal: AbortSignal;
}

/** What of a step its form draws. */
export type FormStage = Pick<Stage, "id" | "settings" | "groups">;

export class SettingsForm {
  readonly element = h("div", { class: "form", role: "group" });
  private readonly fields: SettingField[];

  constructor(
    readonly step: string,
    stage: FormStage,
    everything: number | null,
    host: FormHost,
  ) {
    this.element.setAttribute("aria-label", `Settings of ${step}`);
    this.fields = Object.entries(stage.settings).map(
      ([name, setting]) => new SettingField(step, name, setting, everything, host),
    );
    const byName = new Map(this.fields.map((field) => [field.name, field.elements]));
    const groups = stage.groups?.length ? stage.groups : [{ title: "", description: "", settings: [...byName.keys()] }];
    for (const { title, description, settings } of groups) {
      if (title) this.element.append(h("h4", {}, harmless(title)));
      if (description) this.element.append(h("p", { class: "hint about-group" }, harmless(description)));
      this.element.append(...settings.flatMap((name) => byName.get(name) ?? []));
    }
  }

  /** Whether these are the fields of a step as it is now. */
  fits(stage: FormStage, everything: number | null): boolean {
    const names = Object.keys(stage.settings);
    const same = this.step === stage.id && names.length === this.fields.length;
    return same && this.fields.every((field, i) => field.fits(names[i], stage.settings[names[i]], everything));
  }

  update(state: FormState, stage: FormStage, everything: number | null): void {
    for (const field of this.fields) {
      field.update(state, stage.settings[field.name], everything);
      field.hide(!isRead(stage, field.name));
    }
  }
}

/** Whether a setting is read with the others as they are: of a strategy that isn't chosen it isn't. */
export function isRead({ settings }: Pick<Stage, "settings">, name: string): boolean {
  const needed = settings[name].read_with;
  if (!needed) return true;
  const [other, values] = needed;
  return values.some((value) => alike(value, settings[other]?.value));
}

type Written = HTMLInputElement | HTMLTextAreaElement;

class SettingField {
  readonly elements: HTMLElement[];
  private readonly id = `cx-${Math.random().toString(36).slice(2)}`;
  private readonly about = h("span", { id: `${this.id}-hint` });
  private readonly error = h("p", { class: "wrong", id: `${this.id}-wrong`, role: "alert" });
  private readonly origin = h("span", { class: "layer" });
  private readonly back = h("button", { type: "button", class: "btn quiet back" }, "Undo");
  private readonly select: HTMLSelectElement | null = null;
  private readonly box: HTMLInputElement | null = null;
  private readonly text: Written | null = null;
  private readonly slider: HTMLInputElement | null = null;
  /** What the list offers, besides none. */
  private readonly choices: unknown[];
  private ends: SliderRange | null = null;
  private dragged = false;
  private wasWritten = false;
  private pause = 0;
  private sent: string | null = null;

  constructor(
    readonly step: string,
    readonly name: string,
    private setting: Setting,
    everything: number | null,
    private readonly host: FormHost,
  ) {
    const { type, optional, description } = setting;
    const title = this.title();
    const about = { id: this.id, "aria-describedby": `${this.id}-hint ${this.id}-wrong`, "data-name": name };
    let offered: HTMLElement | null = null;
    this.choices = type === "boolean" ? [true, false] : setting.choices;
    if (type === "choice" || (type === "boolean" && optional)) {
      const options = this.choices.map((choice, i) =>
        h("option", { value: i }, harmless(setting.labels?.[i] || valueText(choice))),
      );
      this.select = h("select", about, optional && h("option", { value: -1 }, "none"), options);
    } else if (type === "boolean") {
      this.box = h("input", { ...about, type: "checkbox" });
    } else if (type === "model") {
      const list = `${this.id}-list`;
      this.text = h("input", { ...about, type: "text", list, autocomplete: "off", class: "field long" });
      const models = setting.choices.map((name) => h("option", { value: harmless(String(name)) }));
      offered = h("datalist", { id: list }, models);
    } else if (type !== "integer" && type !== "number") {
      this.text = h("textarea", { ...about, rows: 1, spellcheck: "false", class: "field" });
    } else {
      this.text = h("input", { ...about, type: "text", inputmode: "decimal", autocomplete: "off", class: "field num" });
      if (sliderEnds(name, setting, everything))
        this.slider = h("input", { type: "range", "aria-label": `${harmless(title)}, slider`, "data-name": name });
    }
    if (this.text) this.text.placeholder = harmless(setting.placeholder || (optional ? "none" : ""));
    this.about.append(harmless(description), this.origin);
    this.back.setAttribute("aria-label", `Undo ${harmless(title)}`);
    this.back.setAttribute("data-undo", name);
    this.elements = [
      h("label", { for: this.id }, harmless(title)),
      h("div", { class: "control" }, this.slider, this.select, this.box, this.text, offered),
      h("div", { class: "beside" }, this.error, h("p", { class: "hint" }, this.about, this.back)),
    ];
    this.listen();
  }

  fits(name: string, setting: Setting, everything: number | null): boolean {
    const slides = this.dragged || sliderEnds(name, setting, everything) !== null;
    return name === this.name && slides === (this.slider !== null);
  }

  update({ initialSettings, refused }: FormState, setting: Setting, everything: number | null): void {
    const changed = !alike(this.setting.value, setting.value);
    this.setting = setting;
    const wrong = refused?.step === this.step && refused.name === this.name ? refused.text : "";
    const first = initialSettings[this.step]?.settings[this.name];
    const differs = first !== undefined && !alike(first[0], setting.value);
    const layer = layerWords(differs || !first ? setting.layer : first[1]);
    this.origin.textContent = layer && ` ${harmless(layer[0].toUpperCase() + layer.slice(1))}.`;
    this.back.hidden = !differs;
    this.back.title = differs ? harmless(`back to ${valueText(first[0])}`) : "";
    if (!this.dragged) this.ends = sliderEnds(this.name, setting, everything);
    this.complain(wrong || setting.error || "");
    if (!this.wasWritten || (!wrong && (changed || !this.isTouched()))) this.write();
  }

  hide(isHidden: boolean): void {
    for (const element of this.elements) element.hidden = isHidden;
  }

  private title(): string {
    return this.setting.title || this.name.replaceAll("_", " ").replace(/^./, (first) => first.toUpperCase());
  }

  /** Whether somebody is at it: then what is typed stays, and the handle where it is held. */
  private isTouched(): boolean {
    return this.dragged || (this.text !== null && this.text === document.activeElement);
  }

  private complain(text: string): void {
    this.error.textContent = harmless(text);
    for (const each of [this.text, this.select])
      if (text) each?.setAttribute("aria-invalid", "true");
      else each?.removeAttribute("aria-invalid");
  }

  /** The value that holds, into every control; a handle that is held stays where it is. */
  private write(): void {
    const { setting } = this;
    const { value } = setting;
    this.sent = null;
    this.wasWritten = true;
    if (this.select) this.select.value = String(this.choices.findIndex((choice) => alike(choice, value)));
    if (this.box) this.box.checked = value === true;
    if (this.slider && this.ends && !this.dragged) {
      const { low, high, step } = this.ends;
      Object.assign(this.slider, { min: String(low), max: String(high), step: String(step) });
      this.slider.value = String(typeof value === "number" ? value : high);
      this.slider.setAttribute("aria-valuetext", valueText(value));
    }
    if (this.text && !this.dragged) this.text.value = fieldText(setting, value);
    if (this.text instanceof HTMLTextAreaElement) {
      const least = hasLines(setting) ? 2 : 1;
      this.text.rows = Math.min(Math.max(this.text.value.split("\n").length, least), 6);
    }
  }

  private listen(): void {
    const { signal } = this.host;
    const { select, box, text, slider } = this;
    this.back.addEventListener("click", () => this.host.send({ command: "undo", step: this.step, name: this.name }), {
      signal,
    });
    select?.addEventListener("change", () => this.send(this.choices[Number(select.value)] ?? null), { signal });
    box?.addEventListener("change", () => this.send(box.checked), { signal });
    text?.addEventListener("blur", () => this.commit(), { signal });
    text?.addEventListener("keydown", (event) => this.pressed(event as KeyboardEvent), { signal });
    slider?.addEventListener("input", () => this.moved(Number(slider.value)), { signal });
    slider?.addEventListener("change", () => this.rest(), { signal });
    slider?.addEventListener("keydown", (event) => this.slid(event), { signal });
    slider?.addEventListener("blur", () => this.letGo(), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.pause));
  }

  private pressed(event: KeyboardEvent): void {
    const isEnter = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    const isWritten = isEnter && (!hasLines(this.setting) || event.ctrlKey || event.metaKey);
    if (event.key === "Escape") {
      this.complain("");
      this.write();
    } else if (isWritten) this.commit();
    else return;
    taken(event);
  }

  private commit(): void {
    const typed = this.text!.value;
    if (typed === (this.sent ?? fieldText(this.setting, this.setting.value))) return;
    const found = parsedInput(this.setting, typed);
    this.sent = typed;
    if ("problem" in found) this.complain(`${this.title()} ${found.problem}`);
    else if (alike(found.value, this.setting.value)) {
      this.complain("");
      this.write();
    } else this.send(found.value);
  }

  private send(value: unknown, continues = false): void {
    this.host.send({ command: "set", step: this.step, name: this.name, value, ...(continues ? { continues } : {}) });
  }

  // --- the handle

  private moved(to: number): void {
    this.text!.value = String(to);
    clearTimeout(this.pause);
    this.pause = window.setTimeout(() => this.arrived(), PAUSE);
  }

  /** The handle rests: the run is done with this value, and what it did is told against the run before the dragging. */
  private arrived(): void {
    const value = Number(this.slider!.value);
    clearTimeout(this.pause);
    this.pause = 0;
    if (alike(value, this.setting.value)) return;
    this.send(value, this.dragged);
    this.dragged = true;
  }

  private rest(): void {
    if (this.pause) this.arrived();
    this.dragged = false;
  }

  private letGo(): void {
    this.rest();
    this.write();
  }

  private slid(event: KeyboardEvent): void {
    const to = this.ends && stepped(event.key, Number(this.slider!.value), this.ends);
    if (to === null) return;
    taken(event);
    this.slider!.value = String(to);
    this.moved(to);
  }
}
