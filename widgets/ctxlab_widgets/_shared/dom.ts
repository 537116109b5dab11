// Elements from values. Every text reaches the page as a text node: what is shown was written by models and strangers.

import { GLYPHS, type Sign } from "./glyphs";

export type Child = Node | string | number | null | undefined | false | Child[];
type Attributes = Record<string, string | number | boolean | null | undefined>;

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  add(element, children);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
}

function add(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) add(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** A sign of 12 by 12, drawn and never a font's. */
export function glyph(name: string | Sign): SVGElement {
  const sign = document.createElementNS(SVG, "svg");
  set(sign, { class: "g", viewBox: "0 0 12 12", "aria-hidden": "true" });
  const [fill, ...strokes] = typeof name === "string" ? (GLYPHS[name] ?? GLYPHS.overhead) : name;
  if (fill) sign.append(path({ d: fill, "fill-rule": "evenodd" }));
  for (const [d, width, dash] of strokes)
    sign.append(path({ d, fill: "none", stroke: "currentColor", "stroke-width": width, "stroke-dasharray": dash }));
  return sign;
}

function path(attributes: Attributes): SVGElement {
  const element = document.createElementNS(SVG, "path");
  set(element, attributes);
  return element;
}

/** Controls and directions written out, so that a text can't turn around what stands beside it; a carriage return ends a line. */
export const harmless = (text: string): string =>
  text.replace(/\r\n?/g, "\n").replace(OBEYED, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

/**
 * Acts as soon as a button is pressed down: what may move or be drawn anew under the pointer is hit all the same. Keys
 * and readers of screens give a click that no pointer made.
 */
export function whenPressed(button: HTMLElement, act: () => void, signal?: AbortSignal): void {
  const on = (event: "pointerdown" | "click", heard: (at: MouseEvent) => void) =>
    button.addEventListener(event, heard as EventListener, signal ? { signal } : {});
  on("pointerdown", (event) => event.button === 0 && act());
  on("click", (event) => event.detail === 0 && act());
}
