// Where one types: the field with what was found in its words, files, quick actions, and what sends it.

import { glyph, h, harmless, whenPressed } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { many } from "../_shared/numbers";
import { AsideList } from "./aside_list";
import { BudgetBar } from "./budget_bar";
import { CompletionList, completed } from "./completion_list";
import { markedPieces, movedMarks } from "./draft_marks";
import { FileDrop } from "./file_drop";
import type { Command, Completion, Draft, FileChip, Quick, Running } from "./payload";
import { QuickRow, quickOfDigit } from "./quick_row";
import { TypedText } from "./typed_text";

export interface InputHost {
  send(command: Command, buffers?: ArrayBuffer[]): void;
  /** Gives the text to Python. */
  save(text: string): void;
  /** The text is another one. */
  typed(text: string): void;
  /** Says that Python doesn't answer. */
  silence: HTMLElement;
  live: boolean;
  signal: AbortSignal;
}

/** Characters from which on the words of a text aren't marked: they would be laid out twice with each key. */
const MOST_MARKED = 20_000;

const UNDERLINES: Record<Draft["marks"][number]["kind"], string> = {
  lore: "s src-lore u-lore",
  macro: "s src-macro u-macro",
  "unknown-macro": "s unknown",
};

export class InputArea {
  readonly element: HTMLElement;
  readonly area = h("textarea", { "aria-label": "Your message", rows: 2, placeholder: "Type a message" });
  private readonly layer = h("div", { class: "marks", "aria-hidden": "true" });
  private readonly field = h("div", { class: "both" });
  private readonly error = h("div", { class: "er", role: "status", hidden: true });
  private readonly signs = h("div", { class: "cause signs", role: "status", hidden: true });
  private readonly elsewhere = h(
    "p",
    { class: "muted", role: "status", hidden: true },
    "An answer is being written in another branch.",
  );
  private readonly queue = h("ul", { class: "queue", "aria-label": "Waiting to be sent", hidden: true });
  readonly asides = new AsideList((id) => this.host.send({ command: "give_up", id }));
  private readonly main = h("button", { type: "button", class: "btn pri" }, "Send");
  private readonly quickRow: QuickRow;
  private readonly starterRow: QuickRow;
  private readonly typed: TypedText;
  private readonly files: FileDrop;
  private readonly bar = new BudgetBar();
  private readonly list: CompletionList;
  private draft: Draft | null = null;
  private quick: Quick[] = [];
  private running: Running | null = null;
  private fileCount = 0;
  /** A message was sent, and Python gave no sign since. */
  private isOnItsWay = false;

  constructor(private readonly host: InputHost) {
    const { signal, live } = host;
    this.typed = new TypedText(this.area, (text) => host.save(text));
    this.quickRow = new QuickRow("Quick", signal);
    this.starterRow = new QuickRow("Begin with", signal);
    const id = `ctxlab-${Math.random().toString(36).slice(2)}`;
    this.list = new CompletionList(id, this.area, (completion, item) => this.complete(completion, item));
    this.files = new FileDrop({ send: host.send, refuse: (sentence) => this.fail(sentence), live, signal });
    const field = h("div", { class: "ta" }, this.field, this.list.element);
    this.field.append(this.layer, this.area);
    const buttons = h("div", { class: "go" }, this.files.button, this.main);
    this.element = h("div", { class: "inp" });
    this.element.append(
      this.error,
      host.silence,
      this.asides.element,
      this.starterRow.element,
      this.quickRow.element,
      this.elsewhere,
      this.queue,
      field,
      this.signs,
    );
    this.element.append(this.files.element, h("div", { class: "lf" }, this.bar.element, buttons));
    this.area.readOnly = !live;
    buttons.hidden = !live;
    field.hidden = !live;
    whenPressed(this.main, () => this.main.dataset.does === "stop" && this.stop(), signal); // before the click, by which what it does may be another thing
    this.main.addEventListener("click", () => this.act(), { signal });
    this.area.addEventListener("input", () => this.changed(), { signal });
    this.area.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.area.addEventListener("blur", () => this.list.close(), { signal });
    signal.addEventListener("abort", () => {
      this.typed.give();
      this.typed.stop();
    });
  }

