// What Python gives of a run's injections, and pure functions that read it.

import { grouped, many } from "../_shared/numbers";

/** The values of the fields that change a place; empty is none. */
export interface PlaceFields {
  kind: "preset" | "lore";
  depth: string;
  order: string;
  anchor?: string;
  position: string;
}

export type LandingOutcome = "landed" | "elsewhere" | "moved" | "warned" | "unknown anchor" | "not sent" | "not fired";

export interface Definition {
  key: string;
  name: string;
  look: string;
  ask: string;
  outcome: LandingOutcome;
  why: string;
  /** Its files, and how the model gets each. */
  files: string[];
  /** Rows at the right. */
  landings: number[];
  /** Depths that it asked for and that the history doesn't have. */
  missing: number[];
  /** Why it can't be moved; empty where it can. */
  fixed: string;
  /** Whether it stands where it is listed, among the other presets. */
  isInPlace: boolean;
  place: PlaceFields | null;
}

export interface MessageRow {
  key: string;
  /** The source that it has the colour of; empty for a message of the history, which has that of its role. */
  look: string;
  role: string;
  history: boolean;
  id: string;
  text: string;
  /** Keys of what was made one message there; none where it is one thing. */
  parts: string[];
  /** Messages of the history below it. */
  below: number;
  atDepth: boolean;
  cut: boolean;
  joined: string;
}

export interface MapView {
  /** The sentence in its parts, with the key of the definition that a part names. */
  answer: [words: string, key: string][];
  /** Why nothing was placed; empty where it was. */
  unplaced: string;
  history: number;
  sent: number;
  groups: { name: string; definitions: Definition[] }[];
  rows: MessageRow[];
  anchors: [id: string, name: string][];
  positions: [id: string, words: string][];
}

export const definitions = (view: MapView): Definition[] => view.groups.flatMap((group) => group.definitions);

/** The definition that this key is of: its own, or that of one of the places where it landed. */
export const definitionOf = (view: MapView, key: string): Definition | undefined =>
  definitions(view).find((each) => each.key === key || key.startsWith(`${each.key}@`));

/** Whether a message is the one that is selected, or one of the places where that definition landed. */
export const isOf = (row: MessageRow, selected: string): boolean =>
  [row.key, ...row.parts].some((key) => key === selected || (selected !== "" && key.startsWith(`${selected}@`)));

/** "Sent, 41 messages, joined into 22" */
export function heading(view: MapView): string {
  const cut = view.rows.filter((row) => row.cut).length;
  const words = [`Sent, ${many(view.rows.length, "message")}`];
  if (cut) words.push(`${grouped(cut)} cut later`);
  if (view.sent !== view.rows.length - cut) words.push(`joined into ${grouped(view.sent)}`);
  return words.join(", ");
}

/** What was typed, as the command that says only what is new; null when nothing is. */
export function change(from: PlaceFields, to: PlaceFields): Record<string, string | number> | null {
  const out: Record<string, string | number> = {};
  const isSet = (name: "depth" | "order") => to[name].trim() !== "" && to[name].trim() !== from[name];
  if (from.kind === "lore") {
    if (to.position !== from.position) out.position = to.position;
    if (to.position === "at_depth" && isSet("depth")) out.depth = measured(to.depth);
    if (isSet("order")) out.order = measured(to.order);
  } else if (to.depth.trim()) {
    if (isSet("depth")) out.depth = measured(to.depth);
    if (isSet("order")) out.order = measured(to.order);
  } else if (to.anchor) {
    if (to.anchor !== from.anchor) out.anchor = to.anchor;
    if (to.position !== from.position) out.position = to.position;
    if (isSet("order")) out.order = measured(to.order);
  } else if (from.depth || from.anchor) out.anchor = "";
  return Object.keys(out).length ? out : null;
}

/** A number where it is one, else the words, which Python answers. */
function measured(text: string): string | number {
  const trimmed = text.trim();
  const number = Number(trimmed);
  return trimmed !== "" && Number.isFinite(number) ? number : trimmed;
}
