// The head of a page as Python sends it.

export type SummaryPart = [words: string, topic: string];

export interface EffectRow {
  key: string;
  name: string;
  tokens: number;
  why: string;
  /** Messages of this name, such as a preset that stands at several depths. */
  messages: number;
}

export interface RunEffect {
  before_tokens: number;
  after_tokens: number;
  tokens: number;
  same: number;
  joins: number;
  came: EffectRow[];
  went: EffectRow[];
  changed: EffectRow[];
  joined: EffectRow[];
  moved: EffectRow[];
  text: string;
}

export interface RunChip {
  name: string;
  parent: string | null;
  /** Said below the name of the first run. */
  sub: string;
  tokens: number;
  /** The budget; null where there is none. */
  of: number | null;
  messages: number;
  failed: string;
  effect: RunEffect | null;
  /** What makes it from its parent; from the page, where nothing shorter does. */
  python: string;
  column: number;
  row: number;
}

export interface HeadView {
  title: string;
  about: string;
  summary: { decided: number; parts: SummaryPart[] };
  runs: RunChip[];
  current: string;
  /** Name of the run that is undone, and of the one that comes again; null where there is none. */
  undo: string | null;
  redo: string | null;
  /** Whether a file can be opened. */
  opens: boolean;
}

export interface HeadHost {
  send(command: Record<string, unknown>): void;
  pick(name: string): void;
  show(name: string): void;
  signal: AbortSignal;
}

/** "5, one forked". */
export function countWords(runs: RunChip[]): string {
  const forks = runs.filter((run) => isFork(runs, run)).length;
  const words = forks === 1 ? ", one forked" : forks ? `, ${forks} forked` : "";
  return `${runs.length}${words}`;
}

/** Whether a run stands in another row than the one that it was made from. */
export const isFork = (runs: RunChip[], run: RunChip): boolean =>
  run.parent !== null && (runs.find((each) => each.name === run.parent)?.row ?? run.row) !== run.row;

/** The order in a single column: forks right below the run that they were made from, then what it went on to. */
export function forksFirst(runs: RunChip[]): RunChip[] {
  const children = new Map<string, RunChip[]>();
  for (const run of runs) if (run.parent !== null) children.set(run.parent, [...(children.get(run.parent) ?? []), run]);
  const out: RunChip[] = [];
  const waiting = runs.filter((run) => run.parent === null).reverse();
  for (let run = waiting.pop(); run !== undefined; run = waiting.pop()) {
    out.push(run);
    const [straight, ...forks] = children.get(run.name) ?? [];
    if (straight) waiting.push(straight, ...forks.reverse());
  }
  return out;
}

/** The code of a run from the beginning, or from the run that only the page has. */
export function codeOf(runs: RunChip[], run: RunChip): string {
  const lines: string[] = [];
  let at: RunChip | undefined = run;
  while (at) {
    const one: RunChip = at;
    lines.unshift(one.python);
    at = one.python.startsWith("run = page.") ? undefined : runs.find((each) => each.name === one.parent);
  }
  return lines.join("\n");
}
