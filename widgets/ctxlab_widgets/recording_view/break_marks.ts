// Breaks of the prefix under the chart: a button at each, with its cause in words where there is room for them.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import type { Break, Marks, Series } from "./payload";
import type { Sight } from "./scene";

const BREAK = ["M6.8.6 2.6 7h2.6L4.4 11.4 9.4 4.8H6.6z"] as [string];
/** Pixels of a letter, and of the sign with what is around it. */
const LETTER = 5.3;
const SIGN = 16;

export class BreakMarks {
  readonly element = h("div", { class: "ticks", role: "group", "aria-label": "Breaks of the prefix" });
  private redraw: () => void = () => {};

  constructor(signal: AbortSignal, choose: (at: number) => void) {
    this.element.addEventListener(
      "click",
      (event) => {
        const found = (event.target as Element).closest<HTMLElement>("button[data-at]");
        if (found) choose(Number(found.dataset.at));
      },
      { signal },
    );
    roving(this.element, () => this.buttons(), { signal });
    let wide = 0;
    const size = new ResizeObserver(() => {
      if (this.element.clientWidth !== wide) this.redraw();
      wide = this.element.clientWidth;
    });
    size.observe(this.element);
    signal.addEventListener("abort", () => size.disconnect());
  }

  draw(series: Series, marks: Marks, sight: Sight, chosen: number): void {
    this.redraw = () => this.draw(series, marks, sight, chosen);
    this.element.hidden = !marks.breaks.length;
    const inSight = marks.breaks.filter(([at]) => at >= sight.first && at <= sight.last);
    const count = sight.last - sight.first + 1;
    const width = this.element.clientWidth || 800;
    const focus = this.element.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.at
      : undefined;
    const place = (at: number): number => ((at - sight.first + 0.5) / count) * width;
    const buttons = inSight.map((each, n) => {
      const [at, words] = each;
      const next = inSight[n + 1];
      const fits = place(at) + words.length * LETTER + SIGN <= (next ? place(next[0]) - 6 : width + 8);
      return button(each, grouped(series.numbers[at]), place(at) / width, fits);
    });
    this.element.replaceChildren(h("span", { class: "sl" }, "breaks"), ...buttons);
    const first = buttons.findIndex(({ dataset }) => dataset.at === focus || dataset.at === String(chosen));
    onlyStop(buttons, Math.max(0, first));
    if (focus !== undefined) buttons.find(({ dataset }) => dataset.at === focus)?.focus();
  }

  private buttons(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("button")];
  }
}

function button(
  [at, words, sentence, usd, level]: Break,
  number: string,
  share: number,
  fits: boolean,
): HTMLButtonElement {
  const said = `request ${number}: ${harmless(words)}${usd ? `, ${usd}` : ""}`;
  return h(
    "button",
    {
      type: "button",
      class: level,
      style: `left:${share * 100}%`,
      "data-at": at,
      "aria-label": said,
      title: [said, harmless(sentence)].filter(Boolean).join(". "),
    },
    glyph(BREAK),
    fits ? h("span", { class: "hide-n" }, harmless(words)) : "",
  );
}
