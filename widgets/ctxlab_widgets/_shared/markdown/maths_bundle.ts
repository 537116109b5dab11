// A bundle of its own: a formula as MathML text. The page copies from it what it knows, node by node.

import katex from "katex";

/** Throws an error whose message says what is wrong with the formula. */
export function mathML(tex: string, display: boolean): string {
  return katex.renderToString(tex, {
    displayMode: display,
    output: "mathml",
    trust: false,
    strict: "ignore",
    throwOnError: true,
    maxSize: 20,
    maxExpand: 300,
    macros: {},
  });
}
