// The right column: all messages in sent order, with the ruler of depths beside them.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped, many } from "../_shared/numbers";
import type { Gap } from "./landing_gaps";
import { endOfHistory } from "./landing_gaps";
import { crowd, OPENING, type Slot, slots } from "./message_rows";
import { heading, isOf, type MapView, type MessageRow } from "./payload";

export interface MessageListHost {
  signal: AbortSignal;
  select(key: string): void;
  /** A row is under the pointer or in focus, or none is. */
  near(row: number | null): void;
  unfolded(): void;
}

export class MessageList {
  private readonly title = h("h3");
  readonly list = h("div", { role: "list", "aria-label": "Messages in the order in which they are sent" });
  readonly element = h("div", { class: "col" }, this.title, this.list);
  private readonly open = new Map<string, number>();
  private byRow = new Map<number, HTMLElement>();
  private byGhost = new Map<number, HTMLElement>();
  private folds: { from: number; to: number; element: HTMLElement }[] = [];
  private ticks: [depth: number, ruler: HTMLElement][] = [];
  private drawn: { slot: Slot; element: HTMLElement }[] = [];

  constructor(private readonly host: MessageListHost) {
    const { list } = this;
    const { signal } = host;
    roving(list, () => this.buttons(), { signal, vertical: true });
    list.addEventListener("click", (event) => this.clicked(event), { signal });
    for (const name of ["pointerover", "focusin"])
      list.addEventListener(name, (event) => this.host.near(rowOf(event.target)), { signal });
    for (const name of ["pointerleave", "focusout"])
      list.addEventListener(name, () => this.host.near(null), { signal });
  }

  row(at: number): HTMLElement | undefined {
    return this.byRow.get(at);
  }

  /** The row, or the fold that it is in. */
  place(at: number): HTMLElement | undefined {
    return this.byRow.get(at) ?? this.folds.find(({ from, to }) => from <= at && at < to)?.element;
  }

  ghost(depth: number): HTMLElement | undefined {
    return this.byGhost.get(depth);
  }

  /** The gaps of the ruler from the top, where something can land: the row below each, its depth and its element. */
  gaps(view: MapView): Gap[] {
    return this.drawn.flatMap(({ slot, element }) => {
      if (slot.depth === null || "ghost" in slot) return [];
      const row = "row" in slot ? slot.row : "fold" in slot ? slot.from : endOfHistory(view);
      return [{ row, depth: slot.depth, element }];
    });
  }

  /** Another run: what was unfolded of the last one says nothing of this one. */
  forget(): void {
    this.open.clear();
  }

  draw(view: MapView, selected: string, landed: ReadonlySet<number>): void {
    const focused = this.list.contains(document.activeElement) ? (document.activeElement as HTMLElement) : null;
    const held = focused?.dataset.row;
    const all = slots(view, this.open, staying(view, selected));
    const words = heading(view);
    this.title.replaceChildren(h("span", { class: "x", title: words }, words), h("span", {}, "depth"));
    this.list.style.setProperty("--digits", String(digits(all)));
    this.list.classList.toggle("topped", all[0]?.isLabelled ?? false);
    this.byRow = new Map();
    this.byGhost = new Map();
    this.folds = [];
    this.ticks = [];
    this.drawn = all.map((slot) => ({ slot, element: this.slot(view, slot) }));
    this.list.replaceChildren(...this.drawn.map(({ element }) => element));
    this.mark(view, selected, landed);
    const buttons = this.buttons();
    const at = buttons.findIndex((each) =>
      held ? each.dataset.row === held : each.getAttribute("aria-pressed") === "true",
    );
    onlyStop(buttons, Math.max(0, at));
    if (held && at >= 0) buttons[at].focus({ preventScroll: true });
  }

  /** Another message is selected; says whether it is in sight. */
  pick(view: MapView, selected: string, landed: ReadonlySet<number>): boolean {
    const stays = staying(view, selected);
    if (view.rows.some((row, at) => stays(row, at) && !this.byRow.has(at))) return false;
    this.mark(view, selected, landed);
    return true;
  }

  private mark(view: MapView, selected: string, landed: ReadonlySet<number>): void {
    for (const [at, element] of this.byRow) {
      const chosen = isOf(view.rows[at], selected);
      element.classList.toggle("chosen", chosen);
      element.setAttribute("aria-pressed", String(chosen));
    }
    const depths = new Set([...landed].map((at) => view.rows[at].below));
    for (const [depth, ruler] of this.ticks) ruler.classList.toggle("hit", depths.has(depth));
  }

