// Code that only some messages need: asked of Python when it is first needed, then kept.

import type { Model } from "../mount";
import type { MathsCode } from "./formulas";

export type LateName = "maths" | "mermaid";

/** How long Python may take to send it. */
const WAIT_MS = 30_000;

/** `maths` and `mermaid` are what MarkdownView takes as `loadMaths` and `loadMermaid`. */
export function lateCode(model: Model): { maths: () => Promise<MathsCode>; mermaid: () => Promise<string> } {
  const mermaid = once(() => textOf(model, "mermaid"));
  const maths = once(async () => moduleOf<MathsCode>(await textOf(model, "maths")));
  return { maths, mermaid };
}

/** Kept where it came; asked for again where it didn't. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | null = null;
  return () => {
    kept ??= load().catch((problem: unknown) => {
      kept = null;
      throw problem;
    });
    return kept;
  };
}

export async function moduleOf<T>(code: string): Promise<T> {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  try {
    return (await import(/* @vite-ignore */ url)) as T;
  } finally {
    URL.revokeObjectURL(url);
  }
}

function textOf(model: Model, name: LateName): Promise<string> {
  if (model.get("live") === false) return Promise.reject(new Error("only Python has the code for it"));
  return new Promise((done, failed) => {
    const hear = (content: unknown, buffers: unknown) => {
      if ((content as { late_code?: string } | null)?.late_code !== name) return;
      stop();
      const bytes = (buffers as (ArrayBuffer | DataView)[] | undefined)?.[0];
      if (bytes) done(new TextDecoder().decode(bytes));
      else failed(new Error("Python sent no code for it"));
    };
    const late = setTimeout(() => {
      stop();
      failed(new Error("Python didn't answer"));
    }, WAIT_MS);
    const stop = () => {
      clearTimeout(late);
      model.off("msg:custom", hear as never);
    };
    model.on("msg:custom", hear as never);
    model.send({ command: "late_code", name });
  });
}
