// What the list can be filtered by: choices with their numbers, of which one holds in each group.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";

const TITLES: Record<string, string> = {
  place: "Folders",
  agent: "Agent",
  category: "Category",
  tag: "Tags",
  part: "Found in",
  time: "Changed",
  problem: "Problems",
};
const PLACES: Record<string, string> = { "": "All", favourites: "Favourites", trash: "Trash" };
const FEW = 6;

export class Facets {
  readonly element = h("div", { class: "fac", role: "group", "aria-label": "Filters" });
  private readonly open = new Set<string>();
  private facets: Record<string, [string, number][]> = {};
  private chosen: Record<string, string> = {};

  constructor(
    private readonly choose: (facet: string, choice: string) => void,
    private readonly signal: AbortSignal,
  ) {
    roving(this.element, () => this.buttons(), { signal, vertical: true });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  draw(facets: Record<string, [string, number][]>, chosen: Record<string, string>): void {
    if (this.signal.aborted) return;
    const at = this.buttons().indexOf(document.activeElement as HTMLButtonElement);
    Object.assign(this, { facets, chosen });
    this.element.replaceChildren(...Object.keys(TITLES).flatMap((name) => this.group(name)));
    const all = this.buttons();
    onlyStop(all, Math.max(0, Math.min(at, all.length - 1)));
    if (at >= 0) all[Math.min(at, all.length - 1)]?.focus();
  }

  private buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  private group(name: string): HTMLElement[] {
    const choices = this.facets[name] ?? [];
    if (!choices.length) return [];
    const shown = this.open.has(name) || name === "place" ? choices : choices.slice(0, FEW);
    const held = this.chosen[name] ?? "";
    const out = shown.map(([choice, count]) => this.choice(name, choice, count, held));
    const hidden = choices.find(([choice]) => choice === held && !shown.some(([each]) => each === choice));
    if (hidden) out.push(this.choice(name, hidden[0], hidden[1], held));
    if (shown.length < choices.length)
      out.push(h("button", { type: "button", "data-more": name }, `${grouped(choices.length - shown.length)} more`));
    return [h("h3", {}, TITLES[name]), ...out];
  }

  private choice(facet: string, choice: string, count: number, held: string): HTMLElement {
    const words = facet === "place" ? (PLACES[choice] ?? choice.replace(/^folder:/, "")) : choice;
    return h(
      "button",
      {
        type: "button",
        "data-facet": facet,
        "data-choice": choice,
        "aria-pressed": String(choice === held),
        title: harmless(words),
      },
      facet === "problem" && glyph("warning"),
      h("span", { class: "nm" }, harmless(words)),
      h("span", { class: "n" }, grouped(count)),
    );
  }

  private clicked(event: MouseEvent): void {
    const button = (event.target as HTMLElement).closest("button");
    const { more, facet, choice } = button?.dataset ?? {};
    if (more) {
      this.open.add(more);
      this.draw(this.facets, this.chosen);
    } else if (facet !== undefined && choice !== undefined)
      this.choose(facet, this.chosen[facet] === choice ? "" : choice);
  }
}
