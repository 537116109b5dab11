// The provenance of selected characters, below the message.

import { type Child, glyph, h, harmless } from "./dom";
import { taken } from "./keyboard";
import { many } from "./numbers";
import { codePoints, ends } from "./one_difference";
import { type ProvenanceLink, provenanceOf, provenanceText } from "./provenance";
import type { SpanTables } from "./trace_view";

const MOST = 3; // stories that one selection tells

/** The messages are `article.m` with a number `.no` and a body `.bd`, their stretches of text `[data-span]`. */
export interface CardHost {
  tables(): SpanTables;
  signal: AbortSignal;
  /** What else is known of these characters; stands below the provenance of their first stretch. */
  links?(stretches: HTMLElement[]): ProvenanceLink[];
  /** Buttons that lead elsewhere. */
  buttons?(stretches: HTMLElement[]): HTMLElement[];
  /** The card came or went: its message has another height. */
  changed?(): void;
}

export class ProvenanceCard {
  private card: HTMLElement | null = null;
  private back: HTMLElement | null = null;
  private marked: HTMLElement[] = [];

  constructor(private readonly host: CardHost) {}

  /** Dragging over text, or a click on it, opens the card; the keys walk through a message's spans. */
  listen(feed: HTMLElement): void {
    const { signal } = this.host;
    feed.addEventListener("mouseup", (event) => this.picked(event), { signal });
    feed.addEventListener("keydown", (event) => this.pressed(event), { signal });
  }

  /** Into a message by key: its first stretch of text is chosen. */
  enter(message: HTMLElement): void {
    const [first] = stretches(message);
    if (!first) return;
    first.focus();
    this.openWhole(first);
  }

  get isOpen(): boolean {
    return this.card !== null;
  }

  close(): void {
    const had = this.card;
    this.card?.remove();
    this.card = null;
    for (const each of this.marked) each.classList.remove("sel");
    this.marked = [];
    if (had) this.host.changed?.();
  }

  private leave(): void {
    this.close();
    document.getSelection()?.removeAllRanges();
    this.back?.focus();
    this.back = null;
  }

