// A button that a model wrote: a real one, which says beside it what it will do.

import { h, harmless } from "../dom";
import { shortened } from "./addresses";

export type ButtonKind = "send" | "input" | "copy";

/** `send` sends the text as the user's message, `input` puts it where one types, `copy` into the clipboard. */
export interface ModelButton {
  kind: ButtonKind;
  label: string;
  text: string;
}

const KINDS = new Set<string>(["send", "input", "copy"]);
const WILL: Record<ButtonKind, string> = { send: "sends", input: "writes into your message", copy: "copies" };
const MOST_LABEL = 80;
const MOST_SAID = 240;

/** The button of a tag and its words; null where the tag is none that may do anything. */
export function buttonOf(element: Element, words: string): ModelButton | null {
  const kind = element.getAttribute("type")?.toLowerCase() ?? "";
  const label = words.trim() || element.getAttribute("label")?.trim() || "";
  const text = element.getAttribute("value") ?? label;
  return KINDS.has(kind) && text ? { kind: kind as ButtonKind, label: label || text, text } : null;
}

/** Of an opening tag as it was written, such as `<button type="send" value="Yes">`. */
export function buttonOfTag(tag: string, words: string): ModelButton | null {
  const element = inert(`${tag}</button>`).querySelector("button");
  return element && buttonOf(element, words);
}

/** HTML as a document that runs nothing and asks for nothing. */
export const inert = (html: string): Document => new DOMParser().parseFromString(html, "text/html");

export function drawButton(button: ModelButton, pressed: (button: ModelButton) => void): HTMLElement {
  const will = `the model\u2019s button: ${WILL[button.kind]} \u201c${harmless(shortened(button.text, MOST_SAID))}\u201d`;
  const label = harmless(shortened(button.label, MOST_LABEL));
  const made = h("button", { type: "button", class: "btn", "aria-label": `${label}, ${will}` }, label);
  made.addEventListener("click", () => pressed(button));
  return h("span", { class: "md-button" }, made, h("span", { class: "muted f11", "aria-hidden": "true" }, will));
}
