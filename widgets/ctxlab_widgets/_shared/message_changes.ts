// The changes that a step made to the messages, and the position of each.

import { draftsAt, keysOf, sourceOf, type View } from "./trace_view";

export type ChangeKind = "same" | "added" | "rewritten" | "merged" | "moved" | "dropped";
export type Scope = "step" | "start";

/** One message to show. `number` is its place after the step, `from` its place before; both null where it has none. */
export interface ChangeRow {
  kind: ChangeKind;
  draft: number;
  before: number | null;
  number: number | null;
  from: number | null;
  moved: boolean;
  cause: number;
}

const PLAIN = { before: null, number: null, from: null, moved: false, cause: -1 };

/** The messages after `at` steps, the dropped ones where they stood, against the step before or the whole run. */
export function changeRows(view: View, at: number, scope: Scope): ChangeRow[] {
  const kept = scope === "step" ? keptByStep(view, at) : keptSinceStart(view, at);
  return withDropped(view, at, scope === "step" ? Math.max(at - 1, 0) : 0, kept);
}

function keptByStep(view: View, at: number): ChangeRow[] {
  const after = draftsAt(view, at);
  if (at === 0) return after.map((draft, number) => ({ ...PLAIN, kind: "same", draft, number }));
  const before = draftsAt(view, at - 1);
  const places = new Map(before.map((draft, i) => [view.drafts[draft].key, i]));
  const common = after.map((draft) => places.get(view.drafts[draft].key)).filter((i) => i !== undefined);
  const unmoved = rising(common);
  return after.map((draft, number) => {
    const now = view.drafts[draft];
    const from = places.get(now.key) ?? null;
    const old = from === null ? null : before[from];
    const moved = from !== null && !unmoved.has(from);
    const joined = now.merged.length > (old === null ? 0 : view.drafts[old].merged.length);
    const kind = joined ? "merged" : old === null ? "added" : old !== draft ? "rewritten" : moved ? "moved" : "same";
    return { ...PLAIN, kind, draft, number, from, moved, before: old === draft ? null : old };
  });
}

function keptSinceStart(view: View, at: number): ChangeRow[] {
  const first = new Map<string, number>();
  const come = new Set<string>(); // in this very step
  for (let i = 0; i <= at; i++)
    for (const draft of draftsAt(view, i)) {
      const { key } = view.drafts[draft];
      if (first.has(key)) continue;
      first.set(key, draft);
      if (i > 0 && i === at) come.add(key);
    }
  return draftsAt(view, at).map((draft, number) => {
    const now = view.drafts[draft];
    const old = first.get(now.key)!;
    const rewritten = old !== draft || now.spans.some((i) => view.spans[i][4].length > 0);
    const typed = sourceOf(now.origin.kind) === "history";
    const added = !typed || (come.has(now.key) && !rewritten);
    const kind = now.merged.length ? "merged" : added ? "added" : rewritten ? "rewritten" : "same";
    return { ...PLAIN, kind, draft, number, before: old === draft ? null : old };
  });
}

/** Dropped messages go after the nearest message that stood before them and is still there. */
function withDropped(view: View, at: number, since: number, kept: ChangeRow[]): ChangeRow[] {
  const place = new Map<string, number>();
  kept.forEach((row, i) => {
    const draft = view.drafts[row.draft];
    for (const key of keysOf(draft)) place.set(key, i);
  });
  const after = new Map<number, ChangeRow[]>();
  for (let i = since; i < at; i++) {
    const gone = new Map<number, ChangeRow>();
    for (const group of view.steps[i].dropped) {
      for (const draft of group.drafts) gone.set(draft, { ...PLAIN, kind: "dropped", draft, cause: group.cause });
    }
    let anchor = -1;
    const put = (row: ChangeRow) => {
      const list = after.get(anchor);
      if (list) list.push(row);
      else after.set(anchor, [row]);
    };
    for (const [from, draft] of draftsAt(view, i).entries()) {
      anchor = place.get(view.drafts[draft].key) ?? anchor;
      const row = gone.get(draft);
      if (row && gone.delete(draft)) put({ ...row, from });
    }
    for (const row of gone.values()) put(row); // never stood among the messages: taken before it was placed
  }
  const out = [...(after.get(-1) ?? [])];
  kept.forEach((row, i) => {
    out.push(row, ...(after.get(i) ?? []));
  });
  return out;
}

/** Numbers that stay when the fewest are lifted out so that the rest rises. */
export function rising(numbers: number[]): Set<number> {
  const tails: number[] = [];
  const back = new Map<number, number | undefined>();
  for (const n of numbers) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle] < n) low = middle + 1;
      else high = middle;
    }
    back.set(n, tails[low - 1]);
    tails[low] = n;
  }
  const stay = new Set<number>();
  for (let n = tails.at(-1); n !== undefined; n = back.get(n)) stay.add(n);
  return stay;
}

/** Counts of what happened, in words: "3 added, 12 dropped". */
export function summary(found: ChangeRow[]): string {
  const count = (kind: ChangeKind) => found.filter((row) => row.kind === kind).length;
  const moved = found.filter((row) => row.moved).length;
  const counts: [number, string][] = [
    [count("added"), "added"],
    [count("rewritten"), "rewritten"],
    [count("merged"), "merged"],
    [moved, "moved"],
    [count("dropped"), "dropped"],
  ];
  return (
    counts
      .filter(([n]) => n)
      .map(([n, word]) => `${n.toLocaleString("en-US")} ${word}`)
      .join(", ") || "nothing changed"
  );
}

/** By key, tokens of every message when it last stood alone, before it became a part of another. */
export function tokensAlone(view: View, at: number): Map<string, number> {
  const out = new Map<string, number>();
  const met = new Set<number>();
  for (let i = at; i >= 0; i--)
    for (const draft of draftsAt(view, i)) {
      if (met.has(draft)) continue;
      met.add(draft);
      const { key, merged, tokens } = view.drafts[draft];
      if (!merged.length && !out.has(key)) out.set(key, tokens);
    }
  return out;
}
