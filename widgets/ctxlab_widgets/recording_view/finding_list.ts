// Findings beside the chart: level, cost, what is so, what mends it, and the requests where it stands.

import { glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { FindingRow, Findings } from "./payload";

const SIGNS = { error: ["error", "err"], warning: ["warning", "warn"], note: ["info", "muted"] } as const;

export interface FindingHost {
  live: boolean;
  signal: AbortSignal;
  open(finding: number, place: number): void;
  check(): void;
  /** To the request of a number, where Python doesn't answer. */
  go(number: number): void;
}

export class FindingList {
  private readonly counts = h("span", { class: "muted plainly" });
  private readonly list = h("ul", { class: "find", "aria-label": "Findings" });
  private readonly size = h("span", { class: "ink2" });
  private readonly button = h("button", { type: "button", class: "btn" }, "Check");
  private readonly ask = h("p", { class: "ask", hidden: true }, this.size, this.button);
  readonly element = h("section", { class: "findings" }, h("h3", {}, "Findings ", this.counts), this.ask, this.list);

  constructor(private readonly host: FindingHost) {
    this.button.addEventListener(
      "click",
      () => {
        this.size.textContent = "Looking …";
        host.check();
      },
      { signal: host.signal },
    );
    this.list.addEventListener("click", (event) => this.clicked(event), { signal: host.signal });
  }

  /** Says that nothing was looked for yet, in a recording of so many characters. */
  offer(characters: number): void {
    this.ask.hidden = false;
    this.button.hidden = !this.host.live;
    this.counts.textContent = "not looked for yet";
    const size = `${grouped(Math.max(1, Math.round(characters / 1_000_000)))} million characters`;
    this.size.textContent = `The recording is long, ${size}; looking for findings and for lost rules takes a while.`;
    this.list.replaceChildren();
  }

  draw(found: Findings): void {
    this.ask.hidden = true;
    this.counts.textContent = countsOf(found);
    this.list.replaceChildren(
      ...found.rows.map((row) => this.row(row)),
      ...(found.more ? [h("li", { class: "muted" }, `${grouped(found.more)} more: ctxlab.check(recording)`)] : []),
    );
  }

  private row(row: FindingRow): HTMLElement {
    const [sign, cls] = SIGNS[row.level];
    const mark = h("span", { class: cls, role: "img", "aria-label": row.level }, glyph(sign));
    const cost = row.usd || (row.tokens ? `${grouped(row.tokens)} tokens` : "");
    const carried = row.usd && row.tokens ? `${many(row.tokens, "token")} carried, counted here` : "";
    return h(
      "li",
      {},
      h(
        "div",
        { class: "ft" },
        mark,
        h("span", { class: "strong" }, harmless(row.title)),
        h("span", { class: "num", title: carried }, cost),
        h("span", { class: "wy" }, harmless(row.text)),
        row.remedy && h("span", { class: "wy mend" }, h("span", { class: "strong" }, "Mend: "), harmless(row.remedy)),
        h("span", { class: "fx" }, placesOf(row)),
      ),
    );
  }

  private clicked(event: Event): void {
    const place = (event.target as Element).closest<HTMLElement>("button[data-place]");
    if (!place) return;
    const { finding, place: at, request } = place.dataset;
    if (this.host.live) this.host.open(Number(finding), Number(at));
    else if (Number(request)) this.host.go(Number(request));
  }
}

/** A button for each place, those of one request once. */
function placesOf(row: FindingRow): (HTMLElement | string)[] {
  const seen = new Set<string>();
  const found: (HTMLElement | string)[] = [];
  for (const [n, [request, name]] of row.places.entries()) {
    const words = request ? `at ${grouped(request)}` : name || "there";
    if (seen.has(words)) continue;
    seen.add(words);
    const title = harmless(name);
    found.push(
      h(
        "button",
        {
          type: "button",
          class: "btn small",
          "data-finding": row.number,
          "data-place": n,
          "data-request": request,
          "aria-label": `${harmless(words)}: ${harmless(row.title)}`,
          title: title || null,
        },
        harmless(words),
      ),
    );
  }
  if (row.more) found.push(h("span", { class: "muted f11" }, `and ${many(row.more, "place")} more`));
  return found;
}

function countsOf({ levels }: Findings): string {
  const parts = (["error", "warning", "note"] as const).flatMap((level) => {
    const n = levels[level];
    return n ? [many(n, level)] : [];
  });
  return parts.join(", ") || "none";
}
