// Mounting and unmounting of every widget: a named region with its styles and theme, redrawn when Python says so, gone without a trace.

import base from "./base.css";
import { h } from "./dom";
import { taken } from "./keyboard";
import { Silence } from "./silence";
import sources from "./sources.css";
import { followTheme } from "./theme";
import tokens from "./tokens.css";

/** Folder of the widget, set when it is bundled: its own stylesheet speaks of roots that name it. */
declare const VIEW: string;
/** Stands in sheets of a view for its root: `build.mjs` writes it. */
const OWN_ROOT = "\u00a7";

/** What anywidget gives, of which we use this much. */
export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  /** Buffers go beside the content, as they are. */
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  /** `change:name` when a value is another one, `msg:custom` with what Python sends. */
  on(event: string, listener: (...args: never[]) => void): void;
  off(event: string, listener: (...args: never[]) => void): void;
}

export interface Mounted {
  model: Model;
  root: HTMLElement;
  /** Ends with the widget: give it to every listener. */
  signal: AbortSignal;
  /** Says that Python doesn't answer; a view may put its line where it is read. */
  silence: Silence;
}

/** A widget's default export. `begin` builds what is inside the root. */
export function widget(label: string, css: string, begin: (at: Mounted) => void) {
  return {
    render({ model: given, el }: { model: Model; el: HTMLElement }): () => void {
      const ending = new AbortController();
      const silence = new Silence(given, ending.signal);
      const { model } = silence;
      const root = h("div", {
        class: "ctxlab",
        "data-view": VIEW,
        role: "region",
        "aria-label": label,
        "data-lm-suppress-shortcuts": true,
      });
      root.append(
        h("style", {}, tokens, sources, base, css.replaceAll(OWN_ROOT, `.ctxlab[data-view="${VIEW}"]`)),
        silence.element,
      );
      followTheme(root, ending.signal);
      el.append(root);
      begin({ model, root, signal: ending.signal, silence });
      root.addEventListener("keydown", (event) => undoOfPage(event, model), { signal: ending.signal });
      return () => {
        ending.abort();
        root.remove();
      };
    },
  };
}

/** In a page one undo serves all views: Ctrl+Z that a view doesn't take itself is the page's. */
function undoOfPage(event: KeyboardEvent, model: Model): void {
  const views = (model.get("views") as string[] | undefined) ?? [];
  if (!views.length || event.defaultPrevented || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  if (event.key.toLowerCase() !== "z" || (event.target as Element).matches("input, textarea, [contenteditable]"))
    return;
  taken(event);
  model.send({ command: event.shiftKey ? "page_redo" : "page_undo" });
}

/** Calls `listener` once with the names of all values that changed together. */
export function whenChanged(
  { model, signal }: Mounted,
  names: string[],
  listener: (changed: Set<string>) => void,
): void {
  let changed = new Set<string>();
  const note = (name: string) => () => {
    changed.add(name);
    if (changed.size > 1) return;
    queueMicrotask(() => {
      const all = changed;
      changed = new Set();
      if (!signal.aborted) listener(all);
    });
  };
  const listeners = names.map((name): [string, () => void] => [`change:${name}`, note(name)]);
  for (const [event, onChange] of listeners) model.on(event, onChange);
  signal.addEventListener("abort", () => {
    for (const [event, onChange] of listeners) model.off(event, onChange);
  });
}

/** A choice made in the page that Python and linked widgets should know. */
export function save(model: Model, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) model.set(name, value);
  model.save_changes();
}
