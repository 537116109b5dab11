// How the tree is read: as boxes or as an outline, in which layout, and the controls for both.

import { h } from "../_shared/dom";
import { grouped } from "../_shared/numbers";
import { type Radios, radios } from "../_shared/radios";
import type { TreeFacts } from "./host";
import { Outline, type OutlineState } from "./outline";
import type { Layout } from "./tree_data";
import type { Mode, Views } from "./views";

export interface ReadingActions {
  readonly signal: AbortSignal;
  readonly live: boolean;
  look(how: { mode?: Mode; layout?: Layout }): void;
  /** A message of the outline was clicked, or clicked twice. */
  clicked(message: number, event: MouseEvent): void;
  switchTo(message: number): void;
}

const LAYOUTS: Record<Layout, string> = { tidy: "Left to right", "top-down": "Top down", force: "Springs" };

export class Reading {
  readonly outline: Outline;
  readonly controls: HTMLElement[];
  private readonly modes: Radios;
  private readonly layouts: HTMLSelectElement;
  private readonly options = new Map<Layout, HTMLOptionElement>();

  constructor(private readonly can: ReadingActions) {
    const { signal } = can;
    this.outline = new Outline({
      signal,
      chosen: (message, event) => can.clicked(message, event),
      entered: (message) => can.switchTo(message),
    });
    this.modes = radios(
      "Read as",
      { tree: "Tree", outline: "Outline" },
      (mode) => can.look({ mode: mode as Mode }),
      signal,
    );
    for (const [layout, words] of Object.entries(LAYOUTS))
      this.options.set(layout as Layout, h("option", { value: layout }, words));
    this.layouts = h("select", { class: "field layouts", "aria-label": "Layout" }, [...this.options.values()]);
    this.layouts.addEventListener("change", () => can.look({ layout: this.layouts.value as Layout }), { signal });
    this.controls = [this.modes.element, this.layouts];
  }

  draw(views: Views, layout: Layout, facts: TreeFacts, outline: OutlineState): void {
    const isOutline = views.mode === "outline";
    this.modes.set(views.mode);
    this.layouts.hidden = isOutline;
    if (this.layouts.value !== layout) this.layouts.value = layout;
    const force = this.options.get("force")!;
    const reason = this.whyNoSprings(layout, facts);
    force.disabled = reason !== "";
    force.title = reason;
    this.layouts.title = reason;
    this.outline.element.hidden = !isOutline || !outline.tree.n;
    if (isOutline) this.outline.draw(outline);
  }

  private whyNoSprings(layout: Layout, { force_most }: TreeFacts): string {
    if (force_most) return `Springs are for up to ${grouped(force_most)} boxes`;
    return this.can.live || layout === "force" ? "" : "Springs need a running kernel";
  }
}
