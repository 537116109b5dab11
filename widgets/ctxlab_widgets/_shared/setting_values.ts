// Values of settings as texts of a field, parsed and formatted.

import type { Setting } from "./trace_view";

/** A setting's value as the text of its field. */
export function fieldText({ type }: Setting, value: unknown): string {
  if (value === null || value === undefined) return "";
  if (type === "json") return JSON.stringify(value);
  if (type === "texts" && isTexts(value)) return value.join("\n");
  return String(value);
}

/** What a typed text means; what can't be read goes to Python as it is, which says what it wants instead. */
export function parsedInput({ type, optional }: Setting, text: string): { value: unknown } | { problem: string } {
  if (optional && !text.trim()) return { value: null };
  if (type === "json") {
    try {
      return { value: JSON.parse(text) };
    } catch {
      return { problem: 'is not JSON: lists are ["a", "b"], mappings {"a": 1}.' };
    }
  }
  if (type === "texts") return { value: text.split("\n").filter((line) => line.trim()) };
  if (type !== "integer" && type !== "number") return { value: text };
  const plain = text.trim().replace(/(?<=\d)[,_\u2009\u202f\u00a0 ](?=\d)/g, "");
  return { value: plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text };
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Whether a value has lines of its own, so that Enter begins one. */
export const hasLines = ({ type }: Setting): boolean => type === "lines" || type === "texts";

export interface SliderRange {
  low: number;
  high: number;
  step: number;
  /** How far an arrow key leads, and Page up or down. */
  arrow: number;
  page: number;
}

/** The ends of a slider, where both are known; a budget's upper end is what everything would need. */
export function sliderEnds(name: string, setting: Setting, everything: number | null): SliderRange | null {
  const { type, minimum, value } = setting;
  if (type !== "integer" && type !== "number") return null;
  const now = typeof value === "number" ? value : 0;
  const needed = name === "budget_tokens" && everything ? Math.ceil(Math.max(everything, now) / 100) * 100 : null;
  const high = setting.maximum ?? needed;
  if (minimum === null || high === null || high <= minimum) return null;
  const span = high - minimum;
  if (type === "number") return { low: minimum, high, step: span / 100, arrow: span / 100, page: span / 10 };
  const large = span > 512;
  return { low: minimum, high, step: 1, arrow: large ? 16 : 1, page: large ? 256 : Math.max(1, Math.round(span / 10)) };
}

/** Where a key leads from a slider's value; null for keys that are none of its own. */
export function stepped(key: string, at: number, { low, high, arrow, page }: SliderRange): number | null {
  const by: Record<string, number> = {
    ArrowRight: arrow,
    ArrowUp: arrow,
    ArrowLeft: -arrow,
    ArrowDown: -arrow,
    PageUp: page,
    PageDown: -page,
    Home: -Infinity,
    End: Infinity,
  };
  if (by[key] === undefined) return null;
  const to = Math.min(Math.max(at + by[key], low), high);
  return Math.round(to * 1e6) / 1e6;
}

export const alike = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** A value in words. */
export function valueText(value: unknown): string {
  if (value === null || value === "") return "none";
  if (value === true || value === false) return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-US");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.replaceAll("\n", "\u23ce");
}

/** "from this call", "from the agent"; nothing is said of what nobody set. */
export const layerWords = (layer: string): string =>
  layer === "default" ? "" : layer === "call" ? "from this call" : `from the ${layer}`;
