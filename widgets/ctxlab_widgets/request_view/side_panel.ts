// Beside the body: the value that is pointed at, the steps that touched it, size and price, what was settled.

import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { type Part, type Payload, type Price, size, usd } from "./payload";

export interface SideHost {
  /** Opens the view of the steps at a message; null where there is none. */
  openSteps: ((key: string) => void) | null;
}

/** More notes than these are counted only. */
const MOST_NOTES = 12;

export class SidePanel {
  private readonly card = h("div", { class: "card" });
  private readonly steps = h("div", { class: "steps" });
  private readonly price = h("section", { "aria-label": "Size and price" });
  private readonly notes = h("section", { "aria-label": "Settled on the way" });
  private readonly broken = h("section", { "aria-label": "What broke the cached beginning" });
  private readonly stepsHead = h("h3", {}, "Steps");
  readonly element: HTMLElement;
  private payload: Payload | null = null;
  private host: SideHost = { openSteps: null };

  constructor() {
    this.element = h(
      "div",
      { class: "side" },
      h("section", { "aria-label": "The value under the pointer" }, h("h3", {}, "Under the pointer"), this.card),
      h("section", { "aria-label": "Steps" }, this.stepsHead, this.steps),
      this.price,
      this.broken,
      this.notes,
    );
  }

  draw(payload: Payload, host: SideHost): void {
    this.payload = payload;
    this.host = host;
    this.look(-1, -1);
    const { price, bytes, estimated } = payload;
    this.price.replaceChildren(h("h3", {}, "Size and price"), h("dl", { class: "kv" }, priceRows(price, bytes)));
    const told = priceSource(price, estimated);
    if (told) this.price.append(h("p", { class: "muted f11" }, told));
    const { breaks, notes, automatic } = payload;
    this.broken.hidden = !breaks.length && !automatic;
    this.broken.replaceChildren(
      h("h3", {}, "Cached beginning"),
      automatic && !breaks.length ? h("p", { class: "ink2" }, "This vendor caches by itself and takes no marks.") : "",
      h("ul", { class: "told" }, breaks.slice(0, MOST_NOTES).map(breakRow)),
      rest(breaks.length),
    );
    this.notes.hidden = !notes.length;
    this.notes.replaceChildren(
      h("h3", {}, "Settled on the way"),
      h(
        "ul",
        { class: "told" },
        notes.slice(0, MOST_NOTES).map(({ level, text }) => h("li", {}, sign(level), h("span", {}, harmless(text)))),
      ),
      rest(notes.length),
    );
  }

  /** Tells of the value on a line, and marks the steps that touched its message. */
  look(line: number, number: number): void {
    const payload = this.payload;
    if (!payload) return;
    const part = number >= 0 ? payload.parts[number] : null;
    this.card.replaceChildren(part ? card(part, payload, line) : other(payload, line));
    this.card.className = part ? `card src-${part.source}` : "card";
    this.drawSteps(payload, part);
  }

  private drawSteps(payload: Payload, part: Part | null): void {
    const openSteps = this.host.openSteps;
    const hits = new Set(part?.steps ?? []);
    const last = payload.steps.length - 1;
    if (part) hits.add(last);
    const known = [...this.steps.children] as HTMLElement[];
    if (known.length === payload.steps.length && known.every((each, i) => each.dataset.step === payload.steps[i].id)) {
      for (const [i, each] of known.entries()) this.hit(each, hits.has(i), part, payload, i);
      return;
    }
    this.steps.replaceChildren(
      ...payload.steps.map(({ id }, i) => {
        const able = openSteps !== null && i < last;
        const row = h(able ? "button" : "div", { class: "stp", "data-step": id, type: able ? "button" : null });
        if (able)
          row.addEventListener("click", () => {
            if (row.dataset.key) openSteps(row.dataset.key);
            else openSteps("");
          });
        this.hit(row, hits.has(i), part, payload, i);
        return row;
      }),
    );
  }

