// The rows of the list: lines that no fold hides, each followed by its problems and by the mark below it.

import { cutsInside } from "../_shared/one_difference";
import type { Line, Part, Payload } from "./payload";

export type Row =
  | { kind: "line"; id: string; line: number }
  | { kind: "problem"; id: string; line: number; problem: number }
  | { kind: "mark"; id: string; line: number; mark: number };

/** A fold of more lines is closed at first where it holds no words of a message, such as the tools. */
const MANY_LINES = 6;

/** Numbers of the lines that are closed at first: definitions of tools and other long values without messages. */
export function closedAtFirst({ lines, parts, problems, marks }: Payload): Set<number> {
  const told = [...problems.map((each) => each.line), ...marks.map((each) => each.line)].sort((a, b) => a - b);
  const closed = new Set<number>();
  for (const [number, line] of lines.entries()) {
    const [depth, , inside, , , , fold] = line;
    const isMessages = fold?.[1].some((part) => parts[part].source !== "tools");
    if (depth === 0 || inside < MANY_LINES || isMessages) continue;
    if (!told.some((at) => at > number && at <= number + inside)) closed.add(number);
  }
  return closed;
}

/** The rows with these folds closed. What is said of a hidden line stands below the fold that hides it. */
export function rowsOf(payload: Payload, closed: ReadonlySet<number>): Row[] {
  const { lines } = payload;
  const problems = byLine(payload.problems);
  const marks = byLine(payload.marks);
  const out: Row[] = [];
  for (let line = 0; line < lines.length; line++) {
    const end = closed.has(line) ? line + lines[line][2] : line;
    out.push({ kind: "line", id: `l${line}`, line });
    for (let at = line; at <= end; at++) {
      for (const problem of problems.get(at) ?? []) out.push({ kind: "problem", id: `p${problem}`, line, problem });
      for (const mark of marks.get(at) ?? []) out.push({ kind: "mark", id: `m${mark}`, line, mark });
    }
    line = end;
  }
  return out;
}

function byLine(all: { line: number }[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const [number, { line }] of all.entries()) {
    const there = found.get(line);
    if (there) there.push(number);
    else found.set(line, [number]);
  }
  return found;
}

/** The folds that hide a line, from the outside in. */
export function foldsAround(lines: Line[], line: number): number[] {
  const found: number[] = [];
  let depth = lines[line]?.[0] ?? 0;
  for (let at = line - 1; at >= 0 && depth > 0; at--)
    if (lines[at][0] < depth && lines[at][2] > 0) {
      depth = lines[at][0];
      found.unshift(at);
    }
  return found;
}

/** The last line before the last mark that counts; -1 where nothing is cached. */
export const cachedUpTo = ({ marks }: Payload): number =>
  marks.reduce((last, mark) => (mark.effective ? Math.max(last, mark.line) : last), -1);

/** The first line that shows a message or one of its parts; -1 where none does. */
export function lineOfKey({ lines, parts }: Payload, key: string): number {
  const numbers = new Set(parts.flatMap((part, number) => (part.key === key ? [number] : [])));
  return numbers.size ? lines.findIndex((line) => partsOf(line).some((part) => numbers.has(part))) : -1;
}

/** Numbers of the parts whose words stand on a line. */
export function partsOf([, bits, , part]: Line): number[] {
  const found = new Set<number>();
  for (const bit of bits) if (bit[0] === "string") for (const [, number] of bit[1]) if (number >= 0) found.add(number);
  if (!found.size && part >= 0) found.add(part);
  return [...found];
}

/** Shares of the sources on a line, by characters, in their order; they are what the bar beside it shows. */
export function sharesOf(line: Line, parts: Part[]): [source: string, share: number][] {
  const sizes: [source: string, size: number][] = [];
  for (const bit of line[1]) {
    if (bit[0] !== "string") continue;
    for (const [text, number] of bit[1]) {
      if (number < 0) continue;
      const { source } = parts[number];
      const last = sizes[sizes.length - 1];
      if (last?.[0] === source) last[1] += text.length;
      else sizes.push([source, text.length]);
    }
  }
  if (!sizes.length) return line[3] >= 0 ? [[parts[line[3]].source, 1]] : [];
  const all = sizes.reduce((n, [, size]) => n + size, 0) || 1;
  return sizes.map(([source, size]) => [source, size / all]);
}

/** The first characters of a text as JSON writes it: no character and no escape is cut in two. */
export function headOf(text: string, most: number): string {
  let end = Math.min(most, text.length);
  while (end > 0 && cutsInside(text, end)) end--;
  // An escape is as short as \n and as long as \u001b; it begins at a backslash that none before it escapes.
  for (let from = Math.max(0, end - 5); from < end; from++) {
    if (text[from] !== "\\" || slashesBefore(text, from) % 2) continue;
    const length = text[from + 1] === "u" ? 6 : 2;
    if (from + length > end && end < text.length) return text.slice(0, from);
  }
  return text.slice(0, end);
}

function slashesBefore(text: string, at: number): number {
  let from = at;
  while (from > 0 && text[from - 1] === "\\") from--;
  return at - from;
}
