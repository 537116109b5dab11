// What Python sends to a chat, and what the page asks of it. Texts are data: they are never read as HTML.

/** The list as it was first sent; `Delta` turns it into the newest one. */
export interface View {
  rows: Row[];
}

/** The rows from `start` up to `end` of the view are these now; the rows before and behind are as they were. */
export interface Delta {
  start: number;
  end: number;
  rows: Row[];
}

export type RowKind = "preset" | "message" | "summary" | "tool";
/** Where a message stands in a turn: `stopped` and `failed` keep what came. */
export type RowState = "complete" | "generating" | "stopped" | "failed" | "disabled";

export interface Row {
  /** Id of the node, or `preset:` and its number. */
  key: string;
  kind: RowKind;
  role: "user" | "assistant" | "system" | "tool";
  /** Who speaks: the agent, the user or the tool by name. */
  who: string;
  /** Its time for people, and when it was told which model wrote it. */
  facts: string[];
  /** Its words; thoughts that an answer has in its text are in `thought`, and stay with it when its words are edited. */
  text: string;
  state: RowState;
  tokens?: number;
  thought?: { text: string; facts: string };
  /** Place among the answers to the same message, from 1, and the ids of all. */
  siblings?: { at: number; ids: string[] };
  files?: FileChip[];
  calls?: CallRow[];
  translation?: { text: string; to: string; shown: "original" | "translation" | "both" };
  /** What went into this answer and what it cost, for people, and the share of the prompt that was cached, in [0, 1]. */
  got?: { facts: string[]; cached?: number };
  /** Why there is no answer or half of one, in a sentence. */
  error?: string;
  /** Of a summary: what it stands for, in the end so many messages; what it hides; and what it lost. */
  standsFor?: { sentence: string; count: number; ids: string[]; kept: string; lost: string[] };
  /** What can be done with it, in the order of its buttons. */
  actions: RowAction[];
}

export type RowAction =
  | "edit"
  | "branch"
  | "regenerate"
  | "continue"
  | "copy"
  | "translate"
  | "disable"
  | "enable"
  | "delete"
  | "retry"
  | "undo-summary"
  | `plugin:${string}`;

export interface FileChip {
  id: string;
  name: string;
  /** Such as "1,024 × 768, 186 kB, goes as a picture, 255 tokens", or why it can't go. */
  facts: string;
  kind: "picture" | "sound" | "film" | "document" | "other";
  state: "ready" | "waiting" | "refused";
  /** A small picture as a data URL made by Python; absent where there is none. */
  thumbnail?: string;
}

export interface CallRow {
  id: string;
  name: string;
  arguments: string;
  state: "asks" | "allowed" | "running" | "done" | "failed" | "refused";
  facts: string;
  result?: string;
}

export interface Choice {
  id: string;
  label: string;
  /** More about it, beside its label. */
  hint?: string;
}

export interface Head {
  agent: { now: string; choices: Choice[] };
  model: { now: string; choices: Choice[] };
  user: { now: string; choices: Choice[] };
  /** The agent that binds the user who takes part; empty where the user was chosen. */
  boundTo: string;
  name: string;
  /** The one sentence of result, such as "29 messages; the next request takes 3,025 of 3,072 tokens and cuts g1." */
  sentence: string;
  /** Whether the model is the echo, which says back what it got. */
  isEcho: boolean;
  canUndo: string;
  canRedo: string;
  languages: Choice[];
  messageActions: MessageAction[];
}

/** An action on messages that a plugin brings. */
export interface MessageAction extends Choice {
  /** Asked before it is done; empty where it is done at once. */
  question?: string;
}

/** The next request with what is being typed. */
export interface Draft {
  /** The text that this is of; a page that has gone on typing shows the figures as old. */
  text: string;
  /** Tokens by source in the order of the bar, the draft last. */
  totals: [source: string, label: string, tokens: number][];
  tokens: number;
  budget: number | null;
  /** Tokens left; below 0 where it doesn't fit. */
  free: number | null;
  /** Keys of rows that aren't sent, with the cause, and the button that keeps them. */
  cut: { key: string; cause: string; keep?: { label: string } }[];
  cutTokens: number;
  /** Entries that fire because of the draft. */
  /** With a `chance`, in words, it may not fire when the message is sent. */
  fires: { name: string; tokens: number; cause: string; chance: string }[];
  /** Words of the draft: matched keys of lore and macros, in UTF-16 units. */
  marks: { start: number; end: number; kind: "lore" | "macro" | "unknown-macro"; note: string }[];
  /** On the cached prefix and its price, in sentences. */
  cache: string[];
  notes: string[];
  error: string;
}

/** Messages that the next request leaves out for one reason. */
export interface Unsent {
  cause: string;
  keys: string[];
}

/** Views that open below the chat. */
export type OpenView =
  | "steps"
  | "budget"
  | "lore"
  | "knowledge"
  | "request"
  | "tree"
  | "compression"
  | "agent"
  | "user"
  | "settings";

