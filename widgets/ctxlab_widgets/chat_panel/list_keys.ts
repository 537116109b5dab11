// What a key means on a message; it means nothing while one types or chooses in a menu.

import { isSingle } from "../_shared/keyboard";
import type { Row, RowAction } from "./payload";
import type { HeadTools } from "./row_head";

export interface Meaning {
  move?: "up" | "down" | "first" | "last";
  sibling?: 1 | -1;
  /** A button of the row, by its name. */
  press?: string;
  action?: RowAction;
}

const MEANINGS: Record<string, Meaning> = {
  ArrowUp: { move: "up" },
  ArrowDown: { move: "down" },
  Home: { move: "first" },
  End: { move: "last" },
  ArrowLeft: { sibling: -1 },
  ArrowRight: { sibling: 1 },
  e: { action: "edit" },
  b: { action: "branch" },
  r: { action: "regenerate" },
  c: { action: "copy" },
  t: { action: "translate" },
  m: { press: "more" },
  Escape: { press: "stop" },
};

/** Keys of the list, for the help of the panel. */
export const LIST_KEYS = [
  ["\u2191 \u2193", "message up, down"],
  ["Home, End", "first, last message"],
  ["\u2190 \u2192", "the version before, after"],
  ["E, B", "edit it here, as a branch"],
  ["R", "answer again"],
  ["C, T, M", "copy, translate, more"],
  ["Esc", "stop, on the answer being written"],
] as const;

export function keyMeaning(event: KeyboardEvent): Meaning | null {
  if (!isSingle(event)) return null;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return MEANINGS[key] ?? null;
}

/** Key of the message that an element is in; empty where it is in none. */
export const keyOf = (target: EventTarget | null): string =>
  (target instanceof Element && target.closest<HTMLElement>("article[data-key]")?.dataset.key) || "";

/** Name of a button, by which it is found again after its row was drawn anew. */
export const actOf = (element: Element | null): string => (element as HTMLElement | null)?.dataset?.act ?? "";

/** Presses a button of a row by its name; false where there is none. */
export function press(element: HTMLElement, act: string): boolean {
  const button = element.querySelector<HTMLElement>(`[data-act="${act}"]`);
  button?.click();
  return button !== null;
}

/** Goes to the version before or after; false where there are none. */
export function toSibling({ siblings }: Row, by: 1 | -1, { host, switchTo }: HeadTools): boolean {
  const key = siblings?.ids[siblings.at - 1 + by];
  if (key !== undefined && host.live) switchTo(key);
  return siblings !== undefined;
}

/** Whether it is among the words of a message, and no control. */
export const isOnWords = (target: EventTarget | null): boolean =>
  target instanceof Element && !target.closest("button, summary, textarea, a, .ch, .toolc");
