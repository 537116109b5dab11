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
  chips: string[];
  nearest: string;
  tokens: number;
  turned?: string;
  /** Where its key stands: text and lit text in turn; else `scanned` says what was looked through. */
  pieces?: string[];
  number?: number | null;
  where?: string;
  in_lore?: boolean;
  scanned?: string;
}

export interface View {
  empty?: string;
  books: string;
  several: boolean;
  typed: boolean;
  summary: string;
  counts: Record<Kind | "all", number>;
  rows: EntryRow[];
  tried: { title: string; change: string; came: string[]; went: string[]; alone: boolean } | null;
  notes: string[];
}

export interface Detail {
  texts: { key: string; number: number | null; pieces: string[] }[];
  content: string;
  goes: string;
  gates: [name: string, value: string, state: "passed" | "stopped" | "not asked"][];
  change: string;
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

/** A few names, and how many more there are. */
export function named(names: string[], most = 4): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}
