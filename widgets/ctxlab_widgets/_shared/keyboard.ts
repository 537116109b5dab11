// One tab stop a group: the arrows move inside it.

/** Where a key leads in a row of `count`; null when it is no key of movement or there is nowhere to go. */
export function moved(key: string, at: number, count: number, vertical = false): number | null {
  const [less, more] = vertical ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"];
  const to = key === less ? at - 1 : key === more ? at + 1 : key === "Home" ? 0 : key === "End" ? count - 1 : -1;
  return to >= 0 && to < count && to !== at ? to : null;
}

/** The key, or the press, is ours: neither the page nor the notebook around it acts on it. */
export function taken(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** Whether a single key may mean something here: no modifier is held, and nobody types into a field. */
export const isSingle = (event: KeyboardEvent): boolean =>
  !(event.ctrlKey || event.metaKey || event.altKey) &&
  !(event.target as HTMLElement).matches("input, select, textarea");

/** The arrow keys walk through the elements that `find` gives; the one in focus is the group's tab stop. */
export function roving(
  group: HTMLElement,
  find: () => HTMLElement[],
  options: { signal: AbortSignal; vertical?: boolean; onmove?: (to: number) => void },
): void {
  const { signal, vertical = false, onmove } = options;
  group.addEventListener(
    "keydown",
    (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      const all = find();
      const at = all.indexOf(event.target as HTMLElement);
      const to = at < 0 ? null : moved(event.key, at, all.length, vertical);
      if (to === null) return;
      taken(event);
      onlyStop(all, to);
      all[to].focus();
      onmove?.(to);
    },
    { signal },
  );
}

/** Makes one element of a group the one that Tab reaches. */
export function onlyStop(all: HTMLElement[], at: number): void {
  for (const [i, each] of all.entries()) each.tabIndex = i === at ? 0 : -1;
}
