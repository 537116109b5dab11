// Two requests: how far they are the same, the first difference with both sides, and on demand all of it.

import { h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Chosen, DifferenceRow, PairRow } from "./payload";

export interface PairHost {
  live: boolean;
  signal: AbortSignal;
  /** To the request before or behind the chosen one. */
  step(by: number): void;
  /** Against the request of this number; null for the one before. */
  against(number: number | null): void;
  send(command: Record<string, unknown>): void;
}

/** What surrounds the chosen request. */
export interface Around {
  number: number;
  before: number | null;
  behind: number | null;
  least: number;
  most: number;
  compression: string;
}

export class PairSection {
  private readonly title = h("span");
  private readonly same = h("span", { class: "ink2 plainly" });
  private readonly before = button("");
  private readonly behind = button("");
  private readonly any = button("Any two…", { "aria-expanded": "false" });
  private readonly number = h("input", { type: "number", class: "field", "aria-label": "Set against request" });
  private readonly field = h("label", { class: "against", hidden: true }, "against", this.number);
  private readonly all = button("Whole difference", { "aria-expanded": "false" });
  private readonly kept = button("What it kept");
  private readonly steps = button("Steps", { title: "This request as a run, step by step" });
  private readonly body = button("Request");
  private readonly first = h("div", { class: "pd", role: "group", "aria-label": "First difference" });
  private readonly told = h("p", { class: "told" });
  private readonly facts = h("dl", { class: "rf" });
  private readonly rows = h("div", {
    class: "pd whole",
    role: "group",
    "aria-label": "Whole difference",
    hidden: true,
  });
  private compression = "";
  readonly element: HTMLElement;

