// The width of a text as the browser draws it.

/** Pixels of a text. */
export type TextWidth = (text: string) => number;

const MOST = 50_000;

/** Widths in the font of an element, each found once; letters stand apart as with `font-kerning: none`. */
export function textWidths(of: Element): TextWidth {
  const style = getComputedStyle(of);
  const pen = document.createElement("canvas").getContext("2d")!;
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  pen.fontKerning = "none";
  const known = new Map<string, number>();
  return (shown) => {
    let width = known.get(shown);
    if (width === undefined) {
      width = pen.measureText(shown).width;
      if (known.size > MOST) known.clear();
      known.set(shown, width);
    }
    return width;
  };
}
