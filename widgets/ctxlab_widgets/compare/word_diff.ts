// The difference of two texts, word by word.

export interface DiffPart {
  kind: "same" | "removed" | "added";
  text: string;
}

/** Chinese goes by character, other scripts by word; a character is never parted from its marks. */
const WORD =
  /\p{Ideographic}\p{M}*|(?:(?!\p{Ideographic})[\p{L}\p{N}_])(?:(?!\p{Ideographic})[\p{L}\p{N}\p{M}_])*|\s+|\P{M}[\p{M}\p{Emoji_Modifier}]*(?:\u200d\P{M}[\p{M}\p{Emoji_Modifier}]*)*|[\s\S]/gu;
const MOST = 400_000; // cells of the table; beyond, the whole stretch counts as changed

export function wordDiff(before: string, after: string): DiffPart[] {
  const a = before.match(WORD) ?? [];
  const b = after.match(WORD) ?? [];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const out = new DiffParts();
  out.add("same", a.slice(0, start));
  between(a.slice(start, a.length - end), b.slice(start, b.length - end), out);
  out.add("same", a.slice(a.length - end));
  return joined(out.all);
}

class DiffParts {
  readonly all: DiffPart[] = [];

  add(kind: DiffPart["kind"], words: string[]): void {
    if (!words.length) return;
    const last = this.all.at(-1);
    if (last?.kind === kind) last.text += words.join("");
    else this.all.push({ kind, text: words.join("") });
  }
}

/** The longest common subsequence, by the usual table. */
function between(a: string[], b: string[], out: DiffParts): void {
  if (a.length * b.length > MOST) {
    out.add("removed", a);
    out.add("added", b);
    return;
  }
  const wide = b.length + 1;
  const common = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * wide + j] =
        a[i] === b[j]
          ? common[(i + 1) * wide + j + 1] + 1
          : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.add("same", [a[i]]);
      i++;
      j++;
    } else if (j >= b.length || (i < a.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1]))
      out.add("removed", [a[i++]]);
    else out.add("added", [b[j++]]);
  }
}

/** Blanks between two changes belong to them, and what went stands before what came. */
function joined(parts: DiffPart[]): DiffPart[] {
  const out: DiffPart[] = [];
  let removed = "";
  let added = "";
  const flush = () => {
    if (removed) out.push({ kind: "removed", text: removed });
    if (added) out.push({ kind: "added", text: added });
    removed = added = "";
  };
  for (const [i, part] of parts.entries()) {
    if (part.kind === "removed") removed += part.text;
    else if (part.kind === "added") added += part.text;
    else if (i > 0 && i < parts.length - 1 && !part.text.trim()) {
      removed += part.text;
      added += part.text;
    } else {
      flush();
      out.push(part);
    }
  }
  flush();
  return out;
}
