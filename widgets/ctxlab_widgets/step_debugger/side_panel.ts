// Beside the messages: the step whose settings are shown, what the last change did, and the run's notes.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { changeRows, summary } from "../_shared/message_changes";
import { grouped, many } from "../_shared/numbers";
import { alike, layerWords, valueText } from "../_shared/setting_values";
import { isRead, SettingsForm } from "../_shared/settings_form";
import { type Box, draftsAt, type Note, type Setting, type Stage, tokens } from "../_shared/trace_view";
import { diffTable, reranWords, settingsWords } from "./settings_effect";
import type { DebuggerHost, State } from "./state";

const EDITS: Partial<Record<Box["state"], string>> = { edited: "Edited by hand", lost: "Edit by hand, lost" };

export class SidePanel {
  readonly element = h("div", { class: "side" });
  private readonly top = h("div");
  private readonly place = h("div");
  private readonly about = h("section", {}, this.top, this.place);
  private readonly did = h("p", { class: "ink2", role: "status" });
  private readonly rows = h("div");
  private readonly comparison = h(
    "section",
    { "aria-label": "Changed against the run before" },
    h("h3", {}, "Changed against the run before"),
    this.did,
    this.rows,
  );
  private readonly notes = h("section", { "aria-label": "Notes" });
  private form: SettingsForm | null = null;

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {
    const { signal } = host;
    this.element.append(this.about, this.comparison, this.notes);
    roving(this.comparison, () => this.keys(), { signal, vertical: true });
    this.comparison.addEventListener(
      "click",
      (event) => {
        const key = (event.target as Element).closest<HTMLElement>("[data-key]")?.dataset.key;
        if (key !== undefined) host.seek(key);
      },
      { signal },
    );
  }

  draw(): void {
    const held = (document.activeElement as HTMLElement | null)?.dataset?.does;
    this.drawAbout();
    this.drawAgainst();
    this.drawNotes();
    if (held) this.top.querySelector<HTMLElement>(`[data-does="${held}"]`)?.focus({ preventScroll: true });
  }

  /** Tells how high all that stands here is: so much of the messages has room beside it. */
  watch(tell: (height: number) => void): void {
    const all = [this.about, this.comparison, this.notes];
    const sizes = new ResizeObserver(() => tell(all.reduce((sum, each) => sum + each.offsetHeight, 0)));
    for (const each of all) sizes.observe(each);
    this.host.signal.addEventListener("abort", () => sizes.disconnect());
  }

  private keys(): HTMLElement[] {
    return [...this.comparison.querySelectorAll<HTMLElement>("button.key")];
  }

  // --- the step

  private drawAbout(): void {
    const { state } = this;
    const box = state.boxes[state.shown];
    if (!box && state.boxes.length) {
      this.about.setAttribute("aria-label", "About the result");
      this.top.replaceChildren(...this.result());
      this.place.replaceChildren();
      this.form = null;
      return;
    }
    if (!box) {
      this.top.replaceChildren(h("h3", {}, "No steps"));
      this.place.replaceChildren();
      return;
    }
    const stage = state.view.pipeline.find((each) => each.id === box.id);
    this.about.setAttribute("aria-label", `About ${box.id}`);
    this.top.replaceChildren(...this.head(box, stage));
    this.drawSettings(box, stage);
  }

  /** What is sent, and what became of the rest. */
  private result(): HTMLElement[] {
    const { live, view, views } = this.state;
    const at = view.steps.length;
    const sent = draftsAt(view, at);
    const dropped = changeRows(view, at, "start").filter((row) => row.kind === "dropped").length;
    const open = h("button", { type: "button", class: "btn quiet" }, "Open in Sent");
    open.addEventListener("click", () => this.host.send({ command: "open_view", view: "sent", key: "" }), {
      signal: this.host.signal,
    });
    const sum = many(tokens(view, sent) + view.request_tokens, "token");
    return [
      h(
        "h3",
        {},
        h("span", { class: "name" }, "Result"),
        h("span", { class: "sp" }),
        live && views.includes("sent") && open,
      ),
      h("p", { class: "ink2" }, "What is sent, against what was there at first."),
      h(
        "p",
        { class: "did" },
        `${many(sent.length, "message")}, ${sum}${dropped ? `; ${grouped(dropped)} taken out` : ""}`,
      ),
    ];
  }

  private head(box: Box, stage: Stage | undefined): HTMLElement[] {
    const { state } = this;
    const ran = box.state !== "off" && box.state !== "todo";
    const error = box.error ?? (state.failed?.id === box.id ? state.failed.error : null);
    const changed = stage ? changes(state, stage) : 0;
    const heading = h(
      "h3",
      {},
      h("span", { class: "name" }, harmless(stage?.name ?? EDITS[box.state] ?? box.id)),
      changed > 0 && h("span", { class: "tag" }, "changed"),
      h("span", { class: "sp" }),
      this.buttons(stage, changed),
    );
    const parts = [
      stage && h("p", { class: "ink2" }, harmless(stage.description)),
      error && h("p", { class: "wrong" }, glyph("failed"), h("span", {}, harmless(error))),
      ran && h("p", { class: "did" }, did(state, box.at)),
    ];
    return [heading, ...parts.filter((each) => each instanceof HTMLElement)];
  }

