// The scale from 0 to 1 with its one threshold: a handle in the head, a line through every row.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { deciding, inside, type MarkName, movedMinimum, type PieceRow, scaleInWords } from "./data";

export interface ThresholdHost {
  signal: AbortSignal;
  /** Says what another minimum would do. */
  consider(minimum: number | null): void;
  commit(minimum: number): void;
}

const percent = (value: number): string => `${value * 100}%`;

/** A row's marks: where each engine has it, and the line that decides. */
export function rowScale(row: PieceRow, used: string, shared: number): HTMLElement[] {
  const values = Object.values(row.marks);
  const from = Math.min(...values);
  const line = h("i", { class: "ln" });
  line.style.left = percent(from);
  line.style.width = percent(Math.max(...values, row.fresh ?? 0) - from);
  const marks = (Object.entries(row.marks) as [MarkName, number][]).map(([name, value]) => {
    const mark = markOf(name, name === deciding(used));
    mark.style.left = percent(value);
    return mark;
  });
  const threshold = h("i", { class: "thr", "aria-hidden": "true" });
  if (row.minimum !== shared) threshold.style.setProperty("--thr", String(row.minimum));
  const drawn = h("span", { class: "drawn", "aria-hidden": "true" }, values.length ? line : null, marks);
  return [threshold, h("div", { class: "scale" }, h("span", { class: "vh" }, scaleInWords(row, used)), drawn)];
}

/** Diamond, ring or box; the one that a minimum is compared with is full. */
export const markOf = (name: string, decides: boolean): HTMLElement =>
  h("i", { class: `mk m-${name}${decides ? " decides" : ""}` });

export class Threshold {
  readonly element: HTMLElement;
  private readonly handle = h("button", {
    type: "button",
    class: "hand",
    role: "slider",
    "aria-label": "Minimum",
    "aria-valuemin": 0,
    "aria-valuemax": 1,
  });
  private readonly words = h("span", { class: "thrname" });
  private readonly track: HTMLElement;
  private value = 0;
  private measure = "";
  /** What the run has. */
  private own = 0;

  /** `table` has the lines of all rows, which move along. */
  constructor(
    private readonly table: HTMLElement,
    private readonly host: ThresholdHost,
  ) {
    const { signal } = host;
    this.track = h(
      "div",
      { class: "scale track" },
      h("span", { class: "end0" }, "0"),
      this.words,
      this.handle,
      h("span", { class: "end1" }, "1"),
    );
    this.element = this.track;
    this.handle.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.handle.addEventListener("pointerdown", (event) => this.dragged(event), { signal });
  }

  /** Shows where it is; a value that is only considered leaves the run's own as it is. */
  draw(own: number, considered: number | undefined, measure: string, live: boolean): void {
    this.own = own;
    this.measure = measure;
    this.handle.disabled = !live;
    this.move(considered ?? own);
  }

  private move(value: number): void {
    this.value = value;
    this.table.style.setProperty("--thr", String(value));
    const text = value.toFixed(2);
    this.words.textContent = `minimum ${text}`;
    this.words.classList.toggle("left", value < 0.25);
    this.words.classList.toggle("right", value > 0.75);
    this.handle.setAttribute("aria-valuenow", text);
    this.handle.setAttribute("aria-valuetext", `${text}, ${this.measure}`);
    this.handle.title = `Least ${this.measure} of a piece that is sent`;
  }

  private consider(value: number): void {
    this.move(value);
    this.host.consider(value === inside(this.own) ? null : value);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || this.handle.disabled) return;
    const to = movedMinimum(event.key, this.value);
    if (to !== null) {
      taken(event);
      this.consider(to);
    } else if (event.key === "Enter") {
      taken(event);
      if (this.value !== this.own) this.host.commit(this.value);
    } else if (event.key === "Escape" && this.value !== this.own) {
      taken(event);
      this.move(this.own);
      this.host.consider(null);
    }
  }

  private dragged(down: PointerEvent): void {
    if (down.button || this.handle.disabled) return;
    taken(down);
    this.handle.focus();
    this.handle.setPointerCapture(down.pointerId);
    const end = new AbortController();
    const options = { signal: AbortSignal.any([end.signal, this.host.signal]) };
    const follow = (event: PointerEvent) => {
      const { left, width } = this.track.getBoundingClientRect();
      const to = inside((event.clientX - left) / Math.max(width, 1));
      if (to !== this.value) this.consider(to);
    };
    this.handle.addEventListener("pointermove", follow, options);
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      this.handle.addEventListener(name, () => end.abort(), options);
  }
}
