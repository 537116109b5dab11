// One line at the first turn of the wheel that only scrolls the page: how one zooms instead.

import { h } from "../_shared/dom";

/** So far the mouse moves before the line goes. */
const FAR = 8;

export class WheelHint {
  readonly element = h("p", { class: "wheelhint", role: "status", hidden: true });
  private shownAt: { x: number; y: number } | null = null;
  private isKnown = false;

  constructor(canvas: HTMLElement, signal: AbortSignal) {
    const moved = (event: PointerEvent) => {
      const from = this.shownAt;
      if (from && Math.hypot(event.clientX - from.x, event.clientY - from.y) > FAR) this.hide();
    };
    canvas.addEventListener("pointermove", moved, { signal });
    for (const name of ["pointerdown", "pointerleave"]) canvas.addEventListener(name, () => this.hide(), { signal });
  }

  scrolled(event: WheelEvent): void {
    if (this.isKnown) return;
    this.isKnown = true;
    this.shownAt = { x: event.clientX, y: event.clientY };
    this.element.replaceChildren(`${isMac() ? "Cmd" : "Ctrl"}+wheel zooms`);
    this.element.hidden = false;
  }

  hide(): void {
    this.element.hidden = true;
    this.shownAt = null;
  }
}

const isMac = (): boolean => /mac|iphone|ipad/i.test(navigator.userAgent);
