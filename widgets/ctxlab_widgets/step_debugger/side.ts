// Beside the messages: the step whose settings are shown, what it did, and the run's notes.

import { rows, summary } from "../_shared/changes";
import { glyph, h, harmless } from "../_shared/dom";
import type { Note, Setting, Stage } from "../_shared/view";
import type { Door, State } from "./state";

export class Side {
  readonly element = h("div", { class: "side" });

  constructor(
    private readonly state: State,
    private readonly door: Door,
  ) {}

  draw(): void {
    this.element.replaceChildren(this.about(), this.notes());
  }

  private about(): HTMLElement {
    const { state } = this;
    const box = state.boxes[state.shown];
    if (!box) return h("section", {}, h("h3", {}, "No steps"));
    const stage = state.view.pipeline.find((each) => each.id === box.id);
    const ran = box.state !== "off" && box.state !== "todo";
    const error = box.error ?? (state.failed?.id === box.id ? state.failed.error : null);
    return h(
      "section",
      { "aria-label": `About ${box.id}` },
      h(
        "h3",
        {},
        h("span", { class: "name" }, harmless(stage?.name ?? box.id)),
        h("span", { class: "sp" }),
        this.buttons(stage),
      ),
      stage && h("p", { class: "ink2" }, harmless(stage.description)),
      error && h("p", { class: "wrong" }, glyph("failed"), h("span", {}, harmless(error))),
      ran && h("p", { class: "did" }, did(state, box.at)),
      stage && this.settings(stage),
    );
  }

  private buttons(stage: Stage | undefined): HTMLElement | null {
    if (!this.state.live || !stage) return null;
    const { id, enabled } = stage;
    const button = h(
      "button",
      { type: "button", class: "btn quiet", title: "O" },
      enabled ? "Switch off" : "Switch on",
    );
    button.addEventListener("click", () => this.door.ask({ command: "switch", step: id, on: !enabled }), {
      signal: this.door.signal,
    });
    return button;
  }

  private settings(stage: Stage): HTMLElement | null {
    const all = Object.entries(stage.settings);
    if (!all.length) return null;
    return h(
      "dl",
      { class: "form" },
      all.map(([name, setting]) => [
        h("dt", {}, harmless(name.replaceAll("_", " "))),
        h(
          "dd",
          {},
          h("span", { class: "value" }, value(setting)),
          setting.layer !== "default" && this.layer(setting),
          h("span", { class: "hint" }, harmless(setting.description)),
        ),
      ]),
    );
  }

  private layer({ layer }: Setting): HTMLElement {
    return h("span", { class: "tag" }, layer === "call" ? "from this call" : `from the ${harmless(layer)}`);
  }

  private notes(): HTMLElement {
    const { view, position, boxes } = this.state;
    const found: [string, Note][] = view.notes.map((note) => ["", note]);
    view.steps.slice(0, position).forEach((step, i) => {
      const at = boxes.findIndex((box) => box.at === i + 1 && box.state !== "off");
      for (const note of step.notes) found.push([String(at + 1).padStart(2, "0"), note]);
    });
    const count = (level: string) => found.filter(([, note]) => levelOf(note) === level).length;
    const counts = (["error", "warning", "info"] as const).map((level) => [count(level), level] as const);
    const said = counts.filter(([n]) => n).map(([n, level]) => `${n} ${level}${n === 1 ? "" : "s"}`);
    return h(
      "section",
      {},
      h("h3", {}, "Notes", h("span", { class: "muted plain" }, said.join(", ") || "none so far")),
      found.length > 0 &&
        h(
          "ul",
          { class: "notes" },
          found
            .slice(0, 200)
            .map(([no, note]) =>
              h(
                "li",
                { class: `n-${levelOf(note)}` },
                glyph(levelOf(note)),
                h(
                  "span",
                  {},
                  h("span", { class: "vh" }, `${levelOf(note)} `),
                  h("span", { class: "muted" }, no ? `${no} ` : ""),
                  harmless(note.text),
                ),
              ),
            ),
        ),
      found.length > 200 && h("p", { class: "muted" }, `and ${found.length - 200} more`),
    );
  }
}

/** What happened, and what was decided without a message being changed. */
function did({ view }: State, at: number): string {
  const { decided } = view.steps[at - 1];
  const found = rows(view, at, "step");
  const happened = found.some((row) => row.kind !== "same" || row.moved) || !decided ? [summary(found)] : [];
  return [...happened, ...(decided ? [harmless(decided)] : [])].join("; ");
}

const levelOf = ({ level }: Note): string => (level === "error" || level === "warning" ? level : "info");

function value({ value: said }: Setting): string {
  if (said === null || said === "") return "none";
  if (said === true || said === false) return said ? "yes" : "no";
  if (typeof said === "number") return said.toLocaleString("en-US");
  const text = typeof said === "string" ? said : JSON.stringify(said);
  return harmless(text.replaceAll("\n", "\u23ce"));
}
