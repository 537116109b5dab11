// What a run changed against the one it was made from, and the code that makes it. It stands below the chips.

import { copied } from "../_shared/copied";
import { type Child, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { price } from "../_shared/remedy_button";
import type { EffectRow, RunChip, RunEffect } from "./payload";

const SIGNS = { came: "+", went: "\u2212", changed: "~", joined: "&", moved: "\u2195" } as const;
const WORDS: Partial<Record<keyof typeof SIGNS, string>> = { joined: "joined otherwise" };

export class RunCard {
  readonly element = h("div", { class: "card", hidden: true });
  private shown: RunChip | null = null;

  constructor(private readonly close: () => void) {}

  get run(): string | null {
    return this.element.hidden ? null : (this.shown?.name ?? null);
  }

  draw(run: RunChip | null, code: string, at: number): void {
    this.element.hidden = run === null;
    if (run === null) return;
    this.element.style.setProperty("--at", `${Math.round(at)}px`);
    if (run === this.shown) return;
    this.shown = run;
    this.element.replaceChildren(this.changes(run), this.python(code));
  }

  private changes(run: RunChip): HTMLElement {
    const { effect, parent } = run;
    if (effect === null)
      return h(
        "div",
        {},
        h("h4", {}, harmless(run.name), h("span", { class: "muted" }, run.sub)),
        h("p", {}, run.failed || `${many(run.messages, "message")}, ${many(run.tokens, "token")}`),
      );
    const tokens = `${grouped(effect.before_tokens)} \u2192 ${grouped(effect.after_tokens)}`;
    return h(
      "div",
      {},
      h(
        "h4",
        {},
        harmless(run.name),
        h("span", { class: "muted" }, `against ${harmless(parent ?? "")}`),
        h("span", { class: "sp" }),
        h("span", { class: "num" }, tokens),
      ),
      run.failed && h("p", { class: "err" }, harmless(run.failed)),
      h("div", { class: "cg" }, rows(effect), rest(effect), total(run, effect)),
    );
  }

  private python(text: string): HTMLElement {
    const code = h("pre", { class: "py mono" }, harmless(text));
    const done = h("span", { class: "muted", role: "status" });
    const copy = h("button", { type: "button", class: "btn small copy" }, "Copy");
    copy.addEventListener("click", () => void copied(text, code).then((said) => done.replaceChildren(said)));
    const close = h("button", { type: "button", class: "btn small" }, "Close");
    close.addEventListener("click", this.close);
    return h("div", {}, h("h4", {}, "As Python", h("span", { class: "sp" }), done, copy, close), code);
  }
}

function rows(effect: RunEffect): Child[] {
  return (Object.keys(SIGNS) as (keyof typeof SIGNS)[]).flatMap((kind) => effect[kind].map((each) => row(kind, each)));
}

function row(kind: keyof typeof SIGNS, { key, name, tokens, why, messages }: EffectRow): Child[] {
  const reason = why && kind === "came" ? `was cut, ${why}` : why;
  return [
    h("span", { class: `sg ${kind}` }, SIGNS[kind]),
    h(
      "span",
      { title: harmless(key) },
      `${WORDS[kind] ?? kind}: `,
      h("b", {}, harmless(name)),
      key !== "" && messages > 1 && `, ${grouped(messages)} places`,
      reason && h("span", { class: "ink2" }, ` \u00b7 ${harmless(reason)}`),
    ),
    h("span", { class: "num" }, kind === "moved" || kind === "joined" ? "" : price(tokens)),
  ];
}

function rest(effect: RunEffect): Child[] {
  return [
    effect.joins !== 0 && [
      h("span", { class: "sg" }, "~"),
      h("span", { class: "ink2" }, "joins and overhead"),
      h("span", { class: "num" }, price(effect.joins)),
    ],
    h("span", { class: "sg" }, "="),
    h("span", { class: "ink2" }, `same: ${many(effect.same, "part")}`),
    h("span", { class: "num" }, ""),
  ];
}

function total(run: RunChip, effect: RunEffect): Child[] {
  const of = run.of === null ? "" : ` of ${grouped(run.of)}`;
  return [
    h("span", { class: "tot" }),
    h("span", { class: "tot" }, `${many(run.messages, "message")}, ${grouped(run.tokens)}${of} tokens`),
    h("span", { class: "tot num" }, price(effect.tokens)),
  ];
}
