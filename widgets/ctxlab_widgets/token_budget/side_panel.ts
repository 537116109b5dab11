// The side panel: a card of the message or source that is pointed at or pinned, and the legend of the bar.

import { attachmentChips } from "../_shared/attachment_chip";
import type { FileJson } from "../_shared/attachments";
import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { remedyButton } from "../_shared/remedy_button";
import {
  type BudgetHost,
  type BudgetRow,
  BY_SOURCE,
  cost,
  isCut,
  named,
  names,
  type Segment,
  type State,
  sumOf,
  unitsKept,
} from "./payload";

const SHOWN = 4; // parts of a source that its card names
const MOST_FILES = 8;
const REST: Record<string, string> = { tools: "tool definitions", cut: "their overhead", overhead: "other" };
const PARTS: Record<string, string> = { tools: "calls and results", attachment: "attachments" };

export class SidePanel {
  readonly element = h("div", { class: "rhs" });
  private readonly card = h("div", { class: "card", role: "group", "aria-label": "What is pointed at" });
  private readonly legend = h("tbody");
  private readonly old = h("p", { class: "old ink2", hidden: true });

  constructor(
    private readonly state: State,
    private readonly host: BudgetHost,
  ) {
    const { signal } = host;
    const point = (at: string) => host.point(at);
    const table = h("table", { class: "leg" }, h("caption", { class: "vh" }, "Tokens by source"), this.legend);
    this.element.append(this.card, this.old, table);
    const over = (event: Event) => {
      const look = (event.target as HTMLElement).closest<HTMLElement>("[data-look]")?.dataset.look;
      point(look ? BY_SOURCE + look : "");
    };
    this.legend.addEventListener("pointerover", over, { signal });
    this.legend.addEventListener("pointerleave", () => point(""), { signal });
  }

  draw(): void {
    this.drawCard();
    const { view } = this.state;
    this.old.hidden = view.refused === "";
    this.old.textContent = `As with the last budget${view.budget === null ? "" : `, ${grouped(view.budget)} tokens`}:`;
    const whole = view.budget === null ? view.sent : view.budget + view.reserve;
    const share = (tokens: number) => `${Math.round((100 * tokens) / Math.max(whole, 1))} %`;
    const row = ([name, look, tokens]: Segment) =>
      h(
        "tr",
        { class: `src-${look}`, "data-look": look },
        h("td", {}, h("i", { class: `fill src-${look}` })),
        h("td", {}, sign(look)),
        h("th", { scope: "row" }, name),
        h("td", { class: "num" }, grouped(tokens)),
        h("td", { class: "num muted" }, look === "cut" ? "" : share(tokens)),
      );
    const total = h(
      "tr",
      { class: "tot" },
      h("th", { scope: "row", colspan: 3 }, "sent"),
      h("td", { class: "num" }, grouped(view.sent)),
      h("td", { class: "num muted" }, share(view.sent)),
    );
    this.legend.replaceChildren(...view.segments.map(row), total);
  }

  drawCard(): void {
    const { pinned, selected, closed, view, messages } = this.state;
    const pointed = this.isAbove() && !this.state.pointed.startsWith(BY_SOURCE) ? "" : this.state.pointed;
    for (const subject of [pointed, pinned, selected === closed ? "" : selected]) {
      if (!subject) continue;
      const segment = subject.startsWith(BY_SOURCE)
        ? view.segments.find(([, look]) => look === subject.slice(BY_SOURCE.length))
        : undefined;
      const at = segment ? -1 : messages.rows.findIndex((row) => names(subject, row));
      if (segment || at >= 0) {
        this.card.dataset.of = subject;
        this.card.replaceChildren(...(segment ? this.ofSource(segment) : this.ofMessage(at)));
        return;
      }
    }
    this.card.dataset.of = "";
    this.card.replaceChildren(...this.ofStrategy());
  }

