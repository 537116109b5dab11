// What the list of messages asks of the panel that it stands in.

import type { Choice, Command, MessageAction } from "./payload";

/** A text in the page that is brought up to date as often as it changes; `open` says that more of it will come. */
export interface TextView {
  update(text: string, how?: { open?: boolean }): void;
  destroy(): void;
}

export interface ListHost {
  send(command: Command): void;
  copy(text: string): void;
  /** Ends with the panel. */
  signal: AbortSignal;
  /** Whether Python answers: in a report nobody does, and there is nothing to press but Copy. */
  live: boolean;
  /** Models to answer once more with. */
  models(): Choice[];
  /** Languages to translate into. */
  languages(): Choice[];
  /** Names of the actions that plugins bring, by id. */
  messageActions(): MessageAction[];
  /** Draws the text of a message into an element; paragraphs of plain text where it is absent. */
  textView?(host: HTMLElement, key: string): TextView;
  /** Another row holds the keys. */
  chosen?(key: string): void;
}
