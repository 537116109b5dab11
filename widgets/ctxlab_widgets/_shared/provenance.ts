// The provenance of a stretch of text: its origin, and every rewriting since.

import { type SpanTables, sourceOf } from "./trace_view";

export interface ProvenanceLink {
  source: string;
  what: string;
  who: string;
  before: string | null;
  text: string;
  reason: string;
}

const WORDS: Record<string, string> = {
  node: "typed",
  pending: "typed just now",
  preset: "preset",
  lore: "lore entry",
  knowledge: "knowledge",
  summary: "summary",
  macro: "macro",
  variable: "variable",
  transcript: "transcript",
  separator: "separator",
  notice: "notice",
  made: "made by a step",
  template: "the template's own",
};

/** What is of a file, and what is said of it. */
const OF_FILES: Record<string, string> = { transcript: "from", attachment: "words for" };

/** The origin of a span first, then its rewritings, oldest first. */
export function provenanceOf(view: SpanTables, index: number): ProvenanceLink[] {
  const out: ProvenanceLink[] = [];
  follow(view, index, out, new Set());
  return out;
}

function follow(view: SpanTables, index: number, out: ProvenanceLink[], met: Set<number>): void {
  if (met.has(index)) return;
  met.add(index);
  const [text, kind, ref, cause, was] = view.spans[index];
  const why = cause < 0 ? null : view.causes[cause];
  const source = sourceOf(kind);
  if (!was.length) {
    const name = view.names?.get(`${kind}:${ref}`) ?? (kind === "template" ? lineOf(ref) : ref);
    const by = why ? `${name}${name ? ", " : ""}${why.processor}` : name;
    const isFile = name !== "" && kind in OF_FILES;
    out.push({
      source,
      what: isFile ? `${OF_FILES[kind]} ${name}` : (WORDS[kind] ?? kind),
      who: isFile ? (why?.processor ?? "") : by,
      before: null,
      text: view.texts[text],
      reason: why?.reason ?? "",
    });
    return;
  }
  for (const older of was) follow(view, older, out, met);
  const before = was.map((i) => view.texts[view.spans[i][0]]).join("");
  const isMacro = kind === "macro" || kind === "variable";
  const isFile = kind in OF_FILES && !was.some((i) => view.spans[i][1] === kind);
  out.push({
    source: isMacro || isFile ? source : "",
    what: isMacro ? `${WORDS[kind]} ${ref}` : isFile ? `${OF_FILES[kind]} ${ref}` : `rule ${why?.rule ?? ""}`,
    who: why?.processor ?? "",
    before,
    text: view.texts[text],
    reason: why?.reason ?? "",
  });
}

/** A place in a template in words: "line 3 of chatml". */
const lineOf = (ref: string): string => ref.replace(/^(.*):(\d+)$/, "line $2 of $1");

/** The chain as plain text, for the clipboard. */
export const provenanceText = (links: ProvenanceLink[]): string =>
  links
    .map(({ what, who, before, text, reason }) => {
      const change = before === null ? JSON.stringify(text) : `${JSON.stringify(before)} -> ${JSON.stringify(text)}`;
      return `${what} (${[who, reason].filter(Boolean).join("; ")}): ${change}`;
    })
    .join("\n");
