// A call of a tool: its name and arguments, where it stands, and what it gave, which is folded when it is long.

import { glyph, h, harmless } from "../_shared/dom";
import type { CallRow } from "./payload";

const STATES: Record<CallRow["state"], { sign: string; words: string }> = {
  asks: { sign: "warning", words: "waits for your word" },
  allowed: { sign: "tools", words: "allowed" },
  running: { sign: "now", words: "running" },
  done: { sign: "tools", words: "" },
  failed: { sign: "failed", words: "failed" },
  refused: { sign: "off", words: "refused" },
};
/** Lines of a result that are shown while it is folded. */
const FEW = 3;
const MANY_CHARACTERS = 400;

export interface CallHost {
  /** Ids of what is unfolded; kept for the next drawing. */
  open: Set<string>;
  /** The word on a call that asks; absent where nobody can take it. */
  approve: ((call: string, yes: boolean) => void) | null;
}

export function callBox(call: CallRow, host: CallHost): HTMLElement {
  const { sign, words } = STATES[call.state] ?? STATES.done;
  const asks = call.state === "asks" && host.approve;
  const head = h(
    "div",
    { class: "th" },
    glyph(sign),
    h("b", { class: "mono" }, harmless(call.name)),
    h("code", {}, harmless(call.arguments)),
    h("span", { class: "sp" }),
    words && h("span", { class: `st f11 ${call.state}` }, words),
    call.facts && h("span", { class: "ink2 f11" }, harmless(call.facts)),
    asks && word(call, "Allow", true, asks),
    asks && word(call, "Refuse", false, asks),
  );
  const label = `${harmless(call.name)}${words && `, ${words}`}`;
  return h(
    "div",
    { class: `toolc src-tools ${call.state}`, role: "group", "aria-label": label },
    head,
    call.result !== undefined && resultText(call.result, `call:${call.id}`, host.open),
  );
}

function word(call: CallRow, label: string, yes: boolean, approve: (call: string, yes: boolean) => void): HTMLElement {
  const button = h("button", { type: "button", class: "btn small", "data-act": `${label}:${call.id}` }, label);
  button.addEventListener("click", () => approve(call.id, yes));
  return button;
}

/** What a tool gave: whole when it is short, else its first lines and what opens it. */
export function resultText(text: string, id: string, open: Set<string>): HTMLElement {
  const first = firstLines(text);
  if (first === text) return h("pre", {}, harmless(text));
  const body = h("pre", {}, "");
  const button = h("button", { type: "button", class: "btn quiet small", "data-act": id });
  const draw = () => {
    const isOpen = open.has(id);
    body.textContent = harmless(isOpen ? text : `${first}\u2026`);
    button.textContent = isOpen ? "Fold" : `All ${text.length.toLocaleString("en-US")} characters`;
    button.setAttribute("aria-expanded", String(isOpen));
  };
  button.addEventListener("click", () => {
    if (!open.delete(id)) open.add(id);
    draw();
  });
  draw();
  return h("div", { class: "res" }, body, button);
}

/** The first lines of a text; all of it where little more would be left. */
export function firstLines(text: string): string {
  const lines = text.split("\n");
  const few = lines.slice(0, FEW).join("\n");
  const found = few.length > MANY_CHARACTERS ? few.slice(0, MANY_CHARACTERS) : few;
  return text.length - found.length < 40 ? text : found;
}
