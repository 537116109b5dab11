// The data that all parts of the widget share, and the interface through which they reach it.

import type { Tree } from "./tree_data";

/** A message to Python. */
export type Command = Record<string, unknown> & { command: string };

export interface TreeFacts {
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

export interface SharedHistory {
  ids: [string, string];
  shared: number;
  shared_tokens: number;
  own: [number, number];
  own_tokens: [number, number];
}

export interface TreeHost {
  readonly signal: AbortSignal;
  readonly live: boolean;
  readonly tree: Tree;
  send(what: Command): void;
  /** Back to the keys of the tree. */
  focus(): void;
}
