// All messages in 64 bins, with the cut in them and the part that is in sight.

import { h } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { bins } from "./overview_bins";
import type { State } from "./state";

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
