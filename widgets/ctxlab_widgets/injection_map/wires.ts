// Lines from what is defined to where it landed. They follow the layout: nothing here knows a row's height.

import type { Definition, LandingOutcome } from "./payload";

/** The fourth sign of a source, as in underlined text. */
const DASHES: Record<string, string> = { lore: "1.5 2.5", profile: "9 2", knowledge: "6 3", summary: "6 2 1 2" };
const WARNS = new Set<LandingOutcome>(["warned", "unknown anchor"]);
const DIFFERS = new Set<LandingOutcome>(["elsewhere", "moved"]);
/** Where a line leaves or reaches a row: the middle of its first line. */
const MIDDLE = 12;

export interface Stroke {
  kind: "source" | "plain" | "differs" | "warns" | "asked";
  width: number;
  dash: string | null;
}

/** How the line to a landing looks; `asked` is the line to a depth that isn't there. */
export function stroke(definition: Definition, asked = false): Stroke {
  if (asked) return { kind: "asked", width: 1, dash: "3 3" };
  if (WARNS.has(definition.outcome)) return { kind: "warns", width: 1.25, dash: "5 3" };
  if (DIFFERS.has(definition.outcome)) return { kind: "differs", width: 2, dash: null };
  if (definition.isInPlace) return { kind: "plain", width: 1, dash: DASHES[definition.look] ?? null };
  return { kind: "source", width: 1.25, dash: DASHES[definition.look] ?? null };
}

export interface Ends {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

/** A line that leaves and arrives level. */
export function curve({ x1, y1, x2, y2 }: Ends): string {
  const middle = round((x1 + x2) / 2);
  return `M${round(x1)} ${round(y1)}C${middle} ${round(y1)} ${middle} ${round(y2)} ${round(x2 - 4)} ${round(y2)}`;
}

const head = ({ x2, y2 }: Ends): string =>
  `M${round(x2 - 6)} ${round(y2 - 3.5)}L${round(x2)} ${round(y2)}L${round(x2 - 6)} ${round(y2 + 3.5)}z`;

const ring = ({ x2, y2 }: Ends): string => `M${round(x2 - 7)} ${round(y2)}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0z`;

const round = (n: number): number => Math.round(n * 10) / 10;

const SVG = "http://www.w3.org/2000/svg";

export class Wires {
  readonly element = document.createElementNS(SVG, "svg");

  constructor() {
    this.element.setAttribute("class", "wires");
    this.element.setAttribute("aria-hidden", "true");
  }

  /** Draws all lines between the elements that stand for the definitions and for the slots. */
  draw(all: { definition: Definition; from: HTMLElement; landings: HTMLElement[]; ghosts: HTMLElement[] }[]): void {
    const frame = this.element.parentElement!.getBoundingClientRect();
    if (!frame.width || !frame.height) return;
    const between = (from: HTMLElement, to: HTMLElement): Ends => {
      const a = from.getBoundingClientRect();
      const z = to.getBoundingClientRect();
      const y2 = z.top - frame.top + Math.min(MIDDLE - 1, z.height / 2);
      return { x1: a.right - frame.left, y1: a.top - frame.top + MIDDLE, x2: z.left - frame.left, y2 };
    };
    const groups = all.map(({ definition, from, landings, ghosts }) => {
      const group = svg("g", { "data-key": definition.key, class: `src-${definition.look}` });
      for (const ghost of ghosts) group.append(...line(between(from, ghost), stroke(definition, true)));
      for (const to of landings) group.append(...line(between(from, to), stroke(definition)));
      return group;
    });
    this.element.replaceChildren(...groups);
  }

  /** One definition's lines stand out; none do when `key` is null. */
  light(key: string | null): void {
    this.element.classList.toggle("lit", key !== null);
    for (const group of this.element.children) group.classList.toggle("on", group.getAttribute("data-key") === key);
  }
}

function line(ends: Ends, { kind, width, dash }: Stroke): SVGElement[] {
  const path = svg("path", { class: `wire ${kind}`, d: curve(ends), "stroke-width": width });
  if (dash) path.setAttribute("stroke-dasharray", dash);
  return [
    path,
    svg("path", kind === "asked" ? { class: "ring", d: ring(ends) } : { class: `tip ${kind}`, d: head(ends) }),
  ];
}

function svg(tag: string, attributes: Record<string, string | number>): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
