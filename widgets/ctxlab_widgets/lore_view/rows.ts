// The decisions as Python sends them, and the filter of rows.

export type Kind = "fired" | "blocked" | "not-hit";
export const KINDS: Record<Kind | "all", string> = {
  all: "All",
  fired: "Fired",
  blocked: "Blocked",
  "not-hit": "Not hit",
};

export interface EntryRow {
  key: string;
  uid: string;
  title: string;
  book: string;
  keys: string;
  kind: Kind;
  /** Why it fired or didn't, as a sentence without its full stop. */
  why: string;
  /** The nearest change as a button says it, as a sentence, and what time or chance would do; none of what fired. */
  change?: string;
  nearest?: string;
  aside?: string;
  /** Of an entry that fired. */
  tokens?: number;
  /** Of one that didn't, where there are not too many to count. */
  own_tokens?: number;
  turned?: string;
  /** Where its key stands: text and lit text in turn; else `scanned` says what was looked through. */
  pieces?: string[];
  where?: string;
  in_lore?: boolean;
  scanned?: string;
}

/** Words of the sentence above the rows, and where they lead: to a kind of rows, or to an entry. */
export type AnswerPart = [words: string, leads: "kind" | "key" | "", to: string];

export interface View {
  empty?: string;
  books: string;
  several: boolean;
  typed: boolean;
  /** Whether a run is shown, so that prices are those of its prompt; else of the lore alone. */
  in_run: boolean;
  /** Scan depth of entries that have none of their own. */
  depth: number;
  answer: AnswerPart[];
  counts: Record<Kind | "all", number>;
  rows: EntryRow[];
  /** Whether this view alone can take the last change back: only the scan was made again. */
  own_back: boolean;
  notes: string[];
}

export interface Detail {
  texts: { where: string; pieces: string[] }[];
  content: string;
  goes: string;
  gates: [name: string, value: string, state: "passed" | "stopped" | "not asked"][];
  change: string;
  label: string;
  fired: boolean;
}

/** The rows of a kind whose title, number or keys have all the words. */
export function chosen(rows: EntryRow[], kind: string, find: string): EntryRow[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  if (kind === "all" && !words.length) return rows;
  return rows.filter((row) => {
    if (kind !== "all" && row.kind !== kind) return false;
    if (!words.length) return true;
    const text = `${row.uid} ${row.title} ${row.keys} ${row.key}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
