// All messages of all runs at a glance: a strip for each run, a bar for each message, at one place in all strips.

import { h, harmless } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import { type Cell, type CompareHost, type ComparisonRow, hasRun, type State } from "./payload";
import { cellLabel, isSent, ownLabel } from "./rows";

/** What a bar says, from the least to the most telling: of messages that share a bar the last one counts. */
export const BARS = ["none", "kept", "cut", "changed", "new"] as const;
export type Bar = (typeof BARS)[number];

/** More bars than this are drawn together: a screen has no room for them. */
const MOST = 1200;

export function bar(cell: Cell | null, base: Cell | null): Bar {
  if (!cell || cell.state === "not there") return "none";
  if (!isSent(cell)) return "cut";
  const look = (cell === base ? ownLabel(cell) : cellLabel(cell, base)).look;
  return look === "new" ? "new" : look === "changed" || look === "moved" ? "changed" : "kept";
}

export interface Stretch {
  bar: Bar;
  from: number;
  to: number;
}

/** The bars of a run, equal neighbours together, in units of `each` messages. */
export function stretches(rows: ComparisonRow[], column: number, each: number): Stretch[] {
  const out: Stretch[] = [];
  for (let i = 0; i * each < rows.length; i++) {
    const found = rows.slice(i * each, (i + 1) * each).map((row) => BARS.indexOf(bar(row.cells[column], row.cells[0])));
    const now = BARS[Math.max(...found)];
    const last = out.at(-1);
    if (last?.bar === now) last.to = i + 1;
    else out.push({ bar: now, from: i, to: i + 1 });
  }
  return out;
}

export const messagesPerBar = (count: number): number => Math.max(1, Math.ceil(count / MOST));

/** Strips of 10 by one a bar; what is cut is low, so that it can be told without its colour. */
const PATHS: Record<Exclude<Bar, "none">, [top: number, height: number]> = {
  kept: [0, 10],
  cut: [8, 2],
  changed: [0, 10],
  new: [0, 10],
};
const SVG = "http://www.w3.org/2000/svg";

export function barcodes(state: State, host: CompareHost): HTMLElement[] {
  const { rows, columns } = state.view;
  if (rows.length < 2) return [];
  const strips = state.shown
    .filter((i) => hasRun(columns[i]))
    .map((i) => {
      const name = harmless(columns[i].name);
      return h("div", { class: "code" }, h("span", { class: "nm", title: name }, name), strip(state, i, host));
    });
  return [...strips, legend()];
}

function strip(state: State, column: number, host: CompareHost): Element {
  const { rows, columns } = state.view;
  const each = messagesPerBar(rows.length);
  const all = stretches(rows, column, each);
  const sent = rows.filter((row) => row.cells[column] && isSent(row.cells[column])).length;
  const cut = rows.filter((row) => row.cells[column]?.state === "cut").length;
  const words = `${harmless(columns[column].name)}: ${grouped(sent)} kept, ${grouped(cut)} cut`;
  const svg = document.createElementNS(SVG, "svg");
  const attributes = {
    class: "strip",
    viewBox: `0 0 ${Math.ceil(rows.length / each)} 10`,
    preserveAspectRatio: "none",
  };
  for (const [key, value] of Object.entries(attributes)) svg.setAttribute(key, value);
  svg.append(...(Object.keys(PATHS) as Exclude<Bar, "none">[]).map((kind) => path(kind, all)));
  const box = h("div", { class: "strip", role: "img", "aria-label": words });
  box.append(svg);
  const at = (event: MouseEvent): ComparisonRow => {
    const { left, width } = box.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / Math.max(1, width)) * rows.length);
    return rows[Math.min(Math.max(place, 0), rows.length - 1)];
  };
  box.addEventListener("pointermove", (event) => {
    const row = at(event);
    const cell = row.cells[column];
    const { sign, word } = cell ? cellLabel(cell, row.cells[0]) : { sign: "", word: "" };
    box.title = harmless(`${sign} ${word || (cell && isSent(cell) ? "kept" : "not here")}: ${row.words}`.trim());
  });
  box.addEventListener("click", (event) => host.show(at(event).key));
  return box;
}

function path(kind: Exclude<Bar, "none">, all: Stretch[]): SVGElement {
  const [top, height] = PATHS[kind];
  const own = all.filter((each) => each.bar === kind);
  const element = document.createElementNS(SVG, "path");
  element.setAttribute("class", `b-${kind}`);
  const box = ({ from, to }: Stretch) => `M${from} ${top}h${to - from}v${height}h${from - to}z`;
  element.setAttribute("d", own.map(box).join(""));
  return element;
}

function legend(): HTMLElement {
  const words: [Bar, string][] = [
    ["kept", "kept"],
    ["cut", "cut"],
    ["new", "kept, and cut in the base"],
    ["changed", "changed or moved"],
  ];
  const signs = words.map(([kind, text]) => h("span", {}, h("i", { class: `b-${kind}` }), text));
  return h("div", { class: "code legend", "aria-hidden": "true" }, h("span", { class: "nm" }), h("div", {}, signs));
}
