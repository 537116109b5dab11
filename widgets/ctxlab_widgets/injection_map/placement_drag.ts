// Dragging a landed block along the depths: by the mouse, or by touch after a long press. It says where it would land.

import { h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { dropped, type Gap, gapWords, refusal } from "./landing_gaps";
import type { MessageList } from "./message_list";
import { type Definition, definitionOf, type MapView } from "./payload";

export interface PlacementDragHost {
  signal: AbortSignal;
  live: boolean;
  view(): MapView | null;
  place(key: string, change: Record<string, string | number>): void;
}

interface Lift {
  row: number;
  pointer: number;
  x: number;
  y: number;
  isTouch: boolean;
}

/** A press becomes a drag after so many pixels, of a finger after so many milliseconds in which it stays. */
const MOVED = 4;
const STILL = 8;
const LONG = 400;
/** Further above the oldest message than this, a depth is not what is meant. */
const BEYOND = 40;

export class PlacementDrag {
  private readonly words = h("span", {});
  private readonly mark = h("div", { class: "drop", role: "status", hidden: true }, this.words);
  private lift: Lift | null = null;
  private active: Definition | null = null;
  private target: Gap | null = null;
  private timer = 0;
  private wasDragged = false;

  constructor(
    private readonly messages: MessageList,
    private readonly host: PlacementDragHost,
  ) {
    const { signal } = host;
    const { list } = messages;
    messages.element.append(this.mark);
    if (!host.live) return;
    list.addEventListener("pointerdown", (event) => this.pressed(event), { signal });
    list.addEventListener("pointermove", (event) => this.moved(event), { signal });
    list.addEventListener("pointerup", (event) => this.released(event), { signal });
    list.addEventListener("pointercancel", () => this.end(), { signal });
    list.addEventListener("click", (event) => this.clicked(event), { signal, capture: true });
    list.addEventListener("contextmenu", (event) => this.active && event.preventDefault(), { signal });
    list.addEventListener("touchmove", (event) => this.active && event.preventDefault(), { signal, passive: false });
    list.ownerDocument.addEventListener("keydown", (event) => this.key(event), { signal, capture: true });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  private pressed(event: PointerEvent): void {
    this.wasDragged = false;
    const row = (event.target as HTMLElement).closest<HTMLElement>(".bx.inj")?.dataset.row;
    if (row === undefined || event.button !== 0 || !event.isPrimary) return;
    const isTouch = event.pointerType === "touch";
    this.lift = { row: Number(row), pointer: event.pointerId, x: event.clientX, y: event.clientY, isTouch };
    if (isTouch) this.timer = window.setTimeout(() => this.begin(event.clientY), LONG);
  }

  private moved(event: PointerEvent): void {
    const lift = this.lift;
    if (lift?.pointer !== event.pointerId) return;
    const far = Math.hypot(event.clientX - lift.x, event.clientY - lift.y);
    if (this.active) this.over(event.clientY);
    else if (lift.isTouch && far > STILL) this.end();
    else if (!lift.isTouch && far > MOVED) this.begin(event.clientY);
  }

  private released(event: PointerEvent): void {
    const { active, target } = this;
    if (active) taken(event);
    this.end();
    const change = active && target && dropped(active, target.depth);
    if (change) this.host.place(active.key, change);
  }

  private clicked(event: Event): void {
    if (!this.wasDragged) return;
    this.wasDragged = false;
    taken(event);
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== "Escape" || !this.active) return;
    taken(event);
    this.end();
  }

  private begin(y: number): void {
    const lift = this.lift;
    const view = this.host.view();
    if (!lift || !view) return;
    const definition = definitionOf(view, view.rows[lift.row].key);
    this.wasDragged = true;
    this.active = definition ?? NOBODY;
    this.messages.list.setPointerCapture(lift.pointer);
    this.messages.row(lift.row)?.classList.add("lifted");
    this.messages.element.classList.add("dragging");
    this.over(y);
  }

  private over(y: number): void {
    const view = this.host.view();
    const { active } = this;
    if (!view || !active) return;
    const gaps = this.messages.gaps(view);
    const middle = ({ element }: Gap) => Math.abs(element.getBoundingClientRect().top - y);
    const gap = gaps.length ? gaps.reduce((best, each) => (middle(each) < middle(best) ? each : best)) : null;
    const isAbove = gap !== null && gap === gaps[0] && y < gap.element.getBoundingClientRect().top - BEYOND;
    const wrong =
      refusal(active.key ? active : undefined) || (isAbove ? ABOVE : "") || (gap ? "" : "There is no history.");
    this.target = wrong ? null : gap;
    this.say(wrong || this.landing(view, active, gap!), Boolean(wrong));
    const at = gap?.element ?? this.messages.list;
    at.scrollIntoView({ block: "nearest" });
    const frame = this.messages.element.getBoundingClientRect();
    this.mark.style.top = `${(wrong ? y : at.getBoundingClientRect().top) - frame.top}px`;
    this.mark.hidden = false;
  }

  private landing(view: MapView, definition: Definition, gap: Gap): string {
    const words = gapWords(view, gap);
    if (!dropped(definition, gap.depth)) return `${definition.name}: where it is, depth ${gap.depth}`;
    const many = definition.landings.length;
    return `${definition.name}: ${words}${many > 1 ? `, instead of ${many} places` : ""}`;
  }

  private say(words: string, wrong: boolean): void {
    this.mark.classList.toggle("wrong", wrong);
    this.words.textContent = harmless(words);
  }

  private end(): void {
    clearTimeout(this.timer);
    if (this.lift) this.messages.row(this.lift.row)?.classList.remove("lifted");
    this.messages.element.classList.remove("dragging");
    this.mark.hidden = true;
    this.lift = this.active = this.target = null;
  }
}

const ABOVE =
  "Above the history a preset stands among the others or at an anchor, lore at a position: choose it at the left.";

/** What is dragged where no definition is known. */
const NOBODY = { key: "", name: "", landings: [], place: null, fixed: "" } as unknown as Definition;
