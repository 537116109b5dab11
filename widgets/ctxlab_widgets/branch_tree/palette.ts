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
  attachment: "attachment",
  /** The frame of what is selected. */
  chosen: "ink",
  root: "role-root",
  user: "role-user",
  assistant: "role-assistant",
  tool: "role-tool",
} as const;

export type Palette = Record<keyof typeof NAMES, string> & Record<Role, string> & { font: string };

/** Where a person has few colours of their own: grounds, what is dim, and what is marked. All else is text. */
const FORCED: Partial<Record<keyof typeof NAMES, string>> = {
  s0: "Canvas",
  s1: "Canvas",
  sel: "Canvas",
  okTint: "Canvas",
  errTint: "Canvas",
  ink3: "GrayText",
  focus: "Highlight",
  ok: "Highlight",
  chosen: "Highlight",
  ring: "LinkText",
};

export const areForced = (): MediaQueryList => matchMedia("(forced-colors: active)");

export function paletteOf(root: HTMLElement): Palette {
  const style = getComputedStyle(root);
  const entries = Object.entries(NAMES);
  const colours = areForced().matches
    ? forced(root)
    : entries.map(([name, token]) => [name, style.getPropertyValue(`--cx-${token}`).trim()]);
  return { ...(Object.fromEntries(colours) as Omit<Palette, "font">), font: style.fontFamily };
}

/** A canvas doesn't know these names' colours of today: an element does. */
function forced(root: HTMLElement): [string, string][] {
  const probe = document.createElement("i");
  root.append(probe);
  const read = new Map<string, string>();
  const colourOf = (name: string) => {
    if (!read.has(name)) {
      probe.style.color = name;
      read.set(name, getComputedStyle(probe).color);
    }
    return read.get(name)!;
  };
  const found = Object.keys(NAMES).map((name): [string, string] => [
    name,
    colourOf(FORCED[name as keyof typeof NAMES] ?? "CanvasText"),
  ]);
  probe.remove();
  return found;
}
