// One message of the list. Its element stays as long as it is in the page: of what is new only that part is drawn anew.

import { h, harmless } from "../_shared/dom";
import { callBox, resultText } from "./calls";
import type { Cut } from "./cut_marks";
import { EditBox, type EditKind } from "./edit_box";
import { fileGrid } from "./file_chip";
import type { TextView } from "./list_host";
import { PlainText } from "./message_text";
import type { Row } from "./payload";
import { isOffered } from "./row_actions";
import { type HeadTools, labelOfRow, rowHead } from "./row_head";
import { errorLine, gotLine, lossLine, Thought, translationChoice } from "./row_parts";

export interface Editing {
  kind: EditKind;
  text: string;
}

export interface RowContext extends HeadTools {
  /** Ids of what is unfolded in rows, kept while they are out of the page. */
  open: Set<string>;
  /** The summaries whose messages are shown. */
  unfolded: ReadonlySet<string>;
  /** How many steps are folded behind this one; 0 where none are. */
  stepsOf(key: string): number;
  /** Whether it is being written and was stopped. */
  isStopping(key: string): boolean;
  /** What stands above a message from which on everything is sent; empty elsewhere. */
  cutLineOf(key: string): string;
  editingOf(key: string): Editing | undefined;
  endEdit(key: string, saved: Editing | null): void;
  /** A row has another height. */
  resized(): void;
}

/** A part of a row that is drawn anew when what it shows is another. */
class Part {
  readonly element: HTMLElement;
  private shown = "[]";

  constructor(look: string) {
    this.element = h("div", { class: look });
  }

  set(what: unknown, draw: () => (Node | null)[]): void {
    const text = JSON.stringify(what ?? []) ?? "";
    if (text === this.shown) return;
    this.shown = text;
    this.element.replaceChildren(...draw().filter((each) => each !== null));
  }
}

export class RowView {
  readonly element = h("article", { tabindex: -1 });
  private readonly line = new Part("cutline");
  private readonly head = new Part("ch");
  private readonly thoughtPlace = h("div");
  private readonly text = h("div", { class: "ct" });
  private readonly translated = h("div", { class: "ct tr" });
  private readonly below = new Part("below");
  private readonly calls = new Part("calls");
  private readonly foot = new Part("foot2");
  private readonly losses = new Part("losses");
  private readonly box = h("div", { class: "tx" }, this.text, this.translated, this.losses.element);
  private isStop = false;
  private hasActions = false;
  private thought: Thought | null = null;
  private views: { text: TextView | null; translated: TextView | null } = { text: null, translated: null };
  private editBox: EditBox | null = null;
  row: Row;

  constructor(
    row: Row,
    private readonly context: RowContext,
  ) {
    this.row = row;
    this.element.dataset.key = row.key;
    this.element.append(
      h(
        "div",
        { class: "bd" },
        this.line.element,
        this.head.element,
        this.thoughtPlace,
        this.box,
        this.below.element,
        this.calls.element,
        this.foot.element,
      ),
    );
    this.set(row);
  }

  /** Brings it up to what is known now: of the message, of the draft, and of what is unfolded. */
  set(row: Row): void {
    this.row = row;
    const { context } = this;
    const { host } = context;
    const cut = context.cutOf(row.key);
    const isUnfolded = context.unfolded.has(row.key);
    this.element.className = `${lookOf(row, cut)}${this.isStop ? " at" : ""}`;
    this.element.setAttribute("aria-label", labelOfRow(row, cut));
    this.element.setAttribute("aria-busy", String(row.state === "generating"));
    const { who, role, kind, facts, tokens, siblings, state, actions, standsFor } = row;
    const steps = row.standsFor ? 0 : context.stepsOf(row.key);
    const hasActions = this.hasActions && !context.editingOf(row.key);
    const shown = { cut, isUnfolded, hasActions, steps, isStopping: context.isStopping(row.key) };
    const said = [who, role, kind, facts, tokens, siblings, state, actions, standsFor?.sentence];
    this.head.set([said, shown, host.messageActions()], () => rowHead(row, shown, context));
    const line = context.cutLineOf(row.key);
    this.line.set(line || null, () => [h("p", { title: line }, line)]);
    this.setThought();
    this.setWords();
    const { files, translation } = row;
    this.losses.set(standsFor, () => [lossLine(row)]);
    this.below.set(files || translation ? [files, translation?.shown, translation?.to] : null, () => [
      translation ? translationChoice(row, host) : null,
      files ? fileGrid(files) : null,
    ]);
    this.calls.set(row.calls, () => (row.calls ?? []).map((call) => callBox(call, this.callHost)));
    this.foot.set(row.error || row.got ? [row.error, row.got, state, actions, !row.text] : null, () => [
      row.error ? errorLine(row, host) : null,
      row.got ? gotLine(row, host) : null,
    ]);
    this.setEditing();
    for (const each of this.element.querySelectorAll<HTMLElement>("button, summary"))
      each.tabIndex = this.isStop ? 0 : -1;
  }

