// The messages that the rules changed, each with its tokens: a click goes there.

import { h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { price } from "../_shared/remedy_button";
import type { Hits } from "./rules";

export interface HitStripHost {
  live: boolean;
  signal: AbortSignal;
  choose(key: string): void;
}

export class HitStrip {
  readonly element = h("div", { class: "strip", role: "toolbar", "aria-label": "Changed messages" });
  private chips: HTMLElement[] = [];

  constructor(private readonly host: HitStripHost) {
    roving(this.element, () => this.chips, { signal: host.signal });
  }

  /** The strip anew, with the message that is shown marked. */
  draw({ count, messages }: Hits, shown: string): void {
    const had = this.chips.indexOf(document.activeElement as HTMLElement);
    this.element.hidden = count === 0;
    this.chips = messages.map(({ key, name, number, tokens }) => {
      const words = `${name}${tokens === null ? "" : ` ${price(tokens)}`}`;
      const chip = h(
        "button",
        { type: "button", class: "btn small", title: `message ${grouped(number)}` },
        harmless(words),
      );
      if (key === shown.split("#")[0]) chip.setAttribute("aria-current", "true");
      if (!this.host.live) chip.setAttribute("aria-disabled", "true");
      chip.addEventListener("click", () => this.host.choose(key), { signal: this.host.signal });
      return chip;
    });
    const more = count - messages.length;
    this.element.replaceChildren(
      h("span", { class: "ink2" }, "Changed"),
      ...this.chips,
      ...(more > 0 ? [h("span", { class: "muted" }, `and ${grouped(more)} more`)] : []),
    );
    if (!this.chips.length) return;
    const current = this.chips.findIndex((chip) => chip.hasAttribute("aria-current"));
    onlyStop(this.chips, Math.max(0, current));
    if (had >= 0) this.chips[Math.min(had, this.chips.length - 1)].focus();
  }
}
