// Through the messages: the first, one up, where one is, one down, the last, and how many are new below.

import { h } from "../_shared/dom";
import { grouped } from "../_shared/numbers";

export type Way = "first" | "up" | "down" | "last";

const SIGNS: Record<Way, string> = { first: "\u2912", up: "\u2191", down: "\u2193", last: "\u2913" };
const LABELS: Record<Way, string> = { first: "First", up: "One up", down: "One down", last: "Last" };

export class Navigator {
  private readonly at = h("span", { class: "at" });
  private readonly fresh = h("span", { class: "strong" });
  private readonly last: HTMLElement;
  readonly element: HTMLElement;
  private shown = "";

  constructor(go: (way: Way) => void) {
    const button = (way: Way, ...more: HTMLElement[]) => {
      const made = h("button", { type: "button", "aria-label": LABELS[way], title: LABELS[way] }, SIGNS[way], more);
      made.addEventListener("click", () => go(way));
      return made;
    };
    this.last = button("last", this.fresh);
    this.element = h(
      "div",
      { class: "nav", role: "group", "aria-label": "Go through the messages" },
      button("first"),
      button("up"),
      this.at,
      button("down"),
      this.last,
    );
  }

  /** Where one is, from 1, of how many, and the number of new ones that lie below. */
  show(at: number, count: number, fresh: number): void {
    const shown = `${at} ${count} ${fresh}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.element.hidden = count < 2;
    this.at.replaceChildren(`${grouped(at)}/`, h("wbr"), grouped(count));
    this.fresh.textContent = fresh ? ` ${grouped(fresh)} new` : "";
    this.last.setAttribute("aria-label", fresh ? `Last, ${fresh} new` : LABELS.last);
  }
}
