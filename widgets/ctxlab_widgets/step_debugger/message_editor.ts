// A message edited in place: its words as plain text; the run goes on from them.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { difference } from "../_shared/one_difference";
import { textOf } from "../_shared/trace_view";
import type { DebuggerHost, State } from "./state";

export class MessageEditor {
  private committed: string | null = null;

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {}

  mayEdit(message: HTMLElement): boolean {
    return this.state.live && !message.matches(".k-dropped") && !message.querySelector(".editor");
  }

  /** The key of the message that was taken over last; asked for once. */
  takeCommitted(): string | null {
    const key = this.committed;
    this.committed = null;
    return key;
  }

  open(message: HTMLElement): void {
    if (!this.mayEdit(message)) return;
    const { signal } = this.host;
    const draft = this.state.view.drafts[Number(message.dataset.draft)];
    const before = textOf(this.state.view, draft);
    const field = h("textarea", { class: "field", spellcheck: "false", "aria-label": "Text of the message" });
    field.value = before;
    field.rows = Math.min(field.value.split("\n").length + Math.ceil(before.length / 80), 16);
    const button = (words: string, title: string, act: () => void) => {
      const made = h("button", { type: "button", class: "btn small", title }, words);
      made.addEventListener("click", act, { signal });
      return made;
    };
    const close = () => {
      editor.remove();
      message.classList.remove("editing");
      message.focus({ preventScroll: true });
    };
    const commit = () => {
      const text = typedText(before, field.value);
      close();
      if (text === before) return;
      this.committed = draft.key;
      this.host.send({ command: "edit", key: draft.key, text });
    };
    const hint = h("span", { class: "muted" }, "the run goes on from these words");
    const foot = [button("Save", "Ctrl+Enter", commit), button("Cancel", "Esc", close), hint];
    const editor = h("div", { class: "editor" }, field, h("div", { class: "foot" }, foot));
    field.addEventListener(
      "keydown",
      (event) => {
        if (event.isComposing) return;
        const isCommit = event.key === "Enter" && (event.ctrlKey || event.metaKey);
        if (!isCommit && event.key !== "Escape") return;
        taken(event);
        if (isCommit) commit();
        else close();
      },
      { signal },
    );
    message.classList.add("editing");
    message.querySelector(".bd")!.append(editor);
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }
}

/** What was typed in place of a text: ends of lines that nobody touched stay as they are, a field has only one kind. */
export function typedText(before: string, typed: string): string {
  const plain = before.replace(/\r\n?/g, "\n");
  if (typed === plain) return before;
  if (plain === before) return typed;
  const { start, removed, added } = difference(plain, typed);
  return before.slice(0, placeOf(before, start)) + added + before.slice(placeOf(before, start + removed.length));
}

/** The offset in a text of a character that is given by its number, a line's end counted as one. */
function placeOf(text: string, number: number): number {
  let at = 0;
  for (let n = 0; n < number; n++) at += text.startsWith("\r\n", at) ? 2 : 1;
  return at;
}
