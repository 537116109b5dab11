// What the parts of the widget may ask of the whole.

import type { Tree } from "./tree";

/** A message to Python. */
export type Ask = Record<string, unknown> & { command: string };

export interface Facts {
  /** Whether there is a session at all. */
  given: boolean;
  leaf: string | null;
  messages: number;
  leaves: number;
  chains: number;
  /** What undo and redo would take back and do again; null where there is nothing. */
  undo: string | null;
  redo: string | null;
}

export interface Likeness {
  ids: [string, string];
  shared: number;
  shared_tokens: number;
  own: [number, number];
  own_tokens: [number, number];
}

export interface Door {
  readonly signal: AbortSignal;
  readonly live: boolean;
  readonly tree: Tree;
  ask(what: Ask): void;
  /** Back to the keys of the tree. */
  focus(): void;
}
