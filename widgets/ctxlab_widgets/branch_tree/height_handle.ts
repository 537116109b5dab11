// The lower edge of the drawing: pulled, or moved with the keys, it makes the tree higher or lower.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";

/** Unless somebody chose otherwise: as high as the tree with some room around it, but no more than this. */
const [LEAST, MOST] = [120, 420];
const ROOM = 56;
/** What can be chosen. */
const [LOWEST, HIGHEST] = [96, 1600];
const STEPS: Record<string, number> = { ArrowUp: -16, ArrowDown: 16, PageUp: -128, PageDown: 128 };

export const heightOf = (content: number): number => Math.min(Math.max(content + ROOM, LEAST), MOST);

export class HeightHandle {
  readonly element = h("div", {
    class: "edge",
    role: "separator",
    tabindex: 0,
    "aria-orientation": "horizontal",
    "aria-label": "Height of the tree",
    "aria-valuemin": LOWEST,
    "aria-valuemax": HIGHEST,
    title: "Drag for another height; a double click follows the tree",
  });
  private held: { y: number; height: number } | null = null;
  private height = LEAST;

  constructor(
    private readonly drawing: HTMLElement,
    private readonly choose: (height: number) => void,
    signal: AbortSignal,
  ) {
    const { element } = this;
    const on = <K extends keyof HTMLElementEventMap>(name: K, hear: (event: HTMLElementEventMap[K]) => void) =>
      element.addEventListener(name, hear as EventListener, { signal });
    on("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      this.held = { y: event.clientY, height: drawing.clientHeight };
    });
    on("pointermove", (event) => this.held && this.set(this.held.height + event.clientY - this.held.y));
    on("pointerup", () => this.release());
    on("pointercancel", () => this.release());
    on("dblclick", () => choose(0));
    on("keydown", (event) => this.pressed(event));
  }

  /** `chosen` is 0 where the height follows the tree. */
  draw(content: number, chosen: number): void {
    if (!this.held) this.set(chosen || heightOf(content));
  }

  private set(height: number): void {
    this.height = Math.round(Math.min(Math.max(height, LOWEST), HIGHEST));
    this.drawing.style.height = `${this.height}px`;
    this.element.setAttribute("aria-valuenow", String(this.height));
  }

  private release(): void {
    if (this.held && this.held.height !== this.height) this.choose(this.height);
    this.held = null;
  }

  private pressed(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Home") this.choose(0);
    else if (STEPS[event.key]) this.choose(this.height + STEPS[event.key]);
    else return;
    taken(event);
  }
}