  private picked(event: MouseEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest(".pop, button, .clip, .editor")) return;
    const chosen = document.getSelection();
    const message = target.closest<HTMLElement>("article.m");
    if (chosen && !chosen.isCollapsed && chosen.rangeCount) {
      const range = chosen.getRangeAt(0);
      const start = (range.startContainer.parentElement ?? target).closest<HTMLElement>("article.m");
      const inside = start ? stretches(start).filter((each) => range.intersectsNode(each)) : [];
      if (inside.length) this.open(inside, chosen.toString());
      return;
    }
    const one = target.closest<HTMLElement>("[data-span]");
    if (one && message) this.openWhole(one);
    else this.close();
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.key === "Escape" && (this.card || target.matches("[data-span]"))) {
      taken(event);
      this.back = target.closest<HTMLElement>("article.m") ?? this.back;
      this.leave();
      return;
    }
    if (!target.matches("[data-span]") || (event.key !== "ArrowLeft" && event.key !== "ArrowRight")) return;
    taken(event);
    const forward = event.key === "ArrowRight";
    if (event.shiftKey) {
      this.extend(target, forward);
      return;
    }
    const all = stretches(target.closest<HTMLElement>("article.m")!);
    const next = all[all.indexOf(target) + (forward ? 1 : -1)];
    if (!next) return;
    document.getSelection()?.removeAllRanges();
    next.focus();
    this.openWhole(next);
  }

  /** Shift and an arrow: character by character from the front of the stretch in focus. */
  private extend(target: HTMLElement, forward: boolean): void {
    const chosen = document.getSelection();
    if (!chosen) return;
    if (chosen.isCollapsed || !target.contains(chosen.anchorNode)) {
      chosen.selectAllChildren(target);
      chosen.collapseToStart();
    }
    chosen.modify("extend", forward ? "forward" : "backward", "character");
    const range = chosen.rangeCount ? chosen.getRangeAt(0) : null;
    const all = stretches(target.closest<HTMLElement>("article.m")!);
    const inside = range ? all.filter((each) => range.intersectsNode(each)) : [];
    this.open(inside.length ? inside : [target], chosen.toString());
  }

  /** Of one stretch all of it, also what is hidden in its middle. */
  private openWhole(one: HTMLElement): void {
    const more = one.querySelector<HTMLElement>(".more");
    const shown = [...one.childNodes].filter((node) => node !== more).map((node) => node.textContent);
    this.open([one], shown.join(""), Number(more?.dataset.out ?? 0));
  }

  /** `text` is what is chosen, without so many characters that are hidden. */
  private open(spans: HTMLElement[], text: string, hidden = 0): void {
    this.close();
    this.marked = spans;
    for (const each of spans) each.classList.add("sel");
    const message = spans[0].closest<HTMLElement>("article.m")!;
    const numbers = [...new Set(spans.map((each) => Number(each.dataset.span)))];
    const stories = numbers.slice(0, MOST).map((n) => provenanceOf(this.host.tables(), n));
    stories[0]?.push(...(this.host.links?.(spans) ?? []));
    const rest = numbers.length - stories.length;
    const where = message.querySelector(".no")?.textContent ?? "";
    const place = `message ${where}, ${many(codePoints(text) + hidden, "character")}`;
    const copy = h("button", { type: "button", class: "btn quiet" }, "Copy chain");
    const shut = h("button", { type: "button", class: "btn quiet" }, "Close");
    const words = stories.map(provenanceText).join("\n\n");
    copy.addEventListener("click", () => void navigator.clipboard?.writeText(words), { signal: this.host.signal });
    shut.addEventListener("click", () => this.leave(), { signal: this.host.signal });
    this.back = message;
    this.card = h(
      "div",
      { class: "pop", role: "group", "aria-label": "Where these characters come from" },
      h(
        "div",
        { class: "ph" },
        h("span", { class: "strong quote" }, `\u201c${harmless(brief(text, 24))}\u201d`),
        h("span", { class: "muted" }, place),
        h("span", { class: "sp" }),
        this.host.buttons?.(spans) ?? [],
        copy,
        shut,
      ),
      stories.map((links) => h("ol", { class: "chain" }, links.map(item))),
      rest > 0 && h("p", { class: "muted rest" }, `and ${rest} more; select less to see them`),
    );
    const part = spans[spans.length - 1].closest(".part");
    const host = part ?? message.querySelector(".bd")!;
    const at = spans[0].getBoundingClientRect();
    const left = host.getBoundingClientRect().left;
    this.card.style.setProperty("--at", `${Math.min(Math.max(at.left - left + 4, 12), 440)}px`);
    host.append(this.card);
    this.host.changed?.();
    this.card.scrollIntoView({ block: "nearest" });
  }
}

function item({ source, what, who, before, text, reason }: ProvenanceLink): HTMLElement {
  const shown: Child[] =
    before === null
      ? [h("code", {}, harmless(brief(text, 160)))]
      : [
          before && h("del", {}, harmless(brief(before, 160))),
          before && text && " ",
          text && h("ins", {}, harmless(brief(text, 160))),
        ];
  return h(
    "li",
    { class: source ? `src-${source}` : "" },
    glyph(source || "step"),
    h(
      "span",
      {},
      h("span", { class: "strong" }, harmless(what)),
      h("br"),
      h("span", { class: "muted" }, harmless(who)),
    ),
    h(
      "span",
      {},
      before === null ? text && shown : h("code", {}, shown),
      text && reason && h("br"),
      reason && h("span", { class: "muted" }, harmless(reason)),
    ),
  );
}

function brief(text: string, most: number): string {
  const cut = ends(text, Math.floor(most / 3));
  return cut ? `${cut.head} \u2026 ${cut.tail}` : text;
}

const stretches = (message: HTMLElement): HTMLElement[] => [...message.querySelectorAll<HTMLElement>("[data-span]")];
