// Fields of messages that are being edited: one that was closed to be saved is kept until Python has done it.

import type { EditKind } from "./edit_box";
import type { Editing } from "./row";

interface Ended {
  key: string;
  editing: Editing;
}

export class OpenEdits {
  private readonly open = new Map<string, Editing>();
  /** The one that was closed last to be saved. */
  private ended: Ended | null = null;
  /** The one that is there again because nobody answered. */
  private reopened: Ended | null = null;

  of(key: string): Editing | undefined {
    return this.open.get(key);
  }

  /** Opens a field with the words of the message, or those that it has already. */
  begin(key: string, kind: EditKind, text: string): void {
    this.open.set(key, { text, ...this.open.get(key), kind });
  }

  /** Closes a field; says whether there is something to save of it. */
  end(key: string, saved: Editing | null, now: string | undefined): boolean {
    this.open.delete(key);
    if (!saved || (saved.kind !== "branch" && saved.text === now)) return false;
    this.ended = { key, editing: saved };
    return true;
  }

  carriedOut(): void {
    this.ended = null;
  }

  /** The field whose words Python didn't take, which is open again; null where none was sent. */
  refused(): Ended | null {
    const ended = this.ended;
    this.ended = null;
    if (ended) this.open.set(ended.key, { ...ended.editing });
    return ended;
  }

  /** The field that opens since nobody answers, or closes since Python got it after all; null for none. */
  unanswered(isSilent: boolean): Ended | null {
    const reopened = this.reopened;
    this.reopened = isSilent ? this.refused() : null;
    if (isSilent) return this.reopened;
    if (!reopened || this.open.get(reopened.key)?.text !== reopened.editing.text) return null;
    this.open.delete(reopened.key);
    this.ended = reopened;
    return reopened;
  }
}