  /** Above the list a card that grows would push the rows away from under the pointer. */
  private isAbove(): boolean {
    const { parentElement, offsetWidth } = this.element;
    return parentElement !== null && offsetWidth > parentElement.clientWidth / 2;
  }

  private ofStrategy(): Node[] {
    const { view, choices, messages } = this.state;
    const about = choices.strategies.find((each) => each.name === view.strategy)?.about ?? "";
    const { ladder } = messages;
    return [
      title("info", view.strategy, ""),
      h("p", { class: "about" }, `It ${about}.`),
      facts([
        ladder.length > 0 && ["must stay", grouped(ladder[0])],
        ladder.length > 1 && ["all of it needs", grouped(ladder[ladder.length - 1])],
        view.window !== null && ["model's window", grouped(view.window)],
      ]),
      ...this.room(),
    ];
  }

  private ofSource([name, look, tokens]: Segment): Node[] {
    const { view, messages } = this.state;
    const found = messages.rows
      .map((row, i): [BudgetRow, number] => [row, partOf(row, look, isCut(view, i))])
      .filter(([, n]) => n > 0)
      .sort((a, b) => b[1] - a[1]);
    const named = found.slice(0, found.length > SHOWN + 1 ? SHOWN : found.length);
    const more = found.slice(named.length);
    const rest = tokens - found.reduce((sum, [, n]) => sum + n, 0);
    const others: [string, string][] =
      look === "overhead"
        ? view.overhead.map(([words, n]) => [words, grouped(n)])
        : rest !== 0 && look in REST
          ? [[REST[look], grouped(rest)]]
          : [];
    if (look === "attachment") return this.ofFiles(name, tokens);
    const steps = [...new Set(found.map(([row]) => row[4]))];
    const by = steps.length === 1 ? this.step(steps[0]) : "";
    const why = this.maySourceBeCut(look);
    return [
      title(look, name, grouped(tokens)),
      facts([
        ...named.map(([row, n]): [string, string] => [row[1], grouped(n)]),
        more.length > 0 && [`${grouped(more.length)} more`, grouped(more.reduce((sum, [, n]) => sum + n, 0))],
        ...others,
        by !== "" && ["put there by", by],
        why !== "" && ["may be cut", why],
      ]),
      ...(look === "cut" ? view.reasons.map((each) => this.cause(each)) : []),
      ...(look === "cut" || look === "free" ? this.room() : []),
    ];
  }

  /** Each file that goes along or as words with its tokens. */
  private ofFiles(name: string, tokens: number): Node[] {
    const sent = this.state.files.all.filter((file) => !file.cut).sort((a, b) => (b.tokens ?? 0) - (a.tokens ?? 0));
    const [named, more] = [sent.slice(0, MOST_FILES), sent.slice(MOST_FILES)];
    const rest = tokens - tokensOf(sent);
    return [
      title("attachment", name, grouped(tokens)),
      ...this.chips(named, "source", false),
      facts([
        more.length > 0 && [`${grouped(more.length)} more`, grouped(tokensOf(more))],
        sent.length > 0 && rest !== 0 && ["labels and joins", grouped(rest)],
        ["may be cut", this.maySourceBeCut("attachment")],
      ]),
    ];
  }

  private chips(found: FileJson[], of: string, isGone: boolean): Node[] {
    const { files, reasons } = this.state;
    const few = found.slice(0, MOST_FILES).map((file) => files.shown(file, isGone ? "cut" : "sent"));
    const chips = attachmentChips(few, `card:${of}`, reasons);
    return chips ? [chips] : [];
  }

  private maySourceBeCut(look: string): string {
    const { view } = this.state;
    if (look === "free" || look === "overhead") return "";
    if (look === "reserve") return "no, it is the reply's";
    if (look === "cut") return `cut by ${view.strategy}`;
    if (look === "history") return view.by_units ? "yes, oldest first" : `yes, by ${view.strategy}`;
    if (look === "attachment") return "with its message";
    return look === "tools" ? "with their messages" : "no, protected";
  }

