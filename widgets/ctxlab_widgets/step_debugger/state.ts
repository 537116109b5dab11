// What the widget shows at a moment, and what its parts may ask of it.

import type { Row, Scope } from "../_shared/changes";
import type { Box, View } from "../_shared/view";

export interface State {
  view: View;
  boxes: Box[];
  /** Steps done, a person's edits included. */
  position: number;
  /** Index of the box whose settings stand beside the messages. */
  shown: number;
  breakpoints: ReadonlySet<string>;
  /** Steps that ran again after the last change. */
  rerun: ReadonlySet<string>;
  failed: { id: string; error: string } | null;
  live: boolean;
  scope: Scope;
  colour: "source" | "plain";
  rows: Row[];
  open: Map<string, number>;
  whole: Set<string>;
}

/** What a click or a key asks for. With a kernel it becomes a message, without one the page answers itself. */
export type Ask =
  | { command: "step" | "back" | "run" }
  | { command: "run_to"; position: number }
  | { command: "switch"; step: string; on: boolean }
  | { command: "breakpoint"; step: string; on: boolean };

export interface Door {
  ask(what: Ask): void;
  show(box: number): void;
  change(values: Partial<Pick<State, "scope" | "colour">>): void;
  redrawMessages(focus?: string): void;
  signal: AbortSignal;
}

/** The box that the position stands on: the last one done; -1 before the first. */
export function currentBox(state: State): number {
  let found = -1;
  for (const [i, box] of state.boxes.entries()) if (box.state !== "off" && box.at === state.position) found = i;
  return state.position > 0 ? found : -1;
}