  constructor(private readonly host: PairHost) {
    const { signal } = host;
    const steps = h("span", { class: "group" }, this.before, this.behind);
    const opens = host.live ? [this.any, this.field, this.all, this.kept, this.steps, this.body] : [];
    const heading = h("h3", {}, this.title);
    const head = h("div", { class: "ph" }, heading, this.same, h("span", { class: "sp" }), steps, opens);
    this.element = h("section", { class: "pair" }, head, this.first, this.told, this.facts, this.rows);
    const on = (element: HTMLElement, act: () => void) => element.addEventListener("click", act, { signal });
    on(this.before, () => host.step(-1));
    on(this.behind, () => host.step(1));
    on(this.any, () => this.ask(this.field.hasAttribute("hidden")));
    on(this.all, () => host.send({ command: "whole" }));
    on(this.kept, () => host.send({ command: "compression", id: this.compression }));
    on(this.steps, () => host.send({ command: "steps" }));
    on(this.body, () => this.body.getAttribute("aria-disabled") !== "true" && host.send({ command: "request" }));
    this.number.addEventListener("keydown", (event) => this.typed(event), { signal });
    this.number.addEventListener("change", () => this.commit(), { signal });
    this.rows.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  /** The words of the two; `late` says that Python hasn't yet answered for the chosen one. */
  draw(chosen: Chosen, around: Around, late: boolean): void {
    this.element.classList.toggle("late", late);
    this.element.setAttribute("aria-busy", String(late));
    this.title.textContent = late ? `Request ${grouped(around.number)}` : harmless(chosen.title);
    this.same.textContent = late ? "…" : harmless(chosen.same);
    this.steppers(around);
    if (late) return;
    this.body.setAttribute("aria-disabled", String(!chosen.whole));
    this.body.title = chosen.whole
      ? "The body as it was sent"
      : "The log has only parts of the body: there is no whole request to show";
    this.first.hidden = !chosen.rows.length;
    this.first.replaceChildren(...chosen.rows.map(pairRow));
    const cost = [
      chosen.lost ? `${many(chosen.lost, "token")} read anew` : "",
      chosen.cost ? `${chosen.cost} at list prices` : "",
    ].filter(Boolean);
    this.told.replaceChildren(
      harmless([chosen.cause, chosen.told].filter(Boolean).join(" ")),
      ...(cost.length ? [" ", h("b", {}, `${cost.join(", ")}.`)] : []),
    );
    this.facts.replaceChildren(
      ...chosen.facts.map(([name, words]) => h("div", {}, h("dt", {}, name), h("dd", {}, harmless(words)))),
    );
    this.number.min = String(around.least);
    this.number.max = String(around.most);
  }

  private steppers(around: Around): void {
    for (const [element, number, words, sign] of [
      [this.before, around.before, "Request before, ", "‹ "],
      [this.behind, around.behind, "Request behind, ", ""],
    ] as const) {
      element.textContent = number === null ? (sign ? "‹" : "›") : `${sign}${grouped(number)}${sign ? "" : " ›"}`;
      element.disabled = number === null;
      element.setAttribute("aria-label", number === null ? `${words}there is none` : `${words}${grouped(number)}`);
    }
    this.compression = around.compression;
    this.kept.hidden = !around.compression;
  }

  drawWhole(rows: DifferenceRow[] | null, more: number, opened: { row: number; text: string } | null): void {
    this.all.setAttribute("aria-expanded", String(rows !== null));
    this.rows.hidden = rows === null;
    if (rows === null) {
      this.rows.replaceChildren();
      return;
    }
    const focus = this.rows.contains(document.activeElement)
      ? (document.activeElement as HTMLElement).dataset.row
      : undefined;
    this.rows.replaceChildren(
      ...rows.map((row, n) => wholeRow(row, n, opened?.row === n ? opened.text : null)),
      ...(more ? [h("p", { class: "muted more" }, `${many(more, "row")} more`)] : []),
    );
    if (focus !== undefined) this.rows.querySelector<HTMLElement>(`[data-row="${focus}"]`)?.focus();
  }

  /** Opens the field for the number of another request, or closes it. */
  private ask(open: boolean): void {
    this.field.hidden = !open;
    this.any.setAttribute("aria-expanded", String(open));
    if (open) this.number.focus();
    else this.host.against(null);
  }

  private typed(event: KeyboardEvent): void {
    if (event.key === "Enter") this.commit();
    else if (event.key === "Escape") {
      event.stopPropagation();
      this.ask(false);
      this.any.focus();
    }
  }

  private commit(): void {
    const number = Number.parseInt(this.number.value, 10);
    if (Number.isFinite(number)) this.host.against(number);
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest<HTMLElement>("button[data-row]");
    if (!row) return;
    if (row.getAttribute("aria-expanded") === "true") this.host.send({ command: "close", what: "row_text" });
    else this.host.send({ command: "row", number: Number(row.dataset.row) });
  }
}

const SIGNS = { "=": "=", "-": "−", "+": "+" } as const;
const CLASSES = { "=": "", "-": "m0", "+": "p0" } as const;
const SAID = { "=": "in both", "-": "only in the other", "+": "only in this one" } as const;

function pairRow({ sign, number, what, text: [before, at, behind] }: PairRow): HTMLElement {
  return h(
    "div",
    { class: CLASSES[sign] },
    h("span", { class: "k" }, number ? grouped(number) : ""),
    h("span", { class: "strong", title: SAID[sign] }, SIGNS[sign]),
    h(
      "span",
      { class: sign === "=" ? "x muted" : "x" },
      h("span", { class: "what" }, harmless(what), " "),
      harmless(before),
      at ? h("span", { class: "at" }, at.trim() ? harmless(at) : "␣") : "",
      harmless(behind),
    ),
  );
}

function wholeRow(row: DifferenceRow, n: number, all: string | null): HTMLElement {
  const words = h(
    "span",
    { class: row.sign === "=" ? "x muted" : "x" },
    h("span", { class: "what" }, harmless(row.what), " "),
    harmless(all ?? row.text),
    row.cut > 1 && all === null ? "…" : "",
  );
  const more = row.cut
    ? h(
        "button",
        {
          type: "button",
          class: "btn small",
          "data-row": n,
          "aria-expanded": String(all !== null),
          "aria-label": `${all === null ? "All of" : "Less of"} ${harmless(row.what)}`,
        },
        all === null ? "All" : "Less",
      )
    : null;
  return h(
    "div",
    { class: CLASSES[row.sign] },
    h("span", { class: "k" }, grouped(row.tokens)),
    h("span", { class: "strong", title: SAID[row.sign] }, SIGNS[row.sign]),
    words,
    more,
  );
}

function button(words: string, attributes: Record<string, string> = {}): HTMLButtonElement {
  return h("button", { type: "button", class: "btn", ...attributes }, words);
}
