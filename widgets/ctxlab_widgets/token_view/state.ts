// What the parts of the widget share.

import type { Hit } from "./find_hits";
import type { Tokens } from "./tokens";

export type Side = 0 | 1;

/** A token by its tokenizer and its place. */
export interface TokenPlace {
  side: Side;
  token: number;
}

export interface Message {
  key: string;
  role: string;
  kind: string;
  tokens: number;
  parts: string[];
  sent: boolean;
}

/** The `view` trait. */
export interface View {
  /** Code points, as Python counts them. */
  characters: number;
  tokens: [number, number];
  boundaries: { first: number; second: number; both: number };
  /** Tokenizers to choose from. */
  names: string[];
  run: boolean;
  /** How far off the run's own count may be; empty where that is exact. */
  estimate: string;
  messages: Message[];
}

export interface State {
  view: View;
  text: string;
  names: [string, string];
  sides: [Tokens, Tokens];
  /** Offsets where lines begin, the same for both tokenizers; the last is the text's length. */
  lines: Int32Array;
  colour: "token" | "plain";
  hits: Hit[];
  /** The token in focus, which keys move. */
  at: TokenPlace;
  /** The token under the pointer. */
  over: TokenPlace | null;
  live: boolean;
}

export interface TokenViewHost {
  signal: AbortSignal;
  focus(place: TokenPlace): void;
  hover(place: TokenPlace | null): void;
  scrolled(from: Side): void;
}

export const other = (side: Side): Side => (side === 0 ? 1 : 0);