  get text(): string {
    return this.area.value;
  }

  /** Files that are dropped in `frame` are attached. */
  listen(frame: HTMLElement): void {
    this.files.listen(frame, this.area);
  }

  // --- what Python says

  put(text: string): void {
    const wasSent = this.typed.isSent;
    if (this.typed.put(text)) this.area.setSelectionRange(text.length, text.length);
    if (wasSent && !this.typed.isSent) this.heard();
    if (!this.host.live) this.area.closest<HTMLElement>(".ta")!.hidden = !text;
    this.draw();
    this.host.typed(this.text);
  }

  setDraft(draft: Draft | null): void {
    this.draft = draft;
    this.bar.set(draft);
    this.draw();
  }

  setQuick(quick: Quick[]): void {
    this.quick = quick;
    if (!this.host.live) return;
    const words = quick.map(({ label, description, hotkey, from, sends }) => ({
      label,
      from,
      title: [description, sends && "sends at once", from && `from ${from}`, hotkey].filter(Boolean).join("; "),
    }));
    this.quickRow.set(words, (at) => this.doQuick(quick[at]));
  }

  setStarters(starters: string[]): void {
    if (!this.host.live) return;
    const words = starters.map((label) => ({ label, title: "Writes it into your message" }));
    this.starterRow.set(words, (at) => {
      this.area.value = starters[at];
      this.changed();
      this.area.focus();
    });
  }

  setFiles(files: FileChip[]): void {
    this.fileCount = files.length;
    this.files.set(files);
    this.draw();
  }

  setRunning(running: Running | null): void {
    this.running = running;
    this.elsewhere.hidden = !running?.elsewhere;
    const queued = running?.queued ?? [];
    this.queue.hidden = !queued.length;
    this.queue.replaceChildren(
      ...queued.map((text) => h("li", { title: "It is sent when the answer has ended" }, "waits: ", harmless(text))),
    );
    this.draw();
  }

  /** The turn was stopped here, which Python doesn't know yet. */
  stopping(): void {
    if (this.running) this.running = { ...this.running, stopping: true };
    this.drawMain();
  }

  /** Python gave a sign of itself. */
  heard(): void {
    this.isOnItsWay = false;
  }

  /** A command was refused: the sentence stays until the next one, and a text that was sent is a draft again. */
  fail(sentence: string): void {
    this.error.hidden = !sentence;
    this.error.replaceChildren(glyph("failed"), h("span", {}, harmless(sentence)));
    if (sentence && this.typed.refused()) this.changed(false);
  }

  open(completion: Completion): void {
    const isHere = completion.text === this.text && completion.caret === this.area.selectionEnd;
    if (isHere && this.area.ownerDocument.activeElement === this.area) this.list.open(completion);
  }

  /** Puts a text where the caret is. */
  insert(text: string): void {
    this.area.setRangeText(text, this.area.selectionStart, this.area.selectionEnd, "end");
    this.changed();
    this.area.focus();
  }

  /** Python has the text now. */
  give(): void {
    this.typed.give();
  }

  // --- what the page does

  private changed(byHand = true): void {
    if (byHand) this.typed.typed();
    this.list.close();
    this.draw();
    this.host.typed(this.text);
  }