  private buttons(stage: Stage | undefined, changed: number): HTMLElement[] {
    if (!this.state.live || !stage) return [];
    const { id, enabled } = stage;
    const make = (does: string, words: string, title: string, tell: () => void) => {
      const button = h("button", { type: "button", class: "btn quiet", title, "data-does": does }, words);
      button.addEventListener("click", tell, { signal: this.host.signal });
      return button;
    };
    const undo = make("undo", "Undo", `all of ${id} as it was at first`, () =>
      this.host.send({ command: "undo", step: id }),
    );
    const on = make("switch", enabled ? "Switch off" : "Switch on", "O", () =>
      this.host.send({ command: "switch", step: id, on: !enabled }),
    );
    return changed ? [undo, on] : [on];
  }

  private drawSettings(box: Box, stage: Stage | undefined): void {
    const { state } = this;
    if (!stage || !Object.keys(stage.settings).length) {
      this.form = null;
      this.place.replaceChildren();
    } else if (!state.live) this.place.replaceChildren(list(stage));
    else {
      const everything = needed(state, box);
      if (!this.form?.fits(stage, everything)) {
        this.form = new SettingsForm(stage.id, stage, everything, this.host);
        this.place.replaceChildren(this.form.element);
      }
      this.form.update(state, stage, everything);
    }
  }

  // --- the change

  private drawAgainst(): void {
    const { comparison, boxes } = this.state;
    this.comparison.hidden = !comparison;
    const words = comparison
      ? [settingsWords(comparison), reranWords(comparison, (id) => boxes.findIndex((box) => box.id === id) + 1)]
      : [];
    const had = this.keys().indexOf(document.activeElement as HTMLElement);
    this.did.textContent = harmless(words.filter(Boolean).join("; "));
    this.rows.replaceChildren(...(comparison ? [diffTable(comparison)] : []));
    const keys = this.keys();
    onlyStop(keys, Math.min(Math.max(had, 0), keys.length - 1));
    if (had >= 0) keys[Math.min(had, keys.length - 1)]?.focus({ preventScroll: true });
  }

  // --- the notes

  private drawNotes(): void {
    const { view, position, boxes } = this.state;
    const found: [string, Note][] = view.notes.map((note) => ["", note]);
    view.steps.slice(0, position).forEach((step, i) => {
      const at = boxes.findIndex((box) => box.at === i + 1 && box.state !== "off");
      for (const note of step.notes) found.push([String(at + 1).padStart(2, "0"), note]);
    });
    const count = (level: string) => found.filter(([, note]) => levelOf(note) === level).length;
    const counts = (["error", "warning", "info"] as const).map((level) => [count(level), level] as const);
    const levels = counts.filter(([n]) => n).map(([n, level]) => `${n} ${level}${n === 1 ? "" : "s"}`);
    const items = found
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
      );
    this.notes.hidden = !items.length;
    this.notes.replaceChildren(
      h("h3", {}, "Notes", h("span", { class: "muted plain" }, levels.join(", "))),
      ...(items.length ? [h("ul", { class: "notes" }, items)] : []),
      ...(found.length > 200 ? [h("p", { class: "muted" }, `and ${found.length - 200} more`)] : []),
    );
  }
}

/** Tokens that all messages before a step need, or those there are so far where the run doesn't come to it. */
function needed({ view }: State, box: Box): number | null {
  const all = box.before ?? tokens(view, draftsAt(view, view.steps.length));
  return all ? all + view.request_tokens : null;
}

/** How many settings of a step are not what they were at first. */
function changes({ initialSettings }: State, { id, enabled, settings }: Stage): number {
  const first = initialSettings[id];
  if (!first) return 0;
  const differ = Object.entries(settings).filter(
    ([name, { value }]) => first.settings[name] !== undefined && !alike(first.settings[name][0], value),
  );
  return differ.length + Number(first.enabled !== enabled);
}

/** The settings as they are, where nobody can change them. */
function list(stage: Stage): HTMLElement {
  return h(
    "dl",
    { class: "form" },
    Object.entries(stage.settings)
      .filter(([name]) => isRead(stage, name))
      .map(([name, setting]) => [
        h("dt", {}, harmless(setting.title || name.replaceAll("_", " "))),
        h(
          "dd",
          {},
          h("span", { class: "value" }, harmless(valueText(setting.value))),
          layer(setting),
          h("span", { class: "hint" }, harmless(setting.description)),
        ),
      ]),
  );
}

function layer(setting: Setting): HTMLElement | null {
  const words = layerWords(setting.layer);
  return words ? h("span", { class: "tag" }, harmless(words)) : null;
}

/** What happened, and what was decided without a message being changed. */
function did({ view }: State, at: number): string {
  const { decided } = view.steps[at - 1];
  const found = changeRows(view, at, "step");
  const happened = found.some((row) => row.kind !== "same" || row.moved) || !decided ? [summary(found)] : [];
  return [...happened, ...(decided ? [harmless(decided)] : [])].join("; ");
}

const levelOf = ({ level }: Note): string => (level === "error" || level === "warning" ? level : "info");
