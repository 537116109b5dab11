// One parameter: its control, the squares of its origins, what others say of it, and what is wrong with it.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Radios, radios } from "../_shared/radios";
import {
  alike,
  fieldText,
  parsedInput,
  type SliderRange,
  sliderEnds,
  stepped,
  valueText,
} from "../_shared/setting_values";
import type { Setting } from "../_shared/trace_view";
import { limitBar } from "./limit_bar";
import { OriginSquares } from "./origin_squares";
import { escaped, type Field, type FormHost, isKept, unescaped } from "./payload";

const PAUSE = 90; // milliseconds that a handle rests before its value is sent
const BOOLEAN = { false: "Off", true: "On" };

export class FieldRow {
  readonly element = h("div", { class: "fr" });
  private readonly id = `cx-${Math.random().toString(36).slice(2)}`;
  private readonly control = h("div", { class: "row" });
  private readonly off = h("div", { class: "muted" });
  private readonly note = h("div", { class: "nt", id: `${this.id}-note` });
  private readonly message = h("div", { class: "msg", id: `${this.id}-msg`, role: "alert" });
  private readonly squares: OriginSquares;
  private text: HTMLInputElement | HTMLTextAreaElement | null = null;
  private slider: HTMLInputElement | null = null;
  private select: HTMLSelectElement | null = null;
  private switched: Radios | null = null;
  private readonly chips = h("span", { class: "chips" });
  private ends: SliderRange | null = null;
  private dragged = false;
  private pause = 0;
  private typed: string | null = null;

  constructor(
    private field: Field,
    origins: readonly string[],
    private readonly host: FormHost,
  ) {
    this.squares = new OriginSquares(field.title, origins, host);
    this.element.dataset.name = field.name;
    this.make();
    const label = h("label", { class: "lb", for: this.id, title: harmless(field.description) }, harmless(field.title));
    this.element.append(label, this.control, this.off, this.squares.element, this.note, this.message);
    host.signal.addEventListener("abort", () => clearTimeout(this.pause));
  }

  /** Whether these are the controls of a field as it is now. */
  fits(field: Field): boolean {
    return (
      field.name === this.field.name &&
      field.type === this.field.type &&
      alike(field.choices, this.field.choices) &&
      (this.dragged || (sliderEnds(field.name, setting(field), null) !== null) === (this.slider !== null))
    );
  }

  update(field: Field, refused: string): void {
    const changed = !alike(this.field.value, field.value);
    this.field = field;
    const off = field.why_not !== "";
    this.element.classList.toggle("off", off);
    this.control.hidden = off;
    this.off.hidden = !off;
    this.off.textContent = harmless(field.why_not);
    this.squares.element.hidden = off && !isKept(field);
    this.squares.update(field);
    const kept = off && isKept(field) ? `kept as ${valueText(field.value)}` : "";
    this.note.textContent = harmless([kept, off ? "" : field.hint].filter(Boolean).join("; ") || field.description);
    this.complain(refused || (off ? "" : field.error), refused ? [] : field.fixes);
    if (!this.dragged) this.ends = sliderEnds(field.name, setting(field), null);
    if (!refused && (changed || !this.isTouched())) this.write();
  }

  // --- its control

  private make(): void {
    const { type, title, choices, labels, placeholder } = this.field;
    const { signal } = this.host;
    const about = { id: this.id, "aria-describedby": `${this.id}-note ${this.id}-msg`, "data-name": this.field.name };
    const name = harmless(title);
    if (type === "choice") {
      const options = choices.map((choice, i) => h("option", { value: i }, harmless(labels[i] || valueText(choice))));
      this.select = h("select", about, h("option", { value: -1 }, "none"), options);
      this.select.addEventListener("change", () => this.send(choices[Number(this.select!.value)] ?? null), { signal });
      this.control.append(this.select);
    } else if (type === "boolean") {
      const options = this.field.optional ? { null: "Not set", ...BOOLEAN } : BOOLEAN;
      this.switched = radios(name, options, (to) => this.send(to === "null" ? null : to === "true"), signal);
      this.switched.element.id = this.id;
      this.control.append(this.switched.element);
    } else if (type === "texts") {
      this.text = h("input", { ...about, type: "text", autocomplete: "off", class: "add" });
      this.control.append(h("div", { class: "field texts" }, this.chips, this.text));
    } else if (type === "json" || type === "text") {
      this.text = h("textarea", { ...about, rows: 1, spellcheck: "false", class: "field" });
      this.control.append(this.text);
    } else {
      if (sliderEnds(this.field.name, setting(this.field), null)) {
        this.slider = h("input", { type: "range", "aria-label": `${name}, slider` });
        this.slider.addEventListener("input", () => this.moved(Number(this.slider!.value)), { signal });
        this.slider.addEventListener("change", () => this.rest(), { signal });
        this.slider.addEventListener("keydown", (event) => this.slid(event), { signal });
        this.slider.addEventListener("blur", () => this.rest(), { signal });
      }
      this.text = h("input", { ...about, type: "text", inputmode: "decimal", autocomplete: "off", class: "field num" });
      this.control.append(...[this.slider, this.text].filter((each) => each !== null));
    }
    if (this.text) {
      this.text.placeholder = harmless(placeholder || (type === "texts" ? "add\u2026" : "none"));
      this.text.addEventListener("keydown", (event) => this.pressed(event as KeyboardEvent), { signal });
      this.text.addEventListener("blur", () => this.commit(), { signal });
    }
  }

  private isTouched(): boolean {
    return this.dragged || (this.text !== null && this.text === document.activeElement && this.typed !== null);
  }

