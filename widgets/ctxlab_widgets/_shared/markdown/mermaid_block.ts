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
    const dark = isDark(place);
    place.replaceChildren(sandboxFrame(PAGE, "Diagram", { heard, given: { code, asked: { source, dark } }, dark }));
  });
  return { button, frame: place };
}

const isDark = (element: HTMLElement): boolean =>
  element.closest("[data-theme]")?.getAttribute("data-theme") === "dark";

// Four megabytes of code as a part of the page would be read as HTML twice.
const PAGE = `<body><script>addEventListener("message", ({ source, data }) => {
  if (source !== parent.parent) return;
  const script = document.createElement("script");
  script.textContent = data.code;
  document.head.append(script);
  ctxlabDiagram(data.asked);
});</script>`;
