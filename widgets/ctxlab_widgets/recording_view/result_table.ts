// What tools brought up to the chosen request: a row a tool, opened into its files.

import { h, harmless } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import type { Chosen, FileRow, ToolRow } from "./payload";

export class ResultTable {
  private readonly caption = h("span");
  private readonly body = h("tbody");
  readonly element = h(
    "div",
    { class: "tool" },
    h(
      "table",
      { class: "t" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, this.caption),
          h("th", { scope: "col", class: "num" }, "results"),
          h("th", { scope: "col", class: "num" }, "tokens"),
          h("th", { scope: "col", class: "br" }, h("span", { class: "vh" }, "share as a bar")),
          h("th", { scope: "col", class: "num" }, "share"),
          h("th", { scope: "col", class: "later" }, "used later"),
        ),
      ),
      this.body,
    ),
  );
  private readonly closed = new Set<string>();
  private readonly open = new Set<string>();
  private table: Chosen["table"] | null = null;
  private number = 0;

  constructor(signal: AbortSignal) {
    this.body.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  draw(table: Chosen["table"], number: number): void {
    this.table = table;
    this.number = number;
    this.element.hidden = !table.rows.length;
    this.caption.textContent = `results by tool and file, up to request ${grouped(number)}, counted here`;
    const focus = this.body.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.tool
      : undefined;
    const most = Math.max(1, ...table.rows.map((row) => row.tokens));
    this.body.replaceChildren(
      ...table.rows.flatMap((row, n) => this.rows(row, most, n === 0)),
      ...(table.more
        ? [h("tr", {}, h("td", { colspan: 6, class: "muted" }, `${grouped(table.more)} other tools`))]
        : []),
      ...table.servers.map((row) =>
        tr(h("span", { class: "fold ink2" }, "server ", harmless(row.name)), row, most, "tools", ""),
      ),
      total(table),
    );
    if (focus !== undefined)
      [...this.body.querySelectorAll<HTMLElement>("[data-tool]")].find((each) => each.dataset.tool === focus)?.focus();
  }

  /** Whether the files of a tool are shown; those of the first one are until it is closed. */
  private isOpen(name: string, first: boolean): boolean {
    return this.open.has(name) || (first && !this.closed.has(name));
  }

  private rows(row: ToolRow, most: number, first: boolean): HTMLElement[] {
    const isOpen = row.files.length > 0 && this.isOpen(row.name, first);
    const name = row.files.length
      ? h(
          "button",
          { type: "button", class: "fold strong", "aria-expanded": String(isOpen), "data-tool": row.name },
          h("span", { class: "muted", "aria-hidden": "true" }, isOpen ? "▾" : "▸"),
          harmless(row.name),
        )
      : h("span", { class: "fold strong" }, harmless(row.name));
    const sign = row.files.length ? "knowledge" : "history";
    const own = tr(name, row, most, sign, "");
    return isOpen
      ? [
          own,
          ...row.files.map((file) => tr(h("span", { class: "mono" }, harmless(file.name)), file, most, sign, "sub")),
        ]
      : [own];
  }

  private clicked(event: Event): void {
    const name = (event.target as Element).closest<HTMLElement>("[data-tool]")?.dataset.tool;
    if (name === undefined || !this.table) return;
    const first = this.table.rows[0]?.name === name;
    if (this.isOpen(name, first)) {
      this.open.delete(name);
      this.closed.add(name);
    } else {
      this.open.add(name);
      this.closed.delete(name);
    }
    const button = [...this.body.querySelectorAll<HTMLElement>("[data-tool]")].find(
      (each) => each.dataset.tool === name,
    );
    button?.focus();
    this.draw(this.table, this.number);
  }
}

function tr(name: HTMLElement, row: FileRow, most: number, sign: string, cls: string): HTMLElement {
  const [later, unused] = row.later;
  return h(
    "tr",
    { class: cls || null },
    h("th", { scope: "row" }, name),
    h("td", { class: "num" }, grouped(row.calls)),
    h("td", { class: "num" }, grouped(row.tokens)),
    h("td", { class: "br" }, h("i", { class: `hb fill src-${sign}`, style: `width:${(row.tokens / most) * 100}%` })),
    h("td", { class: "num ink2" }, row.share),
    h("td", { class: unused ? "later warn" : "later ink2" }, harmless(later)),
  );
}

function total(table: Chosen["table"]): HTMLElement {
  return h(
    "tr",
    { class: "all" },
    h("th", { scope: "row" }, "all results"),
    h("td", { class: "num" }, grouped(table.calls)),
    h("td", { class: "num" }, grouped(table.tokens)),
    h("td", { class: "br" }),
    h("td", { class: "num" }, table.tokens ? "100 %" : ""),
    h("td", { class: "later" }),
  );
}