  /** Whether it is the row that Tab reaches, and whether the pointer is on it; its buttons are made for either. */
  hold(isStop: boolean, isHovered: boolean): void {
    const hasActions = isStop || isHovered;
    if (isStop === this.isStop && hasActions === this.hasActions) return;
    this.isStop = isStop;
    this.hasActions = hasActions;
    this.element.tabIndex = isStop ? 0 : -1;
    this.set(this.row);
  }

  /** Where the keys go while it is edited. */
  focusEdit(): void {
    this.editBox?.focus();
  }

  get isEditing(): boolean {
    return this.editBox !== null;
  }

  destroy(): void {
    this.views.text?.destroy();
    this.views.translated?.destroy();
    this.views = { text: null, translated: null };
  }

  private get callHost() {
    const { host, open } = this.context;
    const approve = (call: string, yes: boolean) => host.send({ command: "approve", call, yes });
    return { open, approve: host.live ? approve : null };
  }

  private setThought(): void {
    const { thought, key } = this.row;
    if (!thought) {
      this.thought?.element.remove();
      this.thought = null;
      return;
    }
    if (!this.thought) {
      this.thought = new Thought(`thought:${key}`, this.context.open, this.context.resized);
      this.thoughtPlace.append(this.thought.element);
    }
    this.thought.set(thought);
  }

  private setWords(): void {
    const { row } = this;
    const shown = row.translation?.shown ?? "original";
    this.text.hidden = shown === "translation";
    this.translated.hidden = !row.translation || shown === "original";
    if (row.kind === "tool") {
      this.text.replaceChildren(toolResult(row, this.context.open));
      return;
    }
    const open = row.state === "generating";
    if (!this.text.hidden) this.view("text").update(row.text, { open });
    if (!this.translated.hidden) this.view("translated").update(row.translation?.text ?? "", { open: false });
  }

  private view(which: "text" | "translated"): TextView {
    const { host } = this.context;
    const place = which === "text" ? this.text : this.translated;
    this.views[which] ??= host.textView?.(place, this.row.key) ?? new PlainText(place);
    return this.views[which];
  }

  private setEditing(): void {
    const { row, context } = this;
    const editing = context.editingOf(row.key);
    this.box.hidden = editing !== undefined;
    if (!editing) {
      this.editBox?.element.remove();
      this.editBox = null;
      return;
    }
    if (this.editBox) return;
    const can = (kind: EditKind) => isOffered(row, kind, context.host.live);
    this.editBox = new EditBox({
      text: editing.text,
      sends: row.role === "user",
      first: editing.kind,
      can,
      save: (kind, text) => context.endEdit(row.key, { kind, text }),
      cancel: () => context.endEdit(row.key, null),
      typed: (text) => {
        editing.text = text;
        context.resized();
      },
    });
    this.box.before(this.editBox.element);
  }
}

function lookOf(row: Row, cut: Cut | undefined): string {
  const look = ["cm", `r-${row.role}`, row.kind === "message" ? "" : `k-${row.kind}`, `is-${row.state}`];
  return [...look, cut ? "gone" : "", row.standsFor ? "sumn" : ""].filter(Boolean).join(" ");
}

function toolResult(row: Row, open: Set<string>): HTMLElement {
  return h(
    "div",
    { class: "toolc src-tools", role: "group", "aria-label": `Result of ${harmless(row.who)}` },
    resultText(row.text, `tool:${row.key}`, open),
  );
}
