// What each key does: everywhere in the widget, and on the canvas alone.

import { WAYS, type Way } from "./tree_data";

export interface KeyActions {
  readonly live: boolean;
  /** Whether a sign is being dragged. */
  readonly isHolding: boolean;
  alone(): void;
  undo(): void;
  redo(): void;
  find(): void;
  goToLeaf(): void;
  zoomIn(): void;
  zoomOut(): void;
  unzoom(): void;
  edit(): void;
  walk(way: Way): void;
  enter(): void;
  pick(): void;
  unfold(): void;
  cut(): void;
  paste(one: boolean): void;
  escape(): void;
}

type Key = Pick<KeyboardEvent, "key" | "altKey" | "ctrlKey" | "metaKey" | "shiftKey">;

/** What to do for a key, or null: then it is none of ours and goes its way. */
export function keyAction(event: Key, inTree: boolean, can: KeyActions): (() => void) | null {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (event.ctrlKey || event.metaKey) return can.live && !event.altKey ? withCtrl(key, event.shiftKey, can) : null;
  if (key === "Alt") return can.isHolding ? () => can.alone() : null;
  if (key === "v" && inTree && can.live) return () => can.paste(event.altKey);
  if (event.altKey) return null;
  if (inTree && WAYS.includes(key)) return () => can.walk(key as Way);
  return (inTree ? onCanvas(key, can) : null) ?? everywhere(key, can);
}

function withCtrl(key: string, shift: boolean, can: KeyActions): (() => void) | null {
  if (key === "z") return shift ? () => can.redo() : () => can.undo();
  return key === "y" ? () => can.redo() : null;
}

function everywhere(key: string, can: KeyActions): (() => void) | null {
  if (key === "/") return () => can.find();
  if (key === "a") return () => can.goToLeaf();
  if (key === "+" || key === "=") return () => can.zoomIn();
  if (key === "-") return () => can.zoomOut();
  if (key === "0") return () => can.unzoom();
  return key === "e" && can.live ? () => can.edit() : null;
}

function onCanvas(key: string, can: KeyActions): (() => void) | null {
  if (key === "Enter") return () => can.enter();
  if (key === " ") return () => can.pick();
  if (key === "Escape") return () => can.escape();
  if (!can.live) return null;
  if (key === "f") return () => can.unfold();
  return key === "x" ? () => can.cut() : null;
}
