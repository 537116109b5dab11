// The JSON data of a form by section, and words on it.

import type { Setting, Stage } from "../_shared/trace_view";

export type Section = Pick<Stage, "id" | "description" | "settings" | "groups"> & { title: string };

export interface FormView {
  title: string;
  /** The name of what is edited; empty where it has none. */
  name: string;
  sentence: string;
  notes: string[];
  /** Whether changes count once they are saved, not at once. */
  saves: boolean;
  dirty: boolean;
  undo: string | null;
  redo: string | null;
  sections: Section[];
}

export type Command =
  | { command: "set"; step: string; name: string; value: unknown; continues?: boolean }
  | { command: "undo"; step: string; name?: string }
  | { command: "undo" | "redo" | "save" };

const isSet = ({ layer }: Setting): boolean => layer !== "default";

/** How many fields of a section have a value of their own, such as "8 fields, 2 set". */
export function setWords({ settings }: Pick<Section, "settings">): string {
  const fields = Object.values(settings);
  const set = fields.filter(isSet).length;
  return `${fields.length} ${fields.length === 1 ? "field" : "fields"}${set ? `, ${set} set` : ""}`;
}

/** Sections stand open where there are few; among many those in which something is set or wrong. */
export const opensAtFirst = ({ settings }: Pick<Section, "settings">, among: number): boolean =>
  among <= 3 || Object.values(settings).some((setting) => isSet(setting) || Boolean(setting.error));
