// Code: its language, its text as it is, and a button that copies the text as it was written.

import { copied } from "../copied";
import { h, harmless } from "../dom";
import { shortened } from "./addresses";
import { previewButton } from "./html_block";
import type { At } from "./kit";
import { appendText } from "./long_text";
import { mermaidParts } from "./mermaid_block";

/** `info` is what stands behind the opening fence: a language, or a file's name. */
export function codeBlock(code: string, info: string, at: At): HTMLElement {
  const text = code.replace(/\n$/, "");
  const name = shortened(info.trim().split(/\s+/)[0] ?? "", 80);
  const pre = h("pre", { tabindex: 0, "aria-label": name ? `Code, ${harmless(name)}` : "Code" });
  appendText(pre, text);
  const head = h(
    "div",
    { class: "md-code-h" },
    h("span", { class: "mono" }, harmless(name)),
    h("span", { class: "sp" }),
  );
  const block = h("div", { class: "md-code" }, head, pre);
  if (at.open) return block;
  if (name.toLowerCase() === "mermaid") {
    const { button, frame } = mermaidParts(text, at.kit.loadMermaid);
    head.append(button);
    block.append(frame);
  }
  if (/^x?html?$/i.test(name)) head.append(previewButton(text, block));
  head.append(...copyParts(text, pre));
  return block;
}

function copyParts(text: string, pre: HTMLElement): HTMLElement[] {
  const said = h("span", { class: "muted", role: "status" });
  const copy = h("button", { type: "button", class: "btn small quiet" }, "Copy");
  copy.addEventListener("click", () => void copied(text, pre).then((words) => said.replaceChildren(words)));
  return [said, copy];
}
