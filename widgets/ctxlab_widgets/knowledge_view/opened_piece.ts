// A piece in its document, with its neighbours, its scores, and what would bring it in.

import { h, harmless } from "../_shared/dom";
import { priceWords } from "../_shared/remedy_button";
import type { Detail, Offers } from "./data";
import { highlighted } from "./piece_table";
import { markOf } from "./scale";

export interface OpenedHost {
  live: boolean;
  used: string;
  offers: Offers;
  close(): void;
  more(): void;
  tryChange(key: string): void;
}

export function openedPiece(key: string, detail: Detail | null, host: OpenedHost): HTMLElement[] {
  if (!detail)
    return [h("p", { class: "empty" }, host.live ? "Looking it up." : "This page doesn’t hold what is in here.")];
  const neighbour = (text: string) => h("p", { class: "beside" }, harmless(text));
  return [
    h(
      "section",
      {},
      h("div", { class: "shead" }, h("h3", {}, harmless(detail.title)), button("Close", host.close)),
      h("p", { class: "ink2 about" }, harmless(detail.about)),
      h(
        "div",
        // It may scroll: the arrow keys need somewhere to be.
        { class: "doc", tabindex: 0, role: "group", "aria-label": "The piece in its document" },
        detail.before.map(neighbour),
        h("p", { class: "on" }, highlighted(detail.pieces)),
        detail.after.map(neighbour),
      ),
      host.live && detail.more && button("More around it", host.more),
    ),
    h(
      "section",
      {},
      h("p", {}, harmless(detail.verdict)),
      h(
        "dl",
        { class: "kv" },
        detail.scores.map((row) => score(row, host.used)),
      ),
      detail.brought && h("p", {}, harmless(detail.brought)),
    ),
    nearest(key, detail, host),
  ].filter((part) => part !== null);
}

function score([engine, name, says]: Detail["scores"][number], used: string): HTMLElement {
  const sign = engine in { vector: 1, keyword: 1, hybrid: 1 } ? markOf(engine, engine === used) : h("i", {});
  return h("div", {}, h("dt", {}, sign, harmless(engine ? name : `compared: ${name}`)), h("dd", {}, harmless(says)));
}

function nearest(key: string, { change }: Detail, host: OpenedHost): HTMLElement | null {
  if (!change) return null;
  const tokens = host.offers[key]?.[1] ?? null;
  const words = `${harmless(change)}${priceWords(tokens === null ? null : { tokens, of: "prompt" })}`;
  return h(
    "section",
    {},
    h("h3", {}, "Comes in with"),
    host.live ? button(words, () => host.tryChange(key), "change1") : h("p", {}, words),
  );
}

function button(words: string, click: () => void, more = ""): HTMLElement {
  const made = h("button", { type: "button", class: `btn small ${more}` }, words);
  made.addEventListener("click", click);
  return made;
}
