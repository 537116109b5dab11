// Breaks of the prefix under the chart: a button at each, with its cause in words where there is room for them.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import type { Break, Marks, Series } from "./payload";
import type { Sight } from "./scene";

const BREAK = ["M6.8.6 2.6 7h2.6L4.4 11.4 9.4 4.8H6.6z"] as [string];
/** Pixels between words and the next sign, and by which the last words may leave the chart. */
const APART = 3;
const BEYOND = 8;

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
    const buttons = inSight.map((each) => button(each, grouped(series.numbers[each[0]]), place(each[0]) / width));
    this.element.replaceChildren(h("span", { class: "sl" }, "breaks"), ...buttons);
    this.leaveOutWords(buttons);
    const first = buttons.findIndex(({ dataset }) => dataset.at === focus || dataset.at === String(chosen));
    onlyStop(buttons, Math.max(0, first));
    if (focus !== undefined) buttons.find(({ dataset }) => dataset.at === focus)?.focus();
  }

  /** Words stay where they end before the next sign, as they are drawn. */
  private leaveOutWords(buttons: readonly HTMLElement[]): void {
    const boxes = buttons.map((each) => each.getBoundingClientRect());
    const end = this.element.getBoundingClientRect().right + BEYOND;
    buttons.forEach((each, n) => {
      const room = n + 1 < boxes.length ? boxes[n + 1].left - APART : end;
      if (boxes[n].right > room) each.lastElementChild!.remove();
    });
  }

  private buttons(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("button")];
  }
}

function button([at, words, sentence, usd, level]: Break, number: string, share: number): HTMLButtonElement {
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
    h("span", { class: "hide-n" }, harmless(words)),
  );
}