  private pressed(event: KeyboardEvent): void {
    const { key, shiftKey } = event;
    if (event.isComposing || event.keyCode === 229) return;
    const command = event.ctrlKey || event.metaKey;
    const digit = event.altKey && !command && !shiftKey ? /^(?:Digit|Numpad)([1-9])$/.exec(event.code)?.[1] : undefined;
    if (!shiftKey && !event.altKey && !command && this.list.pressed(event)) taken(event);
    else if (!this.host.live) return;
    else if (key === "Enter" && !shiftKey && !event.altKey && !command) {
      taken(event);
      this.send();
    } else if (key === "Escape" && this.running) {
      taken(event);
      this.stop();
    } else if (digit && quickOfDigit(this.quick, Number(digit))) {
      taken(event);
      this.doQuick(quickOfDigit(this.quick, Number(digit))!);
    } else if (event.ctrlKey && event.code === "Space") {
      taken(event);
      this.askCompletion(this.list.isOpen || shiftKey);
    }
  }

  private act(): void {
    if (this.main.dataset.does !== "stop") this.send();
    this.area.focus({ preventScroll: true });
  }

  private stop(): void {
    if (!this.running?.stopping) this.host.send({ command: "stop" });
  }

  private send(): void {
    if (!this.text.trim() && !this.fileCount) return;
    if (this.typed.isSent && this.isOnItsWay) return; // it is on its way: not twice
    this.list.close();
    this.fail("");
    const text = this.typed.take();
    this.isOnItsWay = true;
    this.host.send({ command: "send", text });
    this.draw();
  }

  private doQuick({ id }: Quick): void {
    this.typed.give();
    this.host.send({ command: "quick", id, start: this.area.selectionStart, end: this.area.selectionEnd });
  }

  private askCompletion(asksModel: boolean): void {
    this.typed.give();
    this.host.send({ command: "complete", caret: this.area.selectionEnd, asksModel });
  }

  private complete(completion: Completion, item: Completion["items"][number]): void {
    const made = completed(completion, item, { text: this.text, caret: this.area.selectionEnd });
    if (!made) return;
    this.area.value = made.text;
    this.area.setSelectionRange(made.caret, made.caret);
    this.changed();
  }

  // --- drawing

  private draw(): void {
    const { text } = this;
    const draft = this.draft;
    const plain = harmless(text);
    // Signs that turn words around are written out here, where only the place of words counts: then none is marked.
    const marks =
      draft && plain === text && text.length <= MOST_MARKED ? movedMarks(draft.marks, draft.text, text) : [];
    const isLong = text.length > MOST_MARKED;
    this.field.classList.toggle("long", isLong);
    const pieces = markedPieces(isLong ? "" : plain, marks).map(({ text: words, mark }) =>
      mark ? h("span", { class: UNDERLINES[mark.kind] }, words) : words,
    );
    this.layer.replaceChildren(...pieces, "\u200b");
    this.drawSigns(plain !== text);
    this.bar.old(draft !== null && draft.text !== text);
    this.drawMain();
  }

  private drawSigns(has: boolean): void {
    if (this.signs.hidden === !has) return;
    this.signs.hidden = !has;
    const words = "Your message has signs that can't be seen or that turn words around; they are sent as they are.";
    this.signs.replaceChildren(...(has ? [glyph("warning"), h("span", {}, words)] : []));
  }

  private drawMain(): void {
    const { running, main } = this;
    const isEmpty = this.typed.isSent ? this.isOnItsWay : !this.text.trim() && !this.fileCount;
    const does = running ? (isEmpty ? "stop" : "queue") : "send";
    main.dataset.does = does;
    main.classList.toggle("stop", does === "stop");
    main.classList.toggle("pri", does !== "stop");
    const isStopping = does === "stop" && running?.stopping === true;
    main.setAttribute("aria-disabled", String(isStopping || (does === "send" && isEmpty)));
    main.textContent = { send: "Send", queue: "Queue", stop: isStopping ? "Stopping…" : "Stop" }[does];
    const waits = running?.queued.length ?? 0;
    main.title = {
      send: "Enter",
      queue: `Enter: it is sent when the answer has ended${waits ? `, behind ${many(waits, "message")}` : ""}`,
      stop: "Esc",
    }[does];
  }
}