  /** The value that holds, into the control. */
  private write(): void {
    const { field, text, slider } = this;
    const { value } = field;
    this.typed = null;
    if (this.select) this.select.value = String(field.choices.findIndex((choice) => alike(choice, value)));
    this.switched?.set(String(value ?? (field.optional ? null : false)));
    if (slider && this.ends && !this.dragged) {
      const { low, high, step } = this.ends;
      Object.assign(slider, { min: String(low), max: String(high), step: String(step) });
      const unset = Number(field.placeholder) || low;
      slider.value = String(typeof value === "number" ? value : unset);
      slider.classList.toggle("unset", typeof value !== "number");
      slider.setAttribute("aria-valuetext", valueText(value));
    }
    if (field.type === "texts") this.writeTexts(Array.isArray(value) ? value.map(String) : []);
    else if (text && !this.dragged) text.value = fieldText(setting(field), value);
    if (text instanceof HTMLTextAreaElement) text.rows = Math.min(text.value.split("\n").length, 6);
  }

  private writeTexts(texts: string[]): void {
    this.text!.value = "";
    this.chips.replaceChildren(
      ...texts.map((each, i) => {
        const shown = harmless(escaped(each));
        const gone = h("button", { type: "button", class: "gone", "aria-label": `Take out ${shown}` }, glyph("failed"));
        gone.addEventListener("click", () => this.send(texts.filter((_, at) => at !== i)), {
          signal: this.host.signal,
        });
        return h("span", { class: "stopat" }, h("code", {}, shown), gone);
      }),
    );
  }

  private complain(text: string, fixes: readonly string[]): void {
    const { field } = this;
    this.element.classList.toggle("bad", text !== "");
    if (text) this.text?.setAttribute("aria-invalid", "true");
    else this.text?.removeAttribute("aria-invalid");
    const bar = field.bar && !field.why_not ? limitBar(field.bar) : null;
    const buttons = fixes.map((label) => {
      const button = h("button", { type: "button", class: "btn" }, harmless(label));
      button.addEventListener("click", () => this.host.send({ command: "fix", label }), { signal: this.host.signal });
      return button;
    });
    this.message.hidden = text === "" && bar === null;
    const words = text ? [h("p", { class: "why" }, glyph("error"), h("b", {}, harmless(text)), ...buttons)] : [];
    const wasInside = this.message.contains(document.activeElement);
    this.message.replaceChildren(...words, ...(bar ? [bar] : []));
    if (wasInside) this.text?.focus(); // the button that was pressed is gone
  }

  // --- what is typed and dragged

  private pressed(event: KeyboardEvent): void {
    const step = this.field.type === "integer" || this.field.type === "number" ? arrowStep(event, this.field) : 0;
    if (event.isComposing) return;
    if (event.key === "Escape") this.write();
    else if (event.key === "Enter" && !event.shiftKey) this.commit();
    else if (event.key === "Backspace" && this.field.type === "texts" && !this.text!.value) this.dropLast();
    else if (step) this.stepBy(step);
    else {
      this.typed = this.text!.value;
      return;
    }
    taken(event);
  }

  private stepBy(step: number): void {
    const { minimum, maximum, value } = this.field;
    const to = Math.round(((typeof value === "number" ? value : (minimum ?? 0)) + step) * 1e6) / 1e6;
    this.send(Math.min(Math.max(to, minimum ?? -Infinity), maximum ?? Infinity), true);
  }

  private dropLast(): void {
    const texts = Array.isArray(this.field.value) ? this.field.value : [];
    if (texts.length) this.send(texts.slice(0, -1));
  }

  private commit(): void {
    const { field, text } = this;
    const typed = text!.value;
    if (field.type === "texts") {
      if (typed) this.send([...(Array.isArray(field.value) ? field.value : []), unescaped(typed)]);
      return;
    }
    if (typed === fieldText(setting(field), field.value)) return;
    const found = parsedInput(setting(field), typed);
    if ("problem" in found) this.complain(`${field.title} ${found.problem}`, []);
    else if (!alike(found.value, field.value)) this.send(found.value);
    else this.write();
  }

  private send(value: unknown, continues = false): void {
    this.typed = null;
    const { name } = this.field;
    this.host.send({ command: "set_parameter", name, value, ...(continues ? { continues } : {}) });
  }

  private moved(to: number): void {
    this.text!.value = String(to);
    clearTimeout(this.pause);
    this.pause = window.setTimeout(() => this.arrived(), PAUSE);
  }

  private arrived(): void {
    clearTimeout(this.pause);
    this.pause = 0;
    const value = Number(this.slider!.value);
    if (alike(value, this.field.value)) return;
    this.send(value, this.dragged);
    this.dragged = true;
  }

  private rest(): void {
    if (this.pause) this.arrived();
    this.dragged = false;
  }

  private slid(event: KeyboardEvent): void {
    const to = this.ends && stepped(event.key, Number(this.slider!.value), this.ends);
    if (to === null) return;
    taken(event);
    this.slider!.value = String(to);
    this.moved(to);
  }
}

/** Arrows change a number by one step, with Shift by ten. */
function arrowStep(event: KeyboardEvent, { type, minimum, maximum }: Field): number {
  const way = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
  const small = type === "integer" ? 1 : minimum !== null && maximum !== null ? (maximum - minimum) / 100 : 0.1;
  return way * small * (event.shiftKey ? 10 : 1);
}

const setting = (field: Field): Setting =>
  ({ ...field, type: field.type === "texts" ? "json" : field.type, layer: field.origin, read_with: null }) as Setting;
