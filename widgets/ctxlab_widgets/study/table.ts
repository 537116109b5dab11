// The table of variants: a row each, its mean and its difference to the baseline with their intervals.

import { glyph, h, harmless } from "../_shared/dom";
import { isSingle, moved, onlyStop, taken } from "../_shared/keyboard";
import { inOrder, lookOf, type Numbers, type Row, type View } from "./payload";
import { type Scale, scaleOf } from "./scale";
import { axis, whisker } from "./whisker";

const PIN = "M4 1h4v4l2 2v1H6.6v3.4h-1.2V8H2V7l2-2z";

export interface TableHost {
  live: boolean;
  signal: AbortSignal;
  pick(variant: string): void;
  pin(variant: string): void;
  choose(variant: string): void;
}

export class VariantTable {
  readonly element = h("table", { class: "variants", "aria-label": "Variants", "aria-multiselectable": "true" });
  private at = "";

  constructor(private readonly host: TableHost) {
    this.element.setAttribute("role", "grid");
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal: host.signal });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal: host.signal });
  }

  draw(view: View, picked: readonly string[], chosen: ReadonlySet<string>): void {
    const hadFocus = this.element.contains(document.activeElement);
    const rows = inOrder(view.rows, chosen);
    const isShare = view.score.unit === "%";
    const ends = rows.flatMap((row) => row.mean ?? []);
    const means = scaleOf(ends, { ticks: 5, zero: true, ...(isShare ? { from: 0, to: 100 } : {}) });
    const differences = view.compared
      ? scaleOf(
          rows.flatMap((row) => row.difference?.numbers ?? ([] as number[])),
          { ticks: 5, zero: true },
        )
      : null;
    const out = (row: Row): boolean => chosen.size > 0 && !chosen.has(row.variant) && !row.baseline;
    this.element.replaceChildren(
      h("thead", {}, this.heads(view, means, differences)),
      h(
        "tbody",
        {},
        rows.map((row) =>
          rowOf(view, row, means, differences, { out: out(row), picked: picked.includes(row.variant) }),
        ),
      ),
    );
    const all = this.rows();
    const found = all.findIndex((each) => each.dataset.variant === this.at);
    onlyStop(all, Math.max(0, found));
    if (hadFocus && found >= 0) all[found].focus();
  }

  private heads(view: View, means: Scale, differences: Scale | null): HTMLElement {
    const unit = view.score.unit ? `, ${view.score.unit}` : "";
    return h(
      "tr",
      {},
      h("th", { scope: "col" }, "variant"),
      h("th", { scope: "col", class: "ev" }, harmless(view.score.title) + unit, axis(means)),
      differences &&
        h(
          "th",
          { scope: "col", class: "df" },
          `difference to the baseline${view.points && `, ${view.points}`}`,
          axis(differences),
        ),
      view.extras.map((extra) =>
        h("th", { scope: "col", class: "num", title: harmless(extra.title) }, harmless(extra.head)),
      ),
    );
  }

  private rows(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("tbody > tr")];
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("tbody > tr");
    if (!row || !this.host.live) return;
    this.at = row.dataset.variant!;
    this.host.pick(this.at);
  }

  private pressed(event: KeyboardEvent): void {
    const all = this.rows();
    const at = all.indexOf(event.target as HTMLElement);
    if (at < 0 || !isSingle(event)) return;
    const to = moved(event.key, at, all.length, true);
    const variant = all[at].dataset.variant!;
    this.at = variant;
    if (to !== null) {
      taken(event);
      onlyStop(all, to);
      all[to].focus();
      this.at = all[to].dataset.variant!;
    } else if (event.key === "Enter" || event.key === " ") {
      taken(event);
      if (this.host.live) this.host.pick(variant);
    } else if (event.key.toLowerCase() === "p" && this.host.live) {
      taken(event);
      this.host.pin(variant);
    } else if (event.key.toLowerCase() === "b" && this.host.live) {
      taken(event);
      this.host.choose(variant);
    }
  }
}

function rowOf(
  view: View,
  row: Row,
  means: Scale,
  differences: Scale | null,
  { out, picked }: { out: boolean; picked: boolean },
): HTMLElement {
  const cls = [row.baseline ? "base" : "", out ? "out" : ""].join(" ").trim();
  const unit = view.score.unit ? ` ${view.score.unit}` : "";
  const score = row.mean
    ? withWhisker(row.mean, means, "", [
        h("b", {}, row.text),
        row.between && h("span", { class: "muted" }, ` ${row.between}`),
      ])
    : h("span", { class: "muted" }, "no score");
  return h(
    "tr",
    {
      class: cls || null,
      role: "row",
      tabindex: -1,
      "aria-selected": String(picked),
      "data-variant": row.variant,
      title: row.left_out ? `${row.left_out.toLocaleString("en-US")} cells without a score${unit && ""}` : null,
    },
    h("td", { role: "gridcell", class: "name" }, nameOf(row)),
    h("td", { role: "gridcell", class: "ev", "data-l": "mean" }, score),
    differences &&
      h(
        "td",
        { role: "gridcell", class: "df", "data-l": row.difference ? "difference" : null },
        difference(row, differences),
      ),
    view.extras.map((extra, i) =>
      h("td", { role: "gridcell", class: "num", "data-l": harmless(extra.head) }, row.extras[i] || "–"),
    ),
  );
}

function nameOf(row: Row): HTMLElement {
  const isStrong = row.frontier || row.baseline;
  return h(
    "span",
    { class: "nm" },
    row.baseline ? glyph([PIN]) : h("span", { class: "nopin" }),
    h(
      "span",
      { class: "words" },
      h("span", { class: isStrong ? "strong" : null }, harmless(row.variant)),
      row.baseline && h("span", { class: "tag" }, "baseline"),
      row.oracle && h("span", { class: "tag" }, "oracle"),
      row.frontier && h("span", { class: "tag" }, "frontier"),
    ),
  );
}

function difference(row: Row, scale: Scale): HTMLElement {
  if (row.baseline) return h("span", { class: "muted" }, "paired differences are to this");
  if (!row.difference) return h("span", { class: "muted" }, row.oracle ? "nothing can beat it" : "not compared");
  const look = lookOf(row.verdict);
  const { numbers, text, says } = row.difference;
  const words =
    look === "open"
      ? h("span", { class: "muted" }, `${text} ${row.verdict}`)
      : h("span", {}, h("b", {}, text), h("span", { class: `verdict ${look}` }, ` ${row.verdict}`));
  const cell = withWhisker(numbers, scale, look, [words]);
  cell.title = says;
  return cell;
}

function withWhisker(numbers: Numbers, scale: Scale, look: string, words: (Node | string | false)[]): HTMLElement {
  return h("div", { class: "measured" }, whisker(numbers, scale, look), h("span", { class: "v" }, words));
}
