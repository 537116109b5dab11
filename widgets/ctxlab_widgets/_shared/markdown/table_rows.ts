// Long tables a part at a time.

import { h } from "../dom";
import { grouped } from "../numbers";
import type { Token } from "./parser";

/** Cells that are drawn at once, in whole rows. */
const CELLS = 2_000;

/** The index behind the last row of the first part. */
export function cellsUntil(tokens: Token[], from: number, end: number): number {
  let cells = 0;
  for (let i = from; i < end; i++) {
    if (tokens[i].type === "td_open") cells += 1;
    if (tokens[i].type === "tr_close" && cells >= CELLS) return i + 1;
  }
  return end;
}

export function drawMoreRows(body: HTMLElement, rest: Token[], draw: (rows: Token[]) => void): void {
  const left = rest.filter(({ type }) => type === "tr_open").length;
  const more = h(
    "button",
    { type: "button", class: "btn small md-more" },
    `Show more of ${grouped(left)} further rows`,
  );
  const row = h("tr", {}, h("td", { colspan: 100 }, more));
  more.addEventListener("click", () => {
    row.remove();
    const until = cellsUntil(rest, 0, rest.length);
    draw(rest.slice(0, until));
    if (until < rest.length) drawMoreRows(body, rest.slice(until), draw);
  });
  body.append(row);
}
