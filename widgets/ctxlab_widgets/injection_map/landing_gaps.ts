// Where a dragged block would land: the gaps of the ruler, and what they are called.

import type { Definition, MapView, MessageRow } from "./payload";

export interface Gap {
  /** The row below the gap. */
  row: number;
  depth: number;
  element: HTMLElement;
}

/** One past the newest message of the history. */
export const endOfHistory = (view: MapView): number => view.rows.findLastIndex((row) => row.history) + 1;

const NAME = 24;

const name = (row: MessageRow): string => row.id || `“${row.text.slice(0, NAME)}”`;

/** "between u12 and a12, depth 1" */
export function gapWords(view: MapView, { row, depth }: Pick<Gap, "row" | "depth">): string {
  const above = view.rows.findLast((each, at) => each.history && at < row);
  const below = view.rows.find((each, at) => each.history && at >= row);
  const place = above && below ? `between ${name(above)} and ${name(below)}` : "";
  const edge = below ? `before ${name(below)}` : above ? `after ${name(above)}` : "where the history would be";
  return `${place || edge}, depth ${depth.toLocaleString("en-US")}`;
}

/** Why it can't be dragged; empty where it can. */
export function refusal(definition: Definition | undefined): string {
  if (!definition) return "Only presets and lore are moved here.";
  return definition.place ? "" : definition.fixed || "It has no place of its own.";
}

/** The change that a drop asks for; null where it is there already. */
export function dropped(definition: Definition, depth: number): Record<string, string | number> | null {
  const { place } = definition;
  if (!place) return null;
  if (place.kind === "lore") {
    if (place.position === "at_depth" && place.depth === String(depth)) return null;
    return { position: "at_depth", depth };
  }
  return place.depth === String(depth) ? null : { depth };
}
