// The data that all parts of the widget share, and the interface through which they reach it.

import type { StandsFor } from "../_shared/stands_for";
import type { Tree } from "./tree_data";

/** A message to Python. */
export type Command = Record<string, unknown> & { command: string };

export interface TreeFacts {
  /** Whether there is a session at all. */
  given: boolean;
  leaf: string | null;
  /** Messages from the root to the active leaf. */
  depth: number;
  messages: number;
  leaves: number;
  chains: number;
  /** The layout that Python has computed, and of how many boxes at most springs are drawn where these are too many. */
  layout: "tidy" | "force";
  force_most: number;
  /** Whether tokens are a guess. */
  estimated: boolean;
  /** What undo and redo would take back and do again; null where there is nothing. */
  undo: string | null;
  redo: string | null;
}

export interface SharedHistory {
  ids: [string, string];
  /** The last message that both have; null where they have none. */
  fork: string | null;
  shared: number;
  shared_tokens: number;
  own: [number, number];
  own_tokens: [number, number];
}

/** What was done last, and the message that it was done to. */
export interface Report {
  did: string;
  node: string;
  text: string;
}

export interface MessagePreview {
  key: string;
  role: string;
  name: string;
  text: string;
  tokens: number;
  depth: number;
  date: string;
  calls: string[];
  files: string[];
  stands_for: StandsFor | null;
}

/** The words of a message around a hit. */
export interface Snippet {
  key: string;
  role: string;
  depth: number;
  before: string;
  match: string;
  after: string;
}

export interface TreeHost {
  readonly signal: AbortSignal;
  readonly live: boolean;
  readonly tree: Tree;
  send(what: Command): void;
  /** The canvas has another size: the tree may be laid out anew. */
  sized(): void;
  /** Shows what can be read of the whole tree, or all of it. */
  fit(all: boolean): void;
  /** Back to the keys of the tree. */
  focus(): void;
  redraw(): void;
}
