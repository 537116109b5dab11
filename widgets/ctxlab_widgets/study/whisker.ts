// A mean with its interval on a line, in a cell of the table; all cells of a column have one scale.

import { h } from "../_shared/dom";
import type { Numbers } from "./payload";
import { fewer, type Scale, share, tickText } from "./scale";

const percent = (value: number): string => `${Math.round(value * 10000) / 100}%`;

export function whisker(numbers: Numbers, scale: Scale, look = ""): HTMLElement {
  const [mean, low, high] = numbers;
  const line = h("div", { class: `whisker ${look}`, "aria-hidden": "true" });
  if (scale.low < 0) line.append(mark("zero", share(scale, 0)));
  if (low !== undefined && high !== undefined) {
    const range = mark("range", share(scale, low));
    range.style.width = percent(share(scale, high) - share(scale, low));
    line.append(range);
  }
  line.append(mark("mean", share(scale, mean)));
  return line;
}

function mark(cls: string, at: number): HTMLElement {
  const element = h("i", { class: cls });
  element.style.left = percent(Math.min(1, Math.max(0, at)));
  return element;
}

/** The numbers above a column of whiskers. */
export function axis(scale: Scale): HTMLElement {
  const line = h("div", { class: "axis", "aria-hidden": "true" });
  for (const tick of fewer(scale.ticks, 4)) {
    const at = share(scale, tick);
    const number = h("span", { class: at < 0.02 ? "first" : at > 0.98 ? "last" : null }, tickText(tick));
    number.style.left = percent(at);
    line.append(number);
  }
  return line;
}