/** What one answer got. */
export interface Got {
  key: string;
  who: string;
  /** From what it was rebuilt, in a sentence that is true of it. */
  sentence: string;
  totals: [source: string, label: string, tokens: number][];
  tokens: number;
  /** Null where nothing limits it. */
  budget: number | null;
  cut: string;
  notes: string[];
  /** Whether something was looked up for it. */
  knowledge?: true;
}

/** Where the active leaf stands: the last messages of the path with their siblings. */
export interface Around {
  nodes: {
    key: string;
    label: string;
    role: string;
    column: number;
    parent: string;
    isActive: boolean;
    state: RowState;
    /** What became of it, where its state alone doesn't say. */
    note?: string;
  }[];
}

export interface Quick {
  id: string;
  label: string;
  description: string;
  hotkey: string;
  from: string;
  sends: boolean;
}

/** A question to a model beside the conversation that is under way. */
export interface Aside {
  id: string;
  label: string;
}

export interface Completion {
  /** The text that it is of, and the caret, in UTF-16 units. */
  text: string;
  caret: number;
  items: { insert: string; replace: number; label: string; hint: string }[];
}

/** A turn while it runs; sent whole when it begins, and to a view that comes later. */
export interface Running {
  /** Number of the last piece that is in it. */
  number: number;
  key: string;
  parent: string;
  verb: string;
  phase: "waiting" | "building" | "asking" | "writing" | "calling" | "retrying";
  /** For people, such as "writing, 64 tokens, 38 a second". */
  facts: string[];
  text: string;
  thought: string;
  calls: CallRow[];
  queued: string[];
  /** Whether it is written in a branch that isn't shown. */
  elsewhere?: boolean;
  /** Whether it was stopped: what still comes is its end. */
  stopping?: boolean;
}

/** One message from Python while a turn runs: pieces in order; a gap means that some were missed. */
export type FromPython =
  | {
      kind: "pieces";
      number: number;
      key: string;
      text: string;
      thought: string;
      phase: Running["phase"];
      facts: string[];
      calls?: CallRow[];
    }
  | { kind: "asset"; id: string; type: string } // its bytes are the buffer; an empty one where there are none
  | { kind: "completion"; completion: Completion }
  | { kind: "copy"; text: string }
  | { kind: "found"; text: string; keys: string[] } // messages with the words, in the order of the tree
  | { kind: "export"; name: string }; // a file to be saved, its bytes are the buffer

/** Commands of the page; Python checks each and answers by its traits, `error` where it is refused. */
export type Command =
  | { command: "send"; text: string } // queued while a turn runs
  | { command: "stop" }
  | { command: "resend" } // the running turn whole, after a gap
  | { command: "edit" | "branch"; key: string; text: string }
  | { command: "regenerate"; key: string; model?: string }
  | { command: "continue" | "delete" | "disable" | "enable" | "retry" | "undo-summary"; key: string }
  | { command: "relay"; text: string }
  | { command: "switch"; key: string }
  | { command: "find"; text: string } // on all branches
  | { command: "translate"; key: string; to: string } // key "" is the draft
  | { command: "show_translation"; key: string; shown: "original" | "translation" | "both" }
  | { command: "got"; key: string } // "" closes it
  | { command: "open"; view: OpenView; key: string }
  | { command: "choose"; what: "agent" | "model" | "user"; id: string }
  | { command: "why"; key: string } // why the next request leaves a message out
  | { command: "keep"; key: string } // the smallest change that keeps a message
  | { command: "attach"; files: { name: string; type: string }[] } // their bytes are the buffers
  | { command: "detach"; id: string }
  | { command: "quick"; id: string; start: number; end: number }
  | { command: "complete"; caret: number; asksModel: boolean }
  | { command: "approve"; call: string; yes: boolean }
  | { command: "button"; key: string; does: "send" | "input"; text: string }
  | { command: "message_action"; key: string; id: string }
  | { command: "name_topic" }
  | { command: "give_up"; id: string } // a question beside the conversation
  | { command: "undo" | "redo" }
  | { command: "asset"; id: string }
  | { command: "export"; format: "json" | "md" }
  | { command: "begin_anew" };

/** Synced traits, all JSON texts but where said; empty where there is nothing. */
export const TRAITS = {
  view: "View",
  delta: "Delta",
  head: "Head",
  draft: "Draft",
  unsent: "Unsent[]",
  got: "Got",
  around: "Around",
  quick: "Quick[]",
  files: "FileChip[]",
  asides: "Aside[]",
  running: "Running",
  input: "the text being typed, plain, set by both sides",
  shows: "list or tree, plain",
} as const;

/** The rows after a delta. */
export function rowsOf(view: View, delta: Delta | null): Row[] {
  return delta ? [...view.rows.slice(0, delta.start), ...delta.rows, ...view.rows.slice(delta.end)] : view.rows;
}
