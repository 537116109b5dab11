import { areForced } from "./fills";

const AFTER_THEME = 200;

/** Calls `redraw` when an element gets another size, and when its root gets other colours. */
export function redrawOnChange(element: Element, root: Element, signal: AbortSignal, redraw: () => void): void {
  const size = new ResizeObserver(redraw);
  size.observe(element);
  const theme = new MutationObserver(() => {
    redraw();
    // A shell that changes its theme hides everything for a moment.
    setTimeout(() => !signal.aborted && redraw(), AFTER_THEME);
  });
  theme.observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => {
    size.disconnect();
    theme.disconnect();
  });
  areForced().addEventListener("change", redraw, { signal });
}
