// How far a list is scrolled, and how far it is to be.

/** Pixels from the end within which a list counts as scrolled to it. */
export const NEAR_THE_END = 24;

export const isAtEnd = (at: { scrollTop: number; scrollHeight: number; clientHeight: number }): boolean =>
  at.scrollHeight - at.clientHeight - at.scrollTop < NEAR_THE_END;

/** Scrolls to the end, which may move once what is there has been measured by `update`. */
export function scrollToEnd(scroller: HTMLElement, update: () => void): void {
  for (let round = 0; round < 3; round++) {
    scroller.scrollTop = scroller.scrollHeight;
    update();
    if (isAtEnd(scroller)) break;
  }
}

/** Pixels to scroll by until an element is in the middle of what is seen; 0 where it is in sight. */
export function wayInto(element: HTMLElement, scroller: HTMLElement): number {
  const [inner, outer] = [element.getBoundingClientRect(), scroller.getBoundingClientRect()];
  if (inner.top >= outer.top && inner.bottom <= outer.bottom) return 0;
  return inner.top - outer.top - outer.height / 2;
}