  private ofMessage(at: number): Node[] {
    const { view, messages } = this.state;
    const row = messages.rows[at];
    const [key, words, look, tokens] = row;
    const state = view.states[at];
    const mark = view.marks[at];
    return [
      title(state === "c" ? "cut" : look, words, grouped(cost(row))),
      facts([
        ["key", key],
        ...(tokens.length > 1 ? tokens.map(([part, n]): [string, string] => [PARTS[part] ?? "words", grouped(n)]) : []),
        row[4] >= 0 && ["put there by", this.step(row[4])],
        state !== "c" && ["may be cut", this.mayBeCut(row, state)],
        state === "s" && ["shortened", "its end is cut off"],
        mark === "+" && ["change", "comes in"],
        mark === "-" && ["change", "falls out"],
      ]),
      ...this.chips(this.state.files.ofKeys([key]), key, state === "c"),
      ...(state === "c" ? this.why(at) : [sum(sumOf(this.state, row, state))]),
    ];
  }

  /** How what was left at the cut becomes what is free. */
  private room(): Node[] {
    const { sums } = this.state.view;
    return sums ? [sum(sums.text)] : [];
  }

  private mayBeCut(row: BudgetRow, state: string): string {
    const { view } = this.state;
    if (state === "p") return row[6] ? "no, protected" : "no, the newest stays";
    if (!view.by_units || row[5] < 0) return "yes";
    const before = unitsKept(this.state) - 1 - row[5];
    return before > 0 ? `yes, after ${many(before, "other")}` : "yes, it is next";
  }

  /** Its cause, the sums behind the numbers in it, and what would keep it. */
  private why(at: number): Node[] {
    const { view, messages, remedies, live } = this.state;
    const group = (view.reason_of.charCodeAt(at) || 0) - "a".charCodeAt(0);
    const row = messages.rows[at];
    const remedy = remedies.get(row[0]);
    const button = remedyButton(remedy, live, () => this.host.keep(row[0]));
    const nearest = remedy
      ? h("p", { class: "ink2", title: harmless(remedy.text) }, harmless(named(remedy.text)))
      : null;
    return [
      this.cause(view.reasons[group] ?? ""),
      sum(view.needs[group] || sumOf(this.state, row, "c")),
      ...this.room(),
      h("div", { class: "nearest" }, nearest, button),
    ];
  }

  private cause(sentence: string): HTMLElement {
    const words = h("b", { title: harmless(sentence) }, harmless(named(sentence)));
    return h("div", { class: "because" }, glyph("warning"), words);
  }

  private step(place: number): string {
    const name = this.state.messages.steps[place];
    return name ? `${name}, step ${place + 1}` : "the start";
  }
}

const tokensOf = (files: FileJson[]): number => files.reduce((sum, file) => sum + (file.tokens ?? 0), 0);

/** Tokens of a row that stand in a segment of the bar. */
const partOf = (row: BudgetRow, look: string, cut: boolean): number =>
  cut ? (look === "cut" ? cost(row) : 0) : row[3].reduce((sum, [each, n]) => sum + (each === look ? n : 0), 0);

function title(look: string, words: string, tokens: string): HTMLElement {
  return h(
    "div",
    { class: `ct src-${look}` },
    sign(look),
    h("span", { class: "strong" }, harmless(words)),
    h("span", { class: "strong num" }, tokens),
  );
}

/** Free and reserve are squares; they have no sign of their own among the sources. */
function sign(look: string): Node {
  if (look !== "free" && look !== "reserve") return glyph(look);
  return h("i", { class: `sq ${look}` });
}

const sum = (words: string): HTMLElement => h("p", { class: "sum" }, words);

type Fact = [string, string] | false;

function facts(all: Fact[]): HTMLElement {
  const shown: Child[] = [];
  for (const fact of all) {
    if (!fact) continue;
    const [name, value] = fact.map(harmless);
    shown.push(h("div", {}, h("dt", { title: name }, name), h("dd", { title: value }, value)));
  }
  return h("dl", { class: "kv" }, shown);
}
