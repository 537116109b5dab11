// The JSON value of `trace.view()`, and what can be read from it without a page.

import { SOURCE_OF_KIND } from "./source_icons";

/** [text, kind, ref, cause or -1, the spans it replaced], each a number into a table. */
export type Span = [text: number, kind: string, ref: string, cause: number, was: number[]];

export interface Cause {
  processor: string;
  rule: string;
  reason: string;
  /** Whether a person did it between two steps; absent where not. */
  by_hand?: boolean;
}

export interface Origin {
  kind: string;
  id: string;
}

export interface AssetJson {
  id: string;
  kind: string;
  name: string;
  /** How the model gets it, once that has been decided. */
  route?: { kind: string; reason: string };
}

export interface Draft {
  key: string;
  role: string;
  origin: Origin;
  spans: number[];
  assets: AssetJson[];
  /** Files that went out of it, each with its cause: they became words, or were taken out. Absent where there are none. */
  files_gone?: (AssetJson & { cause: number })[];
  calls: unknown[];
  result_of: string | null;
  reasoning: string | null;
  speaker: string | null;
  pinned: boolean;
  merged: (Origin & { key: string })[];
  /** What each joining cost, between the parts; nothing where that is not known. */
  seams?: number[];
  placed: string | null;
  tokens: number;
  /** Whether that is a guess, such as of a picture of unknown size; absent where it is none. */
  estimated?: boolean;
}

export interface Group {
  drafts: number[];
  cause: number;
  /** Tokens that what didn't fit needed, tokens that were left, and the keys of what didn't fit. */
  needed: number | null;
  left: number | null;
  border: string[];
}

export interface Note {
  level: string;
  text: string;
  processor: string;
}

export interface Step {
  id: string;
  edited: boolean;
  skipped: boolean;
  seconds: number;
  error: string | null;
  drafts: number[];
  dropped: Group[];
  notes: Note[];
  /** What it decided without changing a message, in words: "5 of 16 entries fired". */
  decided: string;
  /** The reports that it left, by name. */
  reports: Record<string, number>;
  /** Of a person's edit: nothing of it could be made again after an earlier step had changed. */
  lost: boolean;
}

export interface Setting {
  value: unknown;
  layer: string;
  description: string;
  title: string;
  /** `lines` is a text of several lines, `model` the name of one, for which choices are offered, `texts` one a line. */
  type: "choice" | "boolean" | "integer" | "number" | "text" | "lines" | "model" | "texts" | "json";
  choices: unknown[];
  /** Words for each choice; empty where it is shown itself. */
  labels?: string[];
  placeholder?: string;
  minimum: number | null;
  maximum: number | null;
  /** Whether it may be none. */
  optional: boolean;
  /** Why the stored value isn't taken; empty where it is. */
  error?: string;
  /** The setting that says whether this one is read, and the values of that one with which it is; null: always. */
  read_with: [setting: string, values: unknown[]] | null;
}

export interface Stage {
  id: string;
  name: string;
  description: string;
  priority: number;
  enabled: boolean;
  settings: Record<string, Setting>;
  /** The headings of its form, with the settings under each; none where it is one list. */
  groups?: { title: string; description: string; settings: string[] }[];
}

export interface View {
  session: string;
  leaf: string | null;
  tokenizer: { name: string; estimated: boolean };
  request_tokens: number;
  texts: string[];
  causes: Cause[];
  spans: Span[];
  drafts: Draft[];
  notes: Note[];
  start: { drafts: number[] };
  steps: Step[];
  pipeline: Stage[];
}

/** The tables that say where characters come from; `names` is what people call an origin, by `kind:ref`. */
export type SpanTables = Pick<View, "texts" | "causes" | "spans"> & { names?: ReadonlyMap<string, string> };

export type BoxState = "done" | "failed" | "skipped" | "edited" | "lost" | "off" | "todo";

/** One box of the row: a step of the pipeline, or a person's edit between two. `at` counts the steps done after it. */
export interface Box {
  id: string;
  state: BoxState;
  at: number;
  seconds: number | null;
  before: number | null;
  after: number | null;
  error: string | null;
}

/** Every step of the pipeline in running order, with what the run says of it so far. */
export function boxes(view: View): Box[] {
  const out: Box[] = [];
  let at = 0;
  const edits = () => {
    while (view.steps[at]?.edited) out.push(done(view, at++));
  };
  for (const stage of view.pipeline) {
    edits();
    const blank = { id: stage.id, seconds: null, before: null, after: null, error: null };
    if (!stage.enabled) out.push({ ...blank, state: "off", at });
    else if (at < view.steps.length) out.push(done(view, at++));
    else out.push({ ...blank, state: "todo", at: at + 1 + todo(out) });
  }
  edits();
  return out;
}

const todo = (out: Box[]) => out.filter((box) => box.state === "todo").length;

function done(view: View, index: number): Box {
  const step = view.steps[index];
  const state =
    step.error !== null ? "failed" : step.edited ? (step.lost ? "lost" : "edited") : step.skipped ? "skipped" : "done";
  return {
    id: step.id,
    state,
    at: index + 1,
    seconds: step.edited || step.skipped ? null : step.seconds,
    before: tokens(view, draftsAt(view, index)),
    after: tokens(view, draftsAt(view, index + 1)),
    error: step.error,
  };
}

/** The messages after so many steps. */
export const draftsAt = (view: View, at: number): number[] => (at > 0 ? view.steps[at - 1].drafts : view.start.drafts);

export const tokens = (view: View, drafts: number[]): number => drafts.reduce((n, i) => n + view.drafts[i].tokens, 0);

export const textOf = (view: View, draft: Draft): string =>
  draft.spans.map((i) => view.texts[view.spans[i][0]]).join("");

/** All keys that a message answers to: its own and those of what was merged into it. */
export const keysOf = (draft: Draft): string[] => [draft.key, ...draft.merged.map((part) => part.key)];

/** Which of the sources with a colour and a sign this kind of origin belongs to. */
export const sourceOf = (kind: string): string => SOURCE_OF_KIND[kind] ?? "overhead";

/** Tokens of the request as a whole and the budget, where one is set. */
export function budgetOf(view: View): number | null {
  for (const stage of view.pipeline) {
    const value = stage.settings.budget_tokens?.value;
    if (stage.enabled && typeof value === "number") return value;
  }
  return null;
}
