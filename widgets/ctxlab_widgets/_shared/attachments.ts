// The files of a run: what Python says of each, and which of them a message has at some moment.

import { type AssetJson, type Draft, keysOf, type View } from "./trace_view";

/** One file of a message; what is not known is absent. */
export interface FileJson {
  key: string;
  id: string;
  name: string;
  kind: string;
  /** Type and measures, as the bytes show them. */
  about?: string;
  /** Type and measures, as the message that it is attached to has them. */
  stored?: string;
  /** How the model gets it, in a word and in words. */
  as: string;
  way: string;
  reason?: string;
  tokens?: number;
  estimated?: boolean;
  problem?: string;
  /** Why its message is not sent. */
  cut?: string;
  /** The places in the file that its text is from. */
  places?: string[];
  /** The number of its small picture. */
  thumb?: number;
}

/** Whether nothing was decided of it yet, it is decided, or its message is not sent. */
export type Moment = "stored" | "sent" | "cut";

export interface ShownFile {
  file: FileJson;
  moment: Moment;
  /** A small picture as a `data:` URL; empty where there is none. */
  thumb: string;
}

const PICTURE = /^data:image\/(?:png|webp|jpeg);base64,[A-Za-z0-9+/]+=*$/;

export class Files {
  private readonly byKey = new Map<string, FileJson[]>();

  constructor(
    readonly all: FileJson[] = [],
    private readonly thumbs: string[] = [],
  ) {
    for (const file of all) {
      const found = this.byKey.get(file.key);
      if (found) found.push(file);
      else this.byKey.set(file.key, [file]);
    }
  }

  static of(json: unknown): Files {
    const { files, thumbs } = JSON.parse(String(json || "{}")) as { files?: FileJson[]; thumbs?: string[] };
    return new Files(files, thumbs);
  }

  ofKeys(keys: string[]): FileJson[] {
    return keys.flatMap((key) => this.byKey.get(key) ?? []);
  }

  /** With its small picture, which only bytes can be that Python drew: never a link, never SVG. */
  shown(file: FileJson, moment: Moment): ShownFile {
    const url = file.thumb === undefined ? "" : (this.thumbs[file.thumb] ?? "");
    return { file, moment, thumb: PICTURE.test(url) ? url : "" };
  }
}

const WORDS = new Set(["text", "description"]);
const FROM_FILES = new Set(["transcript", "attachment"]);
const PAGE = "#page-";

/** The files of a message at a step: those that it has, those that became words, and those that came as words. */
export function filesOfDraft(view: View, draft: Draft, files: Files, isDropped = false): ShownFile[] {
  const known = files.ofKeys(keysOf(draft));
  const gone = draft.files_gone ?? [];
  const met = new Set([...draft.assets, ...gone].map(({ id }) => id));
  const find = (asset: AssetJson): FileJson => known.find(({ id }) => id === asset.id) ?? bare(draft, asset);
  const at = (moment: Moment): Moment => (isDropped ? "cut" : moment);
  const refs = new Set(
    draft.spans.map((i) => view.spans[i]).flatMap(([, kind, ref]) => (FROM_FILES.has(kind) ? [ref] : [])),
  );
  return [
    ...draft.assets
      .filter((asset) => !isPageOf(gone, asset))
      .map((asset) => files.shown(find(asset), at(asset.route ? "sent" : "stored"))),
    ...gone.map((asset) => {
      const why = view.causes[asset.cause]?.reason;
      return files.shown({ ...(why ? { reason: why } : {}), ...find(asset) }, at("sent"));
    }),
    ...known
      .filter((file) => !met.has(file.id) && WORDS.has(file.as) && isIn(refs, file.name))
      .map((file) => files.shown(file, at("sent"))),
  ];
}

/** Whether it is the picture of a page of one of these. */
const isPageOf = (files: AssetJson[], { id }: AssetJson): boolean =>
  id.includes(PAGE) && files.some((file) => id.startsWith(file.id + PAGE));

const isIn = (refs: Set<string>, name: string): boolean =>
  [...refs].some((ref) => ref === name || ref.startsWith(`${name}, `));

/** A file that Python has said nothing of. */
function bare(draft: Draft, { id, kind, name, route }: AssetJson): FileJson {
  const as = route?.kind ?? "unknown";
  const reason = route?.reason ? { reason: route.reason } : {};
  return { key: draft.key, id, name: name || kind, kind, as, way: `goes as ${as}`, ...reason };
}

/** "goes as text, read by pdf, 1,204 tokens": what the model gets. */
export function sentWords({ file, moment }: ShownFile, tokens: (n: number) => string): string {
  if (moment === "stored") return "as it is stored";
  if (moment === "cut") return "not sent, with its message";
  const count = file.tokens === undefined || file.tokens === 0 ? "" : tokens(file.tokens);
  return [file.way, placesOf(file), count && (file.estimated ? `about ${count}` : count)].filter(Boolean).join(", ");
}

/** "page 1 to page 3", "from 0:01 on": the places in the file that its text is from; a time is where words begin. */
function placesOf({ places = [] }: FileJson): string {
  if (/^\d+:\d/.test(places[0] ?? "")) return `from ${places[0]} on`;
  return places.length > 1 ? `${places[0]} to ${places[places.length - 1]}` : (places[0] ?? "");
}

/** Everything there is to say of a file, for a title and for readers. */
export function fileSentence(shown: ShownFile, tokens: (n: number) => string): string {
  const { file, moment } = shown;
  const about = moment === "stored" ? (file.stored ?? file.about) : file.about;
  const words = [`${file.name}${about ? `, ${about}` : ""}: ${sentWords(shown, tokens)}`];
  if (moment === "sent" && file.reason) words.push(file.reason);
  if (moment === "cut" && file.cut) words.push(file.cut);
  if (moment !== "stored" && file.problem) words.push(file.problem);
  return words.map((each) => (/[.!?\u3002]$/.test(each) ? each : `${each}.`)).join(" ");
}
