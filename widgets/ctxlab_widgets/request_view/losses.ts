// Above the body: what the vendor's form has no place for, and what was changed to fit, each with its mend.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { fixButtons, type LineHost } from "./line_row";
import type { Loss, Payload } from "./payload";

/** Losses that are in sight before the rest is opened. */
const FEW = 3;

/** "the name of 5 messages: no field for it". */
export const lossWords = ({ what, reason, count }: Loss): string =>
  `${what}${count > 1 ? ` (${grouped(count)} times)` : ""}: ${reason}`;

export class LossBanner {
  readonly element = h("div", { class: "banner", role: "status" });
  private isOpen = false;

  constructor(private readonly host: LineHost) {}

  draw({ losses, fixes }: Payload, live: boolean): void {
    this.element.hidden = !losses.length;
    if (!losses.length) {
      this.element.replaceChildren();
      return;
    }
    const all = losses.reduce((n, each) => n + each.count, 0);
    const shown = this.isOpen ? losses : losses.slice(0, FEW);
    const more = losses.length - shown.length;
    const items = shown.map((loss) =>
      h(
        "li",
        {},
        h(
          "span",
          {},
          h("span", { class: "strong" }, harmless(loss.what)),
          harmless(lossWords(loss).slice(loss.what.length)),
        ),
        live && loss.fix !== null && fixButtons([loss.fix], fixes, this.host),
      ),
    );
    this.element.replaceChildren(
      glyph("warning"),
      h("span", { class: "warn strong" }, `${many(all, "thing")} not sent as asked:`),
      h("ul", { class: "losses" }, items),
      more > 0 ? this.opener(more, { losses, fixes } as Payload, live) : "",
    );
  }

  private opener(more: number, payload: Payload, live: boolean): HTMLElement {
    const button = h("button", { type: "button", class: "btn small quiet" }, `${grouped(more)} more`);
    button.addEventListener("click", () => {
      this.isOpen = true;
      this.draw(payload, live);
    });
    return button;
  }
}
