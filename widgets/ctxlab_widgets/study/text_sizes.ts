// Sizes of texts in a drawing, measured as the page draws them: fonts differ from machine to machine.

import { cutName } from "./labels";
import { svg } from "./svg";

export interface TextSize {
  width: number;
  height: number;
  /** From the top of the box to the base line. */
  ascent: number;
}

/** A text and the class that it has in the drawing. */
export type Drawn = readonly [text: string, look: string];

/** Measures texts inside `place`, each once until `forget`. */
export class TextSizes {
  private readonly known = new Map<string, TextSize>();

  constructor(private readonly place: HTMLElement) {}

  /** Sizes are measured anew: the fonts may be others. */
  forget(): void {
    this.known.clear();
  }

  /** Those that aren't known are laid out once for all. */
  of(texts: readonly Drawn[]): TextSize[] {
    const unknown = texts.filter((each) => !this.known.has(each.join("\n")));
    if (unknown.length) this.measure(unknown);
    return texts.map((each) => this.known.get(each.join("\n"))!);
  }

  widest(texts: readonly string[]): number {
    return Math.max(0, ...this.of(texts.map((text) => [text, ""])).map(({ width }) => width));
  }

  /** A text cut to the room that there is for it. */
  fitting(text: string, room: number): string {
    if (this.widest([text]) <= room) return text;
    const cuts = [...text].map((_, i) => cutName(text, i + 1)).reverse();
    const sizes = this.of(cuts.map((cut) => [cut, ""]));
    return cuts[sizes.findIndex(({ width }) => width <= room)] ?? "";
  }

  private measure(texts: readonly Drawn[]): void {
    const drawn = texts.map(([text, look]) => svg("text", { class: look }, text) as SVGTextElement);
    const probe = svg("svg", { class: "probe", width: 1, height: 1, "aria-hidden": "true" }, ...drawn);
    this.place.append(probe);
    drawn.forEach((each, i) => {
      const { width, height, y } = each.getBBox();
      this.known.set(texts[i].join("\n"), { width, height, ascent: -y });
    });
    probe.remove();
  }
}
