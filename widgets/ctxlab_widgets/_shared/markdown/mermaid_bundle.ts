// A bundle of its own, as code for the frame of one diagram: `ctxlabDiagram({source, dark})` draws into the body.

import mermaid from "mermaid";

async function draw({ source, dark }: { source: string; dark: boolean }): Promise<void> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    layout: "dagre",
    theme: dark ? "dark" : "default",
    maxTextSize: 20_000,
    maxEdges: 500,
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    fontFamily: "sans-serif",
  });
  document.body.style.margin = "8px";
  try {
    const { svg } = await mermaid.render("diagram", source);
    const drawn = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
    if (!drawn) throw new Error("nothing was drawn");
    document.body.append(document.adoptNode(drawn));
  } catch (problem) {
    parent.parent.postMessage({ error: wordsOf(problem instanceof Error ? problem.message : String(problem)) }, "*");
  }
}

function wordsOf(message: string): string {
  const line = /error on line (\d+)/i.exec(message)?.[1];
  if (line) return `line ${line} isn't understood`;
  return /^No diagram type/.test(message)
    ? "its first word names no kind of diagram"
    : message.split("\n")[0].slice(0, 200);
}

Object.assign(globalThis, { ctxlabDiagram: draw });
