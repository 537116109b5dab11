// What Python sends: the lines of a body with the messages behind them, and all that is said of them.

export type StringBit = [kind: "string", stretches: [text: string, part: number][], leftOut: number, path: string];

/** A key, a sign or a value; a string in stretches, each with its part; or bytes, told by kind and size. */
export type Bit =
  | [kind: "key", text: string]
  | [kind: "sign", text: string]
  | [kind: "value", text: string, path: string]
  | StringBit
  | [kind: "bytes", head: string, what: string, path: string];

export type Note = [was: string, parts: number[], count: number];
export type Fold = [words: string, parts: number[], count: number, tokens: number];

export type Line = [
  depth: number,
  bits: Bit[],
  /** Lines up to the one that closes it; 0 of one that opens nothing. */
  inside: number,
  part: number,
  note: Note | null,
  path: string,
  fold?: Fold,
];

export interface Part {
  key: string;
  source: string;
  name: string;
  how: string;
  tokens: number;
  steps: number[];
  /** Parts of the message that it is of. */
  joined: number;
}

export interface Problem {
  line: number;
  place: string;
  rule: string;
  reason: string;
  mend: string;
  level: "error" | "warning";
  fixes: number[];
}

export interface Loss {
  kind: string;
  what: string;
  reason: string;
  count: number;
  fix: number | null;
}

export interface Mark {
  line: number;
  tokens: number;
  effective: boolean;
  reason: string;
}

export interface Price {
  input_tokens: number;
  cached_tokens: number;
  written_tokens: number;
  output_tokens: number | null;
  input_usd: number | null;
  cached_usd: number | null;
  output_usd: number | null;
  most_usd: number | null;
  source: string;
  as_of: string;
}

export interface Payload {
  lines: Line[];
  parts: Part[];
  problems: Problem[];
  losses: Loss[];
  fixes: string[];
  notes: { level: string; text: string }[];
  marks: Mark[];
  breaks: { key: string; step: string; reason: string }[];
  automatic: boolean;
  steps: { id: string; did: string }[];
  price: Price;
  bytes: number;
  estimated: boolean;
  stopped_at: string | null;
}

export const usd = (value: number): string => {
  const digits = value !== 0 && value < 0.0001 ? 6 : 4;
  return `US$ ${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
};

/** A size as people say it: "7.6 kB". */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} byte${bytes === 1 ? "" : "s"}`;
  const [unit, factor] = bytes < 999_500 ? ["kB", 1000] : ["MB", 1_000_000];
  const value = bytes / factor;
  const digits = value < 9.95 ? 1 : 0;
  return `${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** The one sentence to read first: problems, size, price. */
export function sentence(payload: Payload): string {
  const { problems, price, stopped_at } = payload;
  if (stopped_at !== null)
    return `Nothing is sent: the run stops at ${stopped_at}. This would be the request of the messages before it.`;
  const errors = problems.filter((each) => each.level === "error").length;
  const warnings = problems.length - errors;
  const found = errors ? `${count(errors, "problem")}: the vendor would refuse it.` : "No problem found.";
  const warned = warnings ? ` ${count(warnings, "warning")}.` : "";
  const about = payload.estimated ? "about " : "";
  const tokens = `${about}${count(price.input_tokens, "token")}`;
  const most = price.most_usd !== null ? `, at most ${usd(price.most_usd)}` : "";
  const input = price.most_usd === null && price.input_usd !== null ? `, ${usd(price.input_usd)} in` : "";
  return `${found}${warned} ${capital(tokens)}, ${size(payload.bytes)}${most}${input}.`;
}

const capital = (words: string): string => words[0].toUpperCase() + words.slice(1);
const count = (n: number, word: string): string => `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
