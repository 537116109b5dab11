// A diagram: its source stays, and a button draws it in a frame that reaches nothing.

import { h, harmless } from "../dom";
import { type FrameWord, sandboxFrame } from "./sandbox_frame";

const LONGEST = 20_000;

export function mermaidParts(
  source: string,
  loadMermaid: () => Promise<string>,
): { button: HTMLElement; frame: HTMLElement } {
  const place = h("div", { class: "md-diagram", role: "status" });
  const button = h("button", { type: "button", class: "btn small" }, "Draw");
  const say = (words: string) => place.replaceChildren(h("p", { class: "err" }, harmless(words)));
  const heard = ({ error }: FrameWord) => {
    if (error !== undefined) say(`This is no diagram that can be drawn: ${error}`);
  };
  button.addEventListener("click", async () => {
    place.replaceChildren();
    if (source.length > LONGEST) return say(`A diagram of more than ${LONGEST} characters isn't drawn.`);
    const code = await loadMermaid().catch((problem: Error) => problem);
    if (code instanceof Error) return say(`Diagrams can't be drawn here: ${code.message}`);
    place.replaceChildren(sandboxFrame(pageOf(source, code, isDark(place)), "Diagram", heard));
  });
  return { button, frame: place };
}

const isDark = (element: HTMLElement): boolean =>
  element.closest("[data-theme]")?.getAttribute("data-theme") === "dark";

/** Code and source are JavaScript in a page: nothing in them may end the element that holds them. */
function pageOf(source: string, code: string, dark: boolean): string {
  const asked = JSON.stringify({ source, dark }).replaceAll("<", "\\u003c");
  const safe = code.replace(/<(?=!--|\/?script)/gi, "\\x3c");
  return `<body><script>${safe}</script><script>ctxlabDiagram(${asked})</script>`;
}
