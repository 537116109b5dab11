// A label in a box: as many of its words as fit into so many lines, cut between characters as people count them.

export type Measure = (text: string) => number;

/** Lines of a text, none wider than the room, the last one no wider than `end`; an ellipsis where it goes on. */
export function fittingLines(text: string, room: number, end: number, most: number, measure: Measure): string[] {
  const ends = boundaries(text);
  const goesOn = text.endsWith("…");
  const lines: string[] = [];
  for (let from = 0; from < text.length && lines.length < most; ) {
    const isLast = lines.length === most - 1;
    const width = isLast ? end : room;
    const rest = text.slice(from);
    if (measure(rest) <= width) {
      lines.push(rest);
      break;
    }
    const to = isLast
      ? fitting(ends, from, (at) => measure(`${text.slice(from, at).trimEnd()}…`) <= width)
      : fitting(ends, from, (at) => measure(text.slice(from, at).trimEnd()) <= width);
    if (isLast) {
      lines.push(
        `${text
          .slice(from, to)
          .trimEnd()
          .replace(goesOn ? /…$/u : /$^/u, "")}…`,
      );
      break;
    }
    const at = between(text, from, to);
    if (at <= from) return [...lines, "…"];
    lines.push(text.slice(from, at).trimEnd());
    from = at;
    while (text[from] === " ") from++;
  }
  return lines;
}

/** Where characters end, as people count them. */
function boundaries(text: string): number[] {
  const found: number[] = [];
  for (const { index } of SEGMENTS.segment(text)) if (index) found.push(index);
  found.push(text.length);
  return found;
}

const SEGMENTS = new Intl.Segmenter();

/** The last of the ends behind `from` up to which it fits; `from` where none does. */
function fitting(ends: number[], from: number, fits: (at: number) => boolean): number {
  let low = -1;
  let high = ends.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (ends[middle] <= from || fits(ends[middle])) low = middle;
    else high = middle;
  }
  return low < 0 ? from : Math.max(ends[low], from);
}

/** Behind the last space that is not too far back, else in the middle of a word: Chinese has no spaces. */
function between(text: string, from: number, to: number): number {
  if (to >= text.length || text[to] === " ") return to;
  const space = text.lastIndexOf(" ", to);
  return space > from + (to - from) / 2 ? space : to;
}
