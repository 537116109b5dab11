// Scales of the plot and of the cells: round numbers around what there is to see.

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
}

/** A scale around values with about so many ticks; `from` and `to` are ends that it doesn't leave, such as 0 and 100. */
export function scaleOf(
  values: readonly number[],
  { ticks = 5, zero = false, from, to }: { ticks?: number; zero?: boolean; from?: number; to?: number } = {},
): Scale {
  const known = values.filter(Number.isFinite);
  let low = Math.min(...known, ...(zero ? [0] : []));
  let high = Math.max(...known, ...(zero ? [0] : []));
  if (!known.length) [low, high] = [0, 1];
  if (high - low < Math.max(Math.abs(high), Math.abs(low)) * 1e-9 || high === low) {
    const around = Math.abs(high) * 0.1 || 1;
    [low, high] = [low === 0 && zero ? 0 : low - around, high + around];
  }
  const step = stepOf((high - low) / ticks);
  let first = Math.floor(low / step + 1e-9);
  let last = Math.ceil(high / step - 1e-9);
  if (from !== undefined) first = Math.max(first, Math.ceil(from / step - 1e-9));
  if (to !== undefined) last = Math.min(last, Math.floor(to / step + 1e-9));
  const found = Array.from({ length: Math.max(2, last - first + 1) }, (_, i) => round((first + i) * step));
  return { low: found[0], high: found[found.length - 1], ticks: found };
}

/** 1, 2 or 5 times a power of ten, at least as large as asked for. */
export function stepOf(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const found = [1, 2, 5, 10].find((digit) => digit * power >= least * (1 - 1e-9)) ?? 10;
  return found * power;
}

/** Ticks for a narrow place, at most `most` of them and none near another; 0 is always one of them. */
export function fewer(ticks: readonly number[], most: number): number[] {
  const every = Math.max(1, Math.ceil((ticks.length - 1) / Math.max(1, most - 1)));
  const start = Math.max(0, ticks.indexOf(0)) % every;
  return ticks.filter((_, i) => (i - start) % every === 0);
}

/** A tick as people read it: "1,500", "0.25". */
export const tickText = (value: number): string =>
  value.toLocaleString("en-US", { maximumFractionDigits: 6 }).replace("-", "−");

/** Where a value stands on a scale, from 0 to 1. */
export const share = ({ low, high }: Scale, value: number): number => (value - low) / (high - low);

const round = (value: number): number => Number(value.toPrecision(12));
