// What Python sends of a workspace.

export interface Snippet {
  at: string;
  node: string;
  /** Text and lit text in turn. */
  pieces: string[];
}

export interface ListRow {
  id: string;
  name?: string;
  sub?: string;
  parts?: number;
  branches?: number;
  date?: string;
  /** Characters of the messages on the active path; of many the longest of each stretch. */
  lengths?: number[];
  tags?: string[];
  folder?: string;
  favourite?: boolean;
  problem?: string;
  hits?: number;
  snippets?: Snippet[];
}

export interface ListHead {
  /** Another number when the rows are others. */
  generation: number;
  place: string;
  count: number;
  answer: string;
  tabs: { name: string; label: string; count: number }[];
  facets: Record<string, [choice: string, count: number][]>;
  notes: string[];
  unsaved: string;
  is_unsaved: boolean;
  /** The command that another session is opened with, once it is said what becomes of this one. */
  asked: object | null;
}

export interface TreeData {
  x: number[];
  y: number[];
  parent: number[];
  size: number[];
  role: number[];
  active: number[];
  hit: number[];
  node: string[];
  messages: number;
  leaves: number;
  missing: number;
}

export interface Preview {
  id: string;
  kind: string;
  name: string;
  trash: boolean;
  opens: string[];
  favourite: boolean;
  folder: string;
  tags: string[];
  hits: Snippet[];
  hit_count: number;
  facts: string;
  lines: string[];
  roles?: string[];
  problem?: string;
  tree?: TreeData;
  /** Names of formats, with the ending of such a file. */
  exports?: [name: string, ending: string][];
  /** What is known of its file, as names and words. */
  disk?: [name: string, words: string][];
}

export interface BookHead {
  id: string;
  name: string;
  entries: number;
  total: number;
  picked: number;
  changed: boolean;
  undo: boolean;
  said: string;
  groups: string[];
  positions: string[];
  filter: { group: string; position: string; find: string };
}

export interface EntryRow {
  key: string;
  title: string;
  keys: string;
  on: boolean;
  constant: boolean;
  order: number | null;
  depth: number;
  position: string;
  group: string;
  probability: number | null;
  picked: boolean;
  changed: boolean;
}

export interface Imported {
  text: string;
  losses: string[];
}

export interface Conflict {
  what: string;
  text: string;
  can_merge: boolean;
}

/** Words of the views in which a value opens. */
export const VIEW_WORDS: Record<string, string> = {
  chat: "Chat",
  tree: "Tree",
  steps: "Steps",
  budget: "Budget",
  tokens: "Tokens",
  agent: "Form",
  table: "Table",
  lore: "Try it",
  rules: "Rules",
  base: "Entries",
};

/** What the parts of a value of a kind are called: one, several. */
export const PART_WORDS: Record<string, string> = {
  sessions: "message",
  books: "entr",
  rules: "rule",
  quick_actions: "action",
  knowledge_bases: "entr",
};

export function partsInWords(kind: string, parts: number): string {
  const word = PART_WORDS[kind] ?? "preset";
  const end = word === "entr" ? (parts === 1 ? "y" : "ies") : parts === 1 ? "" : "s";
  return `${parts.toLocaleString("en-US")} ${word}${end}`;
}
