// A frame for what strangers wrote: it may run scripts and reaches nothing.
//
// Two frames in each other. The inner one holds the page; its sandbox gives it an origin of its own, no forms, no
// windows, no way to the page around it. A sandbox doesn't keep a frame from leading itself elsewhere, which would be a
// request: the policy of the outer frame does, which allows no address inside it. Both have the policy that nothing is
// fetched. The page around draws the frame as high as it says, within bounds, and believes nothing else.

import { h } from "../dom";

const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
const HEAD = `<!doctype html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><meta http-equiv="x-dns-prefetch-control" content="off">`;
/** Run before anything of the page: the one way out that no policy closes everywhere. */
const PRELUDE = `<script>for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) delete globalThis[name];</script>`;
const REPORT = `<script>addEventListener("load", () => {
  const tell = () => parent.parent.postMessage({ height: Math.ceil(document.documentElement.getBoundingClientRect().height) }, "*");
  new ResizeObserver(tell).observe(document.documentElement);
  tell();
});</script>`;
const OUTER = `<style>html, body, iframe { margin: 0; border: 0; width: 100%; height: 100%; display: block; overflow: hidden }</style>`;
const LEAST = 40;
const MOST = 640;

/** What a frame may say to the page around it. */
export interface FrameWord {
  height?: number;
  error?: string;
}

export interface Between {
  heard?: (word: FrameWord) => void;
  /** A message that the page in the frame gets once it is loaded. */
  given?: unknown;
  /** A page of the dark theme; else one of the light one, with its own ground. */
  dark?: boolean;
}

/** A frame with this page in it, which is heard until the frame is gone. */
export function sandboxFrame(
  page: string,
  title: string,
  { heard, given, dark = false }: Between = {},
): HTMLIFrameElement {
  const head = `${HEAD}<style>:root { color-scheme: ${dark ? "dark" : "light"}; background: Canvas; color: CanvasText }</style>`;
  const inner = `${head}${PRELUDE}${page}${REPORT}`;
  const outer = `${head}${OUTER}<iframe sandbox="allow-scripts" referrerpolicy="no-referrer" srcdoc="${quoted(inner)}"></iframe>`;
  const frame = h("iframe", {
    class: "md-frame",
    title,
    sandbox: "allow-scripts",
    referrerpolicy: "no-referrer",
    srcdoc: outer,
  });
  frame.style.height = `${LEAST}px`;
  const ending = new AbortController();
  let isGiven = given === undefined;
  const hear = ({ source, data }: MessageEvent) => {
    if (!frame.isConnected) return ending.abort();
    if (!source || source !== frame.contentWindow?.frames[0]) return;
    const word = wordOf(data);
    if (word.height) frame.style.height = `${Math.min(MOST, Math.max(LEAST, word.height))}px`;
    if (!isGiven) frame.contentWindow.frames[0].postMessage(given, "*");
    isGiven = true;
    heard?.(word);
  };
  window.addEventListener("message", hear, { signal: ending.signal });
  return frame;
}

function wordOf(data: unknown): FrameWord {
  const { height, error } = (typeof data === "object" && data !== null ? data : {}) as Record<string, unknown>;
  return {
    ...(typeof height === "number" && Number.isFinite(height) ? { height } : {}),
    ...(typeof error === "string" ? { error: error.slice(0, 500) } : {}),
  };
}

const quoted = (text: string): string => text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
