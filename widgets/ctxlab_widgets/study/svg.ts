// Elements of a drawing.

const SVG = "http://www.w3.org/2000/svg";

export function svg(
  tag: string,
  attributes: Record<string, string | number | null> = {},
  ...children: (SVGElement | string)[]
): SVGElement {
  const element = document.createElementNS(SVG, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes))
    if (value !== null) element.setAttribute(name, typeof value === "number" ? String(round(value)) : value);
  element.append(...children);
  return element;
}

export const round = (n: number): number => Math.round(n * 10) / 10;