  private hit(row: HTMLElement, on: boolean, part: Part | null, payload: Payload, i: number): void {
    const { id, did } = payload.steps[i];
    row.classList.toggle("hit", on);
    row.dataset.key = part?.key ?? "";
    row.replaceChildren(
      h("span", { class: "muted" }, String(i + 1).padStart(2, "0")),
      h("span", { class: "strong id" }, harmless(id)),
      h("span", { class: "ink2 f11" }, on ? "this value" : ""),
      h("span", { class: "wy" }, harmless(did)),
    );
  }
}

function card(part: Part, payload: Payload, line: number): HTMLElement {
  const steps = part.steps.map((n) => `${String(n + 1).padStart(2, "0")} ${payload.steps[n]?.id ?? ""}`);
  const [first, ...others] = steps;
  const said = first ? `Put there by ${first}${others.length ? `, touched by ${others.join(", ")}` : ""}.` : "";
  return h(
    "div",
    {},
    h(
      "div",
      { class: "row" },
      glyph(part.source),
      h("span", { class: "strong nm" }, harmless(part.name)),
      h("span", { class: "sp" }),
      part.tokens > 0 && h("span", { class: "num" }, many(part.tokens, "token")),
    ),
    h("div", { class: "mono ink2" }, harmless(payload.lines[line]?.[5] ?? "")),
    part.how && h("div", { class: "ink2" }, harmless(part.how)),
    said && h("div", { class: "ink2" }, harmless(said)),
    part.joined > 1 && h("div", { class: "ink2" }, `One of ${grouped(part.joined)} parts of its message.`),
  );
}

function other(payload: Payload, line: number): HTMLElement {
  const path = payload.lines[line]?.[5] ?? "";
  const words = path ? "No message's: a field of the request." : "Point at a value, or walk there with the arrow keys.";
  return h("div", {}, path && h("div", { class: "mono ink2" }, harmless(path)), h("div", { class: "muted" }, words));
}

function priceRows(price: Price, bytes: number): HTMLElement[] {
  const rows: [string, string | null, string?][] = [
    ["body", size(bytes)],
    ["tokens in", grouped(price.input_tokens)],
    ["\u00a0\u00a0written to the cache", price.written_tokens ? grouped(price.written_tokens) : null],
    ["\u00a0\u00a0read from the cache", price.cached_tokens ? grouped(price.cached_tokens) : null],
    ["in, this time", money(price.input_usd)],
    ["in, when read again", money(price.cached_usd)],
    [
      price.output_tokens === null ? "out" : `out, ${grouped(price.output_tokens)} at most`,
      price.output_usd === null ? (price.output_tokens === null ? "no limit set" : null) : usd(price.output_usd),
    ],
    ["at most", money(price.most_usd), "tot"],
  ];
  return rows.flatMap(([name, value, cls]) =>
    value === null ? [] : [h("dt", { class: cls ?? null }, name), h("dd", { class: cls ?? null }, value)],
  );
}

const money = (value: number | null): string | null => (value === null ? null : usd(value));

function priceSource({ input_usd, source, as_of }: Price, estimated: boolean): string {
  const about = estimated ? "Tokens are an estimate. " : "";
  if (input_usd === null) return `${about}No price is known for this model.`;
  const dated = [source, as_of && `of ${as_of}`].filter(Boolean).join(" ");
  return `${about}${dated ? `Prices: ${harmless(dated)}.` : ""}`;
}

const sign = (level: string): SVGElement =>
  glyph(level === "error" ? "error" : level === "warning" ? "warning" : "info");

const breakRow = ({ key, step, reason }: Payload["breaks"][number]): HTMLElement =>
  h(
    "li",
    {},
    glyph("warning"),
    h("span", {}, h("span", { class: "strong" }, harmless(key)), ` ${harmless(reason)}, by ${harmless(step)}`),
  );

const rest = (all: number): Child & Node =>
  all > MOST_NOTES ? h("p", { class: "muted" }, `and ${grouped(all - MOST_NOTES)} more`) : h("span", { hidden: true });
