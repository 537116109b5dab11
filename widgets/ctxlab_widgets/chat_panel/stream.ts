// An answer while it is written: pieces in order, and what the list shows with them.

import type { CallRow, FromPython, Row, Running } from "./payload";

export type Pieces = Extract<FromPython, { kind: "pieces" }>;

/** The running turn with one more message of pieces; "old" where it is in it already, "gap" where one was missed. */
export function withPieces(running: Running, pieces: Pieces): Running | "old" | "gap" {
  if (pieces.number <= running.number) return "old";
  if (pieces.number > running.number + 1) return "gap";
  const goesOn = pieces.key === running.key;
  return {
    ...running,
    number: pieces.number,
    key: pieces.key,
    parent: goesOn ? running.parent : running.key,
    phase: pieces.phase,
    facts: pieces.facts,
    text: (goesOn ? running.text : "") + pieces.text,
    thought: (goesOn ? running.thought : "") + pieces.thought,
    calls: pieces.calls ?? running.calls,
  };
}

/** The rows with what is being written, in its place; rows that nothing is new in stay the same values. */
export function withRunning(rows: Row[], running: Running | null): Row[] {
  if (!running) return rows;
  const calls = new Map(running.calls.map((call) => [call.id, call]));
  const known = rows.findIndex(({ key }) => key === running.key);
  const out = withCalls(known < 0 ? before(rows, running) : rows, calls, running.key);
  const taken = new Set(out.flatMap((row) => (row.key === running.key ? [] : (row.calls ?? []).map(({ id }) => id))));
  const own = running.calls.filter(({ id }) => !taken.has(id));
  const found = known < 0 ? null : out[known];
  const row = written(found ?? begun(rows, running), running, own);
  return known < 0 ? [...out, row] : out.map((each) => (each === found ? row : each));
}

/** The rows up to the message that is being answered; those behind it are another branch's. */
function before(rows: Row[], { parent }: Running): Row[] {
  const at = rows.findIndex(({ key }) => key === parent);
  if (at < 0) return rows;
  let end = at + 1;
  while (rows[end]?.kind === "tool") end += 1;
  return rows.slice(0, end);
}

/** A running row with the words that came since, and nothing else that is new. */
export function grown(row: Row, { text, thought, facts, phase }: Running): Row {
  const thinks = thought ? { thought: { text: thought, facts: row.thought?.facts ?? "" } } : {};
  return { ...row, ...thinks, text, got: { facts: facts.length ? facts : [phase] } };
}

/** The rows with an answer that is there whole, until Python's own row of it comes. */
export const withFinished = (rows: Row[], running: Running): Row[] =>
  withRunning(rows, running).map((row) => {
    if (row.key !== running.key) return row;
    const { got: _, ...rest } = row;
    return { ...rest, state: "complete" };
  });

function begun(rows: Row[], { key }: Running): Row {
  const who = rows.findLast(({ role }) => role === "assistant")?.who ?? "Assistant";
  return { key, kind: "message", role: "assistant", who, facts: [], text: "", state: "generating", actions: [] };
}

function written(row: Row, running: Running, calls: CallRow[]): Row {
  const { translation: _, error: __, ...rest } = row;
  return grown({ ...rest, state: "generating", ...(calls.length ? { calls } : {}), actions: [] }, running);
}

function withCalls(rows: Row[], calls: Map<string, CallRow>, key: string): Row[] {
  if (!calls.size) return rows;
  const isNew = (row: Row) => row.key !== key && row.calls?.some(({ id }) => calls.has(id));
  if (!rows.some(isNew)) return rows;
  return rows.map((row) =>
    isNew(row) ? { ...row, calls: row.calls!.map((call) => calls.get(call.id) ?? call) } : row,
  );
}
