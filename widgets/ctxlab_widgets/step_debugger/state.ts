// What the widget shows at a moment, and what its parts may ask of it.

import type { Files } from "../_shared/attachments";
import type { ChangeRow, Scope } from "../_shared/message_changes";
import type { RemedyJson } from "../_shared/remedy_button";
import type { InitialSettings } from "../_shared/settings_form";
import type { StandsFor } from "../_shared/stands_for";
import type { Box, View } from "../_shared/trace_view";
import type { SettingsDiff } from "./settings_effect";

export type Colour = "source" | "token" | "plain";

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
  initialSettings: InitialSettings;
  /** A value that a setting doesn't take, and why. */
  refused: { step: string; name: string; text: string } | null;
  comparison: SettingsDiff | null;
  live: boolean;
  /** Whether what is sent is shown, behind the last step, instead of what that step did. */
  result: boolean;
  /** Views of the page that can be opened from here. */
  views: readonly string[];
  /** Against what a person wants to see the messages of a step; ask `scopeOf` what holds. */
  scope: Scope;
  colour: Colour;
  /** Whether Python tells where tokens end, and what it has told, by draft. */
  canSplitTokens: boolean;
  ends: ReadonlyMap<number, number[]>;
  rows: ChangeRow[];
  /** The files of the run, and those whose reasons are shown. */
  files: Files;
  reasons: Set<string>;
  /** By key, what each summary stands for. */
  summaries: Record<string, StandsFor>;
  /** Key of the message in focus. */
  selected: string;
  /** By key, what would have kept a dropped message: of the one selected, in a report of some. */
  remedies: ReadonlyMap<string, RemedyJson>;
  /** Key of the message that no fold may hide; empty when none. */
  revealed: string;
  open: Map<string, number>;
  whole: Set<string>;
}

/** What a click or a key asks for. With a kernel it becomes a message, without one the page answers itself. */
export type Command =
  | { command: "step" | "back" | "run" | "result" | "undo_change" | "page_undo" | "page_redo" }
  | { command: "edit"; key: string; text: string }
  | { command: "apply_remedy"; key: string }
  | { command: "remedies"; keys: string[] }
  | { command: "open_view"; view: string; key: string }
  | { command: "run_to"; position: number }
  | { command: "switch"; step: string; on: boolean }
  | { command: "set"; step: string; name: string; value: unknown; continues?: boolean }
  | { command: "undo"; step: string; name?: string }
  | { command: "breakpoint"; step: string; on: boolean }
  | { command: "tokens"; drafts: number[] };

export interface DebuggerHost {
  send(what: Command): void;
  show(box: number): void;
  /** Goes to a step, and shows its settings; behind the last box is what is sent. */
  goToBox(box: number): void;
  change(values: Partial<Pick<State, "scope" | "colour">>): void;
  /** A message was selected here; everybody is told. */
  select(key: string): void;
  /** The same, and it is brought into sight. */
  seek(key: string): void;
  signal: AbortSignal;
}

/** Against what the messages are shown: what is sent against what was there at first. */
export const scopeOf = (state: State): Scope => (state.result ? "start" : state.scope);

/** The box that the position stands on: the last one done; -1 before the first. */
export function currentBox(state: State): number {
  if (state.result) return state.boxes.length;
  let found = -1;
  for (const [i, box] of state.boxes.entries()) if (box.state !== "off" && box.at === state.position) found = i;
  return state.position > 0 ? found : -1;
}
