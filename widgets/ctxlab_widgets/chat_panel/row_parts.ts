// What stands around a message's words: its thought, what went wrong, what it got, what a summary lost.

import { glyph, h, harmless } from "../_shared/dom";
import type { ListHost } from "./list_host";
import { PlainText } from "./message_text";
import type { Row } from "./payload";

const VIEWS = ["steps", "budget", "lore", "request"] as const;
const named = (view: string): string => view[0].toUpperCase() + view.slice(1);

/** The reasoning of an answer, folded; while it is written its words come as they do. */
export class Thought {
  readonly element: HTMLDetailsElement;
  private readonly facts = h("span", { class: "muted" });
  private readonly words: PlainText;

  constructor(id: string, open: Set<string>, resized: () => void) {
    const body = h("div", { class: "tht" });
    this.words = new PlainText(body);
    this.element = h(
      "details",
      { class: "think", open: open.has(id) },
      h("summary", { "data-act": "thought" }, "Thought ", this.facts),
      body,
    );
    this.element.addEventListener("toggle", () => {
      if (this.element.open) open.add(id);
      else open.delete(id);
      resized();
    });
  }

  set({ text, facts }: { text: string; facts: string }): void {
    this.facts.textContent = harmless(facts);
    this.words.update(text);
  }
}

/** Why there is no answer or half of one, with what may be done about it. */
export function errorLine(row: Row, host: ListHost): HTMLElement {
  const { key, error = "" } = row;
  const canRetry = host.live && row.actions.includes("retry");
  return h(
    "div",
    { class: "er", role: "group", "aria-label": "What went wrong" },
    glyph("failed"),
    h("span", { class: "strong err" }, row.text ? "broke off" : "did not answer"),
    h("span", { class: "ew" }, harmless(error)),
    h("span", { class: "sp" }),
    canRetry && press("Retry", "retry", "btn small", () => host.send({ command: "retry", key })),
    host.live && press("Request", "request", "btn small q", () => host.send({ command: "open", view: "request", key })),
  );
}

/** What went into an answer and what it cost; links rebuild exactly that request. */
export function gotLine(row: Row, host: ListHost): HTMLElement {
  const { key } = row;
  const { facts, cached } = row.got!;
  const [first, ...rest] = facts.map(harmless);
  const line = h(
    "div",
    { class: "got" },
    first && h("span", {}, first),
    cached !== undefined && cachedBar(cached),
    rest.map((fact) => h("span", {}, fact)),
  );
  if (!host.live || row.state === "generating") return line;
  const got = press("What it got", "got", "lk", () => host.send({ command: "got", key }));
  const open = (view: (typeof VIEWS)[number]) =>
    press(named(view), view, "lk", () => host.send({ command: "open", view, key }));
  line.append(h("span", { class: "links" }, got, VIEWS.map(open)));
  return line;
}

function cachedBar(share: number): HTMLElement {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
  const filled = h("i", {});
  filled.style.width = `${percent}%`;
  return h(
    "span",
    { class: "cached" },
    h("span", { class: "cbar", role: "img", "aria-label": `${percent} percent cached` }, filled),
    h("span", { "aria-hidden": "true" }, `${percent}\u00a0% cached`),
  );
}

/** What a summary kept and lost of what must not get lost; null where nothing is known of it. */
export function lossLine({ standsFor }: Row): HTMLElement | null {
  if (!standsFor || (!standsFor.kept && !standsFor.lost.length)) return null;
  return h(
    "p",
    { class: "f11" },
    standsFor.kept && h("b", { class: "ok" }, `${harmless(standsFor.kept)} `),
    standsFor.lost.length > 0 && [h("b", { class: "err" }, "Lost: "), harmless(standsFor.lost.join("; "))],
  );
}

/** Which of its two texts a translated message shows. */
export function translationChoice(row: Row, host: ListHost): HTMLElement {
  const { shown, to } = row.translation!;
  const options = ["original", "translation", "both"] as const;
  const group = h("span", { class: "group tl", role: "group", "aria-label": "Text shown" });
  for (const each of options) {
    const label = each === "translation" && to ? `In ${harmless(to)}` : named(each);
    const button = press(label, each, "btn small", () => {
      if (each !== shown) host.send({ command: "show_translation", key: row.key, shown: each });
    });
    button.setAttribute("aria-pressed", String(each === shown));
    group.append(button);
  }
  return group;
}

function press(label: string, act: string, look: string, does: () => void): HTMLElement {
  const button = h("button", { type: "button", class: look, "data-act": act }, label);
  button.addEventListener("click", does);
  return button;
}
