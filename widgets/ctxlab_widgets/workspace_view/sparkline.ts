// How long the messages of a session are: one bar each, from the first to the active leaf, on the row's own scale.

import { grouped } from "../_shared/numbers";

const SVG = "http://www.w3.org/2000/svg";
const BAR = 3;
const GAP = 1;
const HEIGHT = 16;
const LEAST = 1; // pixels of a message with few characters

/** The bars as one path each: all but the last, and the last. */
export function sparkline(lengths: number[]): SVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const width = Math.max(lengths.length * (BAR + GAP) - GAP, 1);
  const [last, most] = [lengths.length - 1, Math.max(...lengths, 1)];
  const set = (element: Element, attributes: Record<string, string | number>) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  };
  const says = `Characters of its messages, the first to the last: ${grouped(most)} the longest, ${grouped(lengths[last] ?? 0)} the last`;
  set(svg, {
    class: "spark",
    viewBox: `0 0 ${width} ${HEIGHT}`,
    width,
    height: HEIGHT,
    role: "img",
    "aria-label": says,
  });
  const title = document.createElementNS(SVG, "title");
  title.textContent = says;
  svg.append(title);
  for (const [name, from, to] of [
    ["", 0, last],
    ["last", last, last + 1],
  ] as const) {
    const path = document.createElementNS(SVG, "path");
    set(path, {
      d: lengths
        .slice(from, to)
        .map((each, i) => bar(from + i, each / most))
        .join(""),
      class: name,
    });
    svg.append(path);
  }
  return svg;
}

function bar(at: number, share: number): string {
  const height = share > 0 ? Math.max(Math.round(share * HEIGHT), LEAST) : 0;
  const x = at * (BAR + GAP);
  return `M${x} ${HEIGHT}v${-height}h${BAR}v${height}z`;
}
