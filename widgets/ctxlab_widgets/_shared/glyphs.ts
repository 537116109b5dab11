// The signs: first what is filled, then what is stroked, with its width and dashes.

import { SOURCE_ICONS } from "./source_icons";

type Stroke = [d: string, width: number, dash?: string];

export type Sign = [fill: string, ...strokes: Stroke[]];

export const GLYPHS: Record<string, Sign> = {
  ...SOURCE_ICONS,
  cut: ["", ["M2 2h8v8H2zM2 10 10 2", 1.4]],
  done: ["", ["M2 6.4 4.8 9 10 3", 1.8]],
  now: ["M3 1.5v9L10 6z"],
  off: ["", ["M6 1.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 0 0 0-8.4zM3 9 9 3", 1.4]],
  skipped: ["", ["M1.5 6h6M5 2.5 8.5 6 5 9.5M10.5 2v8", 1.5]],
  lost: ["", ["M2 10l.6-2.6L8.6 1.4l2 2-6 6zM2 1.5l8.5 9", 1.4]],
  edited: ["", ["M2 10l.6-2.6L8.6 1.4l2 2-6 6z", 1.4]],
  failed: ["", ["M2.5 2.5l7 7M9.5 2.5l-7 7", 2]],
  fork: ["", ["M3 1.5v9M3 6.5h3.5A2.5 2.5 0 0 0 9 4V1.5", 1.4]],
  todo: ["", ["M6 2a4 4 0 1 0 0 8a4 4 0 0 0 0-8z", 1.3, "2 1.6"]],
  breakpoint: ["M3.8 .8h4.4l3 3v4.4l-3 3H3.8l-3-3V3.8z"],
  back: ["M9.5 1.5v9L3.5 6zM2 1.5h1.5v9H2z"],
  step: ["M2.5 1.5v9L8.5 6zM8.5 1.5H10v9H8.5z"],
  run: ["M1 1.5v9L6 6zM6 1.5v9l5-4.5z"],
  to: ["M1 5.2h5V2.4L10 6 6 9.6V6.8H1zM10 1.5h1.4v9H10z"],
  warning: ["M6 .9 11.6 11H.4zM5.3 4.4h1.4v3.2H5.3zm0 4h1.4v1.4H5.3z"],
  info: ["M6 .8a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 6 .8zm-.7 4.4h1.4v4H5.3zm0-2.2h1.4v1.4H5.3z"],
  error: ["M3.8.8h4.4l3 3v4.4l-3 3H3.8l-3-3V3.8zM5.3 2.8h1.4v4H5.3zm0 5h1.4v1.4H5.3z"],
  system: ["M2 2h8v8H2z"],
  user: ["M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 0 0 0-8.8z"],
  assistant: ["M6 .8 11.2 6 6 11.2.8 6z"],
  tool: ["M4.4 1h3.2v3.4H11v3.2H7.6V11H4.4V7.6H1V4.4h3.4z"],
};
