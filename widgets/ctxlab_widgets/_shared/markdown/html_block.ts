// HTML that a model wrote: shown as text. On demand it runs in a frame that reaches nothing; its buttons are real ones.

import { h } from "../dom";
import type { At } from "./kit";
import { appendText } from "./long_text";
import { buttonOf, drawButton, inert, type ModelButton } from "./model_button";
import { sandboxFrame } from "./sandbox_frame";

const MOST_BUTTONS = 50;
const BESIDE_BUTTONS = new Set(["BUTTON", "DIV", "P", "SPAN", "CENTER", "BR", "B", "I", "STRONG", "EM"]);

export function htmlBlock(html: string, { kit, open }: At): HTMLElement {
  const body = /<button\b/i.test(html) && !open ? inert(html).body : null;
  const buttons = body ? buttonsOf(body) : [];
  const row = buttons.length
    ? h(
        "div",
        { class: "md-buttons" },
        buttons.map((each) => drawButton(each, kit.onButton)),
      )
    : null;
  if (row && body && onlyButtons(body)) return row;
  const pre = h("pre", { tabindex: 0, "aria-label": "HTML" });
  appendText(pre, html.trimEnd());
  const head = h("div", { class: "md-code-h" }, h("span", { class: "mono" }, "HTML"), h("span", { class: "sp" }));
  const block = h("div", { class: "md-code md-html" }, head, pre, row);
  if (!open && /<[a-z]/i.test(html)) head.append(previewButton(html, block));
  return block;
}

function buttonsOf(body: HTMLElement): ModelButton[] {
  return [...body.querySelectorAll("button")]
    .slice(0, MOST_BUTTONS)
    .flatMap((each) => buttonOf(each, each.textContent ?? "") ?? []);
}

/** Whether nothing would be lost by drawing the buttons alone. */
function onlyButtons(body: HTMLElement): boolean {
  if (![...body.querySelectorAll("*")].every(({ tagName }) => BESIDE_BUTTONS.has(tagName))) return false;
  const rest = body.cloneNode(true) as HTMLElement;
  for (const each of rest.querySelectorAll("button")) if (buttonOf(each, each.textContent ?? "")) each.remove();
  return !rest.textContent?.trim() && !rest.querySelector("button");
}

/** Opens and closes a frame with the page at the end of its block. */
export function previewButton(html: string, block: HTMLElement): HTMLElement {
  const button = h("button", { type: "button", class: "btn small", "aria-pressed": "false" }, "Preview");
  button.title = "Runs in a frame that reaches neither this page nor the network";
  button.addEventListener("click", () => {
    const shown = block.querySelector("iframe");
    if (shown) shown.remove();
    else block.append(sandboxFrame(withoutLinks(html), "Preview of HTML from the message"));
    button.setAttribute("aria-pressed", String(!shown));
    button.textContent = shown ? "Preview" : "Close the preview";
  });
  return button;
}

/** Without the elements that a browser looks up names of hosts for, and those that lead a page elsewhere. */
function withoutLinks(html: string): string {
  const page = inert(html);
  for (const element of page.querySelectorAll("link, base, meta")) element.remove();
  return page.documentElement.outerHTML;
}
