// The rows of the list: parts of messages, what was cut in its place, and folds of what says little.

import { many } from "../_shared/numbers";
import type { Ghost, Message, Part, Reading } from "./payload";

export type Row =
  | { kind: "part"; id: string; message: number; part: number }
  | { kind: "parts"; id: string; message: number; from: number; to: number }
  | { kind: "ghost"; id: string; ghost: Ghost }
  | { kind: "ghosts"; id: string; ghosts: Ghost[] }
  | { kind: "raw"; id: string; message: number }
  | { kind: "sum"; id: string };

export interface Shown {
  messages: Message[];
  ghosts: Ghost[];
  reading: Reading;
  cut: boolean;
  open: ReadonlySet<string>;
  /** Parts that no fold may hide. */
  bare(part: Part): boolean;
}

/** Parts that stay in sight at both ends of a merged message. */
const ENDS = 2;
/** So many alike in a row become one row. */
const FEW = 3;
/** Cut messages that stay in sight, those nearest to what is sent. */
const NEAREST = 3;
const TELLING = new Set(["history", "summary", "tools", "attachment"]);

export function rowsOf(shown: Shown): Row[] {
  const { messages, reading } = shown;
  const out: Row[] = [];
  if (reading === "text") return out;
  if (reading === "raw")
    for (const [message] of messages.entries()) out.push({ kind: "raw", id: `r:${message}`, message });
  else chat(shown, out);
  if (messages.length) out.push({ kind: "sum", id: "sum" });
  return out;
}

function chat(shown: Shown, out: Row[]): void {
  const ghosts = shown.cut ? shown.ghosts : [];
  let at = 0;
  const before = (message: number, part: number): Ghost[] => {
    const from = at;
    while (at < ghosts.length && before_(ghosts[at], message, part)) at++;
    return ghosts.slice(from, at);
  };
  for (const [message, { parts }] of shown.messages.entries()) {
    let run: number[] = [];
    const flush = () => {
      out.push(...partRows(shown, message, run));
      run = [];
    };
    for (const part of parts.keys()) {
      const gone = before(message, part);
      if (gone.length) {
        flush();
        out.push(...ghostRows(gone, shown.open));
      }
      run.push(part);
    }
    flush();
  }
  out.push(...ghostRows(ghosts.slice(at), shown.open));
}

const before_ = (ghost: Ghost, message: number, part: number): boolean =>
  ghost.message < message || (ghost.message === message && ghost.part <= part);

/** Parts of one message that nothing stands between; the middle ones fold where they say little. */
function partRows(shown: Shown, message: number, run: number[]): Row[] {
  const { parts } = shown.messages[message];
  const calm = (n: number) =>
    n >= ENDS && n < parts.length - ENDS && !TELLING.has(parts[n].source) && !shown.bare(parts[n]);
  const out: Row[] = [];
  for (let i = 0; i < run.length; ) {
    let end = i;
    while (end < run.length && calm(run[end])) end++;
    const id = `f:${parts[run[i]].key}`;
    if (end - i < FEW || shown.open.has(id)) {
      for (const part of run.slice(i, Math.max(end, i + 1)))
        out.push({ kind: "part", id: `p:${message}:${parts[part].key}`, message, part });
      i = Math.max(end, i + 1);
    } else {
      out.push({ kind: "parts", id, message, from: run[i], to: run[end - 1] + 1 });
      i = end;
    }
  }
  return out;
}

/** Neighbours that went by one rule fold; of what did not fit the nearest stay in sight. */
function ghostRows(ghosts: Ghost[], open: ReadonlySet<string>): Row[] {
  const out: Row[] = [];
  for (let i = 0; i < ghosts.length; ) {
    let end = i + 1;
    while (end < ghosts.length && ghosts[end].rule === ghosts[i].rule && ghosts[end].fitsNot === ghosts[i].fitsNot)
      end++;
    const far = ghosts.slice(i, ghosts[i].fitsNot ? Math.max(end - NEAREST, i) : end);
    const id = `g:${ghosts[i].key}`;
    const folds = far.length > 1 && !open.has(id);
    if (folds) out.push({ kind: "ghosts", id, ghosts: far });
    for (const ghost of ghosts.slice(folds ? i + far.length : i, end))
      out.push({ kind: "ghost", id: `c:${ghost.key}`, ghost });
    i = end;
  }
  return out;
}

/** The fold that hides a key, and nothing where none does. */
export function foldOf(rows: Row[], messages: Message[], key: string): string | undefined {
  return rows.find((row) => {
    if (row.kind === "parts")
      return messages[row.message].parts.slice(row.from, row.to).some((part) => part.key === key);
    return row.kind === "ghosts" && row.ghosts.some((ghost) => ghost.key === key);
  })?.id;
}

/** Key of the message or part that a row shows; empty for a fold and the sum. */
export function keyOf(row: Row | undefined, messages: Message[]): string {
  if (row?.kind === "part") return messages[row.message].parts[row.part].key;
  if (row?.kind === "raw") return messages[row.message].parts[0]?.key ?? "";
  return row?.kind === "ghost" ? row.ghost.key : "";
}

/** Whether a row shows the message or part of a key. */
export function shows(row: Row, messages: Message[], key: string): boolean {
  if (row.kind === "raw") return messages[row.message].parts.some((part) => part.key === key);
  return key !== "" && keyOf(row, messages) === key;
}

const NOUNS: Record<string, string> = { preset: "preset", profile: "profile", attachment: "file" };

/** "11 more parts: 6 lore, 4 presets, 1 profile". */
export function foldedParts(parts: Part[]): string {
  const counts = new Map<string, number>();
  for (const { source } of parts) counts.set(source, (counts.get(source) ?? 0) + 1);
  const named = [...counts].sort((a, b) => b[1] - a[1]);
  const words = named.map(([source, n]) => (NOUNS[source] ? many(n, NOUNS[source]) : `${n} ${source}`));
  return `${many(parts.length, "more part")}: ${words.join(", ")}`;
}

/** "6 messages, g1 to u7, cut by the same rule". */
export function foldedGhosts(ghosts: Ghost[]): string {
  const names = `${ghosts[0].name} to ${ghosts[ghosts.length - 1].name}`;
  const alike = ghosts.every((each) => each.why === ghosts[0].why);
  const why = alike && !ghosts[0].fitsNot ? ghosts[0].why : `cut by the same rule, ${ghosts[0].rule}`;
  return `${many(ghosts.length, "message")}, ${names}, ${why}`;
}

export const sumOf = (all: { tokens: number }[]): number => all.reduce((n, each) => n + each.tokens, 0);
