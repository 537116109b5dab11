// The colours of the page as a canvas needs them, read from the tokens when something is drawn.

import type { Role } from "./tree_data";

const NAMES = {
  s0: "s0",
  s1: "s1",
  edge: "edge",
  ink: "ink",
  ink2: "ink-2",
  ink3: "ink-3",
  focus: "focus",
  sel: "sel",
  ok: "ok",
  okTint: "ok-t",
  err: "err",
  errTint: "err-t",
  ring: "ring",
  summary: "summary",
  root: "role-root",
  user: "role-user",
  assistant: "role-assistant",
  tool: "role-tool",
} as const;

export type Palette = Record<keyof typeof NAMES, string> & Record<Role, string> & { font: string };

export function paletteOf(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const colours = Object.entries(NAMES).map(([name, token]) => [name, style.getPropertyValue(`--cx-${token}`).trim()]);
  return { ...(Object.fromEntries(colours) as Omit<Palette, "font">), font: style.fontFamily };
}
