// All messages in 64 bins, with the cut in them and the part that is in sight.

import { h } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { type BudgetRow, cost, type State } from "./payload";

export class Overview {
  readonly element = h("div", { class: "over64", role: "img" });
  private readonly visibleRange = h("i", { class: "sighted" });
  private readonly cut = h("i", { class: "cutat" });

  constructor(
    private readonly state: State,
    signal: AbortSignal,
    private readonly go: (row: number) => void,
  ) {
    let down = false;
    const follow = (event: PointerEvent) => {
      const box = this.element.getBoundingClientRect();
      const share = (event.clientX - box.left) / Math.max(box.width, 1);
      this.go(Math.floor(share * this.state.messages.rows.length));
    };
    this.element.addEventListener(
      "pointerdown",
      (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        this.element.setPointerCapture(event.pointerId);
        down = true;
        follow(event);
      },
      { signal },
    );
    this.element.addEventListener("pointermove", (event) => down && follow(event), { signal });
    for (const name of ["pointerup", "pointercancel"] as const)
      this.element.addEventListener(
        name,
        () => {
          down = false;
        },
        { signal },
      );
  }

  draw(shown: boolean, line: number | null): void {
    this.element.hidden = !shown;
    if (!shown) {
      this.element.replaceChildren();
      return;
    }
    const { messages, view } = this.state;
    const found = bins(messages.rows, view.states);
    const most = found.reduce((n, bin) => Math.max(n, bin.kept + bin.cut), 1);
    const columns = found.map(({ kept, cut, look }) => {
      const both = [
        cut > 0 ? h("i", { class: "fill src-cut" }) : null,
        kept > 0 ? h("i", { class: `fill src-${look}` }) : null,
      ];
      if (both[0]) both[0].style.height = `${(100 * cut) / most}%`;
      if (both[1]) both[1].style.height = `${(100 * kept) / most}%`;
      return h("span", { class: "bin" }, both);
    });
    const gone = [...view.states].filter((state) => state === "c").length;
    const words = `All ${many(messages.rows.length, "message")} in ${found.length} columns, ${grouped(gone)} cut`;
    this.element.setAttribute("aria-label", words);
    this.cut.hidden = line === null;
    this.cut.style.left = `${(100 * (line ?? 0)) / Math.max(messages.rows.length, 1)}%`;
    this.element.replaceChildren(...columns, this.visibleRange, this.cut);
  }

  markRange(first: number, last: number): void {
    const rows = Math.max(this.state.messages.rows.length, 1);
    this.visibleRange.style.left = `${(100 * first) / rows}%`;
    this.visibleRange.style.width = `${(100 * (last - first)) / rows}%`;
  }
}

export const BINS = 64;

export interface Bin {
  kept: number;
  cut: number;
  /** The source that has most of what is kept. */
  look: string;
}

/** Tokens of rows in a few bins of equally many rows. */
export function bins(rows: BudgetRow[], states: string, count = BINS): Bin[] {
  const n = Math.min(count, rows.length);
  return Array.from({ length: n }, (_, bin) => {
    const found = { kept: 0, cut: 0, look: "history" };
    const looks = new Map<string, number>();
    for (let i = firstOf(bin, n, rows.length); i < firstOf(bin + 1, n, rows.length); i++) {
      const tokens = cost(rows[i]);
      if (states[i] === "c") found.cut += tokens;
      else {
        found.kept += tokens;
        looks.set(rows[i][2], (looks.get(rows[i][2]) ?? 0) + tokens);
      }
    }
    let most = -1;
    for (const [look, tokens] of looks)
      if (tokens > most) {
        most = tokens;
        found.look = look;
      }
    return found;
  });
}

const firstOf = (bin: number, bins: number, rows: number): number => Math.floor((bin * rows) / bins);
