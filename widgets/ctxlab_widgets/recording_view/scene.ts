// What is drawn of a stretch of requests: columns that hold one request or several, their heights, and the scale of all.

import type { Column, Marks, Series, StackName } from "./payload";

/** Requests that are drawn: the first and the last, by their places in the series. */
export interface Sight {
  first: number;
  last: number;
}

/** A column of the drawing: the requests in it, and the one that stands for them, the largest. */
export interface Bin {
  first: number;
  last: number;
  shown: number;
}

/** The least sight, and how many requests are shown at first. */
export const LEAST = 4;
const USUAL = 100;
const ALL = 160;

/** Tokens of a request that its vendor counted beyond those counted here. */
export const uncounted = (series: Series, at: number): number => Math.max(0, series.reported[at] - series.counted[at]);

export const height = (series: Series, at: number): number => Math.max(series.counted[at], series.reported[at]);

/** Whether any vendor reported what it read from its cache. */
export const isReported = (series: Series): boolean => series.cached.some((n) => n >= 0);

/** All of a request in the count of its prefix: the vendor's where that is reported, else the one of here. */
export const wholeOf = (series: Series, at: number): number =>
  isReported(series) && series.reported[at] >= 0 ? series.reported[at] : series.counted[at];

/** The prefix that was read from the cache, as reported, else the one that is common, as counted here; -1: unknown. */
export const prefixOf = (series: Series, marks: Marks, at: number): number =>
  isReported(series) ? series.cached[at] : (marks.common[at] ?? -1);

export function columnsOf(series: Series, stack: StackName): Column[] {
  const columns = series.stacks[stack];
  const missing = series.ids.map((_, at) => uncounted(series, at));
  if (!missing.some((n) => n > 0)) return columns;
  const rest = { name: "\0missing", title: "reported, not counted here", sign: "reserve", values: missing };
  // What was cached comes first in a prompt; what is in common as counted here stands at the foot by itself.
  return series.cached.some((n) => n >= 0) ? [rest, ...columns] : [...columns, rest];
}

/** At most one column for two pixels; of several requests in one the largest is drawn, never a mean. */
export function binsOf(series: Series, { first, last }: Sight, width: number): Bin[] {
  const count = last - first + 1;
  const bins = Math.max(1, Math.min(count, Math.floor(width / 2)));
  return Array.from({ length: bins }, (_, n) => {
    const from = first + Math.floor((n * count) / bins);
    const to = Math.max(from, first + Math.floor(((n + 1) * count) / bins) - 1);
    let shown = from;
    for (let at = from; at <= to; at++) if (height(series, at) > height(series, shown)) shown = at;
    return { first: from, last: to, shown };
  });
}

/** The least of a column's prefixes, so that no break is lost in it. */
export function leastPrefix(series: Series, marks: Marks, { first, last }: Bin): number {
  let least = -1;
  for (let at = first; at <= last; at++) {
    const n = prefixOf(series, marks, at);
    if (n >= 0 && (least < 0 || n < least)) least = n;
  }
  return least;
}

/** The top of the scale and the steps of its lines, for the requests in sight; the window's line where it is near. */
export function scaleOf(series: Series, { first, last }: Sight): { top: number; step: number; window: number | null } {
  let most = 1;
  for (let at = first; at <= last; at++) most = Math.max(most, height(series, at));
  const near = series.windows.filter(([a, b, tokens]) => a <= last && b >= first && tokens <= most * 1.6);
  const window = near.length ? Math.max(...near.map(([, , tokens]) => tokens)) : null;
  const top = Math.max(most, window ?? 0) * 1.06;
  const rough = top / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? rough);
  return { top, step, window };
}

/** The sight of a recording when nobody has chosen one: all of it, or a hundred requests around the chosen one. */
export function usualSight(count: number, chosen: number): Sight {
  if (count <= ALL) return { first: 0, last: count - 1 };
  return clamp({ first: chosen - Math.floor(USUAL * 0.6), last: chosen + Math.floor(USUAL * 0.4) - 1 }, count);
}

/** A sight moved and cut so that it lies inside. */
export function clamp({ first, last }: Sight, count: number): Sight {
  const width = Math.min(count, Math.max(Math.min(LEAST, count), last - first + 1));
  const from = Math.min(Math.max(0, first), count - width);
  return { first: from, last: from + width - 1 };
}

/** Closer or wider around a place, which stays where it is. */
export function zoomed({ first, last }: Sight, around: number, by: number, count: number): Sight {
  const width = last - first + 1;
  const rounded = by < 1 ? Math.floor(width * by) : Math.ceil(width * by);
  const wanted = Math.min(count, Math.max(Math.min(LEAST, count), rounded));
  const share = (around - first) / width;
  const from = Math.round(around - share * wanted);
  return clamp({ first: from, last: from + wanted - 1 }, count);
}

/** Moved as little as brings a place into sight. */
export function withPlace(sight: Sight, at: number, count: number): Sight {
  const { first, last } = sight;
  if (at >= first && at <= last) return sight;
  const by = at < first ? at - first : at - last;
  return clamp({ first: first + by, last: last + by }, count);
}

export const short = (tokens: number): string =>
  tokens >= 1_000_000
    ? `${+(tokens / 1_000_000).toFixed(2)}M`
    : tokens >= 1000
      ? `${+(tokens / 1000).toFixed(1)}k`
      : String(tokens);