  private slot(view: MapView, slot: Slot): HTMLElement {
    const line = slot.depth === null ? "none" : "ghost" in slot ? "beyond" : "end" in slot ? "last" : "";
    const label = slot.isLabelled ? h("span", { title: grouped(slot.depth!) }, grouped(slot.depth!)) : null;
    const ruler = h("div", { class: `dp ${line}${slot.isLabelled ? " t" : ""}` }, label);
    if (slot.isLabelled && !("ghost" in slot)) this.ticks.push([slot.depth!, ruler]);
    return h("div", { class: "slot", role: "listitem" }, this.box(view, slot), ruler);
  }

  private box(view: MapView, slot: Slot): HTMLElement {
    if ("end" in slot) return h("div", { class: "bx endrow" }, "end of the history");
    if ("ghost" in slot) {
      const words = `depth ${grouped(slot.ghost)} asked, no message there`;
      const element = h("div", { class: "bx ghost" }, glyph("todo"), h("span", { class: "x", title: words }, words));
      this.byGhost.set(slot.ghost, element);
      return element;
    }
    if ("fold" in slot) {
      const element = fold(view.rows.slice(slot.from, slot.to), slot.fold);
      this.folds.push({ from: slot.from, to: slot.to, element });
      return element;
    }
    const row = view.rows[slot.row];
    const element = message(row, slot.row);
    this.byRow.set(slot.row, element);
    return element;
  }

  private buttons(): HTMLElement[] {
    return [...this.list.querySelectorAll<HTMLElement>("button")];
  }

  private clicked(event: Event): void {
    const button = (event.target as HTMLElement).closest<HTMLElement>("button");
    if (!button) return;
    onlyStop(this.buttons(), this.buttons().indexOf(button));
    const { fold, key } = button.dataset;
    if (key !== undefined) this.host.select(key);
    if (fold === undefined) return;
    const at = this.buttons().indexOf(button);
    this.open.set(fold, (this.open.get(fold) ?? 0) + OPENING);
    this.host.unfolded();
    this.buttons()[at]?.focus({ preventScroll: true });
  }
}

/** The signs of the longest number on the ruler; of a depth that no history has the end may be missing. */
function digits(all: Slot[]): number {
  const labels = all.filter((slot) => slot.isLabelled).map((slot) => grouped(slot.depth!).length);
  return Math.min(7, Math.max(1, ...labels));
}

/** What is selected is never folded away; of a definition that landed all over, only what lies outside folds. */
function staying(view: MapView, selected: string): (row: MessageRow, at: number) => boolean {
  const crowded = crowd(view);
  return (row, at) => row.key === selected || (isOf(row, selected) && !crowded.has(at));
}

function fold(rows: MessageRow[], key: string): HTMLElement {
  const history = rows.filter((row) => row.history);
  const injected = rows.length - history.length;
  const parts = [
    history.length && `${many(history.length, "message")} of history`,
    injected && `${grouped(injected)} injected`,
  ];
  const words = parts.filter(Boolean).join(", ");
  const cut = history[0]?.cut ? " cut" : "";
  const attributes = { type: "button", class: `bx fold${cut}`, "data-fold": key, "aria-expanded": "false" };
  return h("button", attributes, glyph("history"), h("span", { class: "x", title: words }, words));
}

function rowOf(target: EventTarget | null): number | null {
  const at = (target as HTMLElement | null)?.closest<HTMLElement>("button")?.dataset.row;
  return at === undefined ? null : Number(at);
}

function message(row: MessageRow, at: number): HTMLElement {
  const kind = row.look ? `inj src-${row.look}` : `r-${row.role}`;
  const words = harmless(row.text);
  const parts = row.parts.length > 0 && `one message of ${many(row.parts.length, "part")}`;
  const labels = [parts, row.cut && "cut later", row.joined && `joined with others by ${row.joined}`].filter(Boolean);
  return h(
    "button",
    {
      type: "button",
      class: `bx ${kind}${row.cut ? " cut" : ""}`,
      "data-row": at,
      "data-key": row.key,
      title: [words, ...labels].join("\n"),
    },
    glyph(row.look || row.role),
    row.id && h("span", { class: "id" }, harmless(row.id)),
    h("span", { class: "x" }, words),
    parts && h("span", { class: "parts" }, many(row.parts.length, "part")),
    row.cut && h("span", { class: "later" }, "cut later"),
  );
}
