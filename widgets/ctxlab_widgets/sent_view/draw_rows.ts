// The rows as elements: parts of messages with facts at the margin, ghosts with their price, folds, raw messages.

import { attachmentChips } from "../_shared/attachment_chip";
import { type Child, glyph, h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import { remedyButton } from "../_shared/remedy_button";
import { partText } from "./part_text";
import type { Ghost, Message, Part, State } from "./payload";
import { foldedGhosts, foldedParts, type Row, sumOf } from "./rows";

export interface RowHost {
  keep(key: string): void;
  open(view: string, key: string): void;
  /** A row has another height. */
  resized(): void;
}

const ROLES = new Set(["system", "user", "assistant", "tool"]);
const DASH = "\u2013";
const READ_AS = 'view.read_as(template="path of a model or a template")';

export class RowPainter {
  constructor(
    private readonly state: State,
    private readonly host: RowHost,
  ) {}

  row(row: Row): HTMLElement {
    const { messages } = this.state;
    if (row.kind === "part") return this.part(row.message, row.part);
    if (row.kind === "raw") return this.raw(row.message);
    if (row.kind === "ghost") return this.ghost(row.ghost);
    if (row.kind === "sum") return this.sum();
    if (row.kind === "ghosts") return fold(row.id, "gone", foldedGhosts(row.ghosts), sumOf(row.ghosts));
    const parts = messages[row.message].parts.slice(row.from, row.to);
    return fold(row.id, `r-${roleOf(messages[row.message])}`, foldedParts(parts), sumOf(parts));
  }

  /** What keeps a cut message, as far as it is known. */
  remedy(ghost: Ghost): Child {
    const { remedies, live } = this.state;
    const known = remedies.get(ghost.key);
    const button = remedyButton(known, live, () => this.host.keep(ghost.key));
    if (button) button.tabIndex = -1;
    return button ?? (known && ghost.fitsNot && h("span", { class: "muted" }, harmless(known.text)));
  }

  /** Ways to other views of a part or a ghost, where there are any. */
  ways(key: string, source: string): HTMLElement[] {
    const views: [string, string][] = [["steps", "Steps"]];
    if (source === "lore") views.unshift(["lore", "Lore"]);
    else if (source === "preset" || source === "profile") views.unshift(["injections", "Injections"]);
    views.push(["budget", "Budget"]);
    return views
      .filter(([view]) => this.state.views.has(view))
      .map(([view, words]) => {
        const title = `Open in ${words}`;
        const button = h("button", { type: "button", class: "btn small quiet", title, "aria-label": title }, words);
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          this.host.open(view, key);
        });
        return button;
      });
  }

  private part(number: number, at: number): HTMLElement {
    const message = this.state.messages[number];
    const part = message.parts[at];
    const isFirst = at === 0;
    const place = message.parts.length > 1 ? `, part ${at + 1} of ${message.parts.length}` : "";
    const label = `message ${number + 1}, ${message.role}${place}, ${part.name}, ${many(part.tokens, "token")}`;
    return h(
      "article",
      {
        class: `m r-${roleOf(message)}${isFirst ? " first" : ""}`,
        "aria-label": harmless(label),
        "data-message": number,
        "data-part": at,
        tabindex: -1,
      },
      h("div", { class: "no" }, h("span", { class: isFirst ? null : "vh" }, number + 1)),
      h(
        "div",
        { class: `bd src-${part.source}` },
        h("i", { class: `fill src-${part.source}`, "aria-hidden": "true" }),
        h(
          "div",
          { class: "words" },
          isFirst && this.role(message, part),
          beside(part),
          this.files(part.key),
          part.spans.length > 0 && h("p", { class: "tx" }, partText(this.state, part, true)),
        ),
        h(
          "div",
          { class: "mg" },
          glyph(part.source),
          h("span", { class: "nm", title: harmless(part.key) }, harmless(part.name)),
          h("span", { class: "num", title: "without the wire format of its message" }, grouped(part.tokens)),
          part.how && h("span", { class: "why" }, harmless(part.how)),
          h("span", { class: "ways" }),
        ),
      ),
    );
  }

  private files(key: string): Child {
    const { files, open } = this.state;
    const found = files.ofKeys([key]).map((file) => files.shown(file, file.cut ? "cut" : "sent"));
    return attachmentChips(found, `why:${key}`, open, this.host.resized);
  }

  private role(message: Message, first: Part | undefined): HTMLElement {
    const { tokens, joins, overhead, parts } = message;
    const title = `${grouped(tokens - joins - overhead)} of its parts, ${grouped(joins)} of joining them, ${grouped(overhead)} of the wire format`;
    return h(
      "div",
      { class: "rl" },
      h("span", { class: "role" }, glyph(message.role), harmless(message.role)),
      first?.speaker && h("span", { class: "tag" }, harmless(first.speaker)),
      parts.length > 1 && h("span", { class: "muted", title }, `${grouped(tokens)}, joined from ${parts.length}`),
    );
  }

  private raw(number: number): HTMLElement {
    const message = this.state.messages[number];
    const words = message.parts.map((part) => [part.seam && harmless(part.seam), partText(this.state, part, false)]);
    const role = roleOf(message);
    const label = `message ${number + 1}, ${message.role}, ${many(message.tokens, "token")}`;
    return h(
      "article",
      { class: `m raw first r-${role}`, "aria-label": harmless(label), "data-message": number, tabindex: -1 },
      h("div", { class: "no" }, number + 1),
      h(
        "div",
        { class: "bd" },
        h(
          "div",
          { class: "words" },
          h(
            "div",
            { class: "rl" },
            h("span", { class: "role" }, glyph(message.role), harmless(message.role)),
            h("span", { class: "num" }, grouped(message.tokens)),
          ),
          message.parts.map(({ key }) => this.files(key)),
          h("pre", { class: "tx" }, words),
          message.fields && h("pre", { class: "fields" }, harmless(message.fields)),
        ),
      ),
    );
  }

  private ghost(ghost: Ghost): HTMLElement {
    const label = `not sent: ${ghost.name}, ${ghost.role}, ${many(ghost.tokens, "token")}, ${ghost.why}`;
    const role = ROLES.has(ghost.role) ? ghost.role : "other";
    const files = this.state.files.ofKeys([ghost.key]).length;
    return h(
      "article",
      { class: `m ghost r-${role}`, "aria-label": harmless(label), "data-ghost": ghost.key, tabindex: -1 },
      h("div", { class: "no" }, DASH),
      h(
        "div",
        { class: "bd" },
        h("i", { class: "fill src-cut", "aria-hidden": "true" }),
        h(
          "span",
          { class: "gx" },
          glyph(ghost.role),
          h("span", { class: "nm strong", title: harmless(ghost.key) }, harmless(ghost.name)),
          h("span", { class: "q" }, harmless(ghost.words)),
          files > 0 &&
            h(
              "span",
              { class: "chip src-attachment" },
              glyph("attachment"),
              h("span", { class: "lb" }, many(files, "file")),
            ),
        ),
        h("span", { class: ghost.border ? "why warn" : "why" }, harmless(ghost.why)),
        h("span", { class: "ga" }, h("span", { class: "ways" }), h("span", { class: "keep" }, this.remedy(ghost))),
        h("span", { class: "num", title: "with the wire format of a message" }, grouped(ghost.tokens)),
      ),
    );
  }

  /** What the numbers at the margin add up to. */
  private sum(): HTMLElement {
    const { messages, payload } = this.state;
    const parts = messages.reduce((n, message) => n + sumOf(message.parts), 0);
    const joins = messages.reduce((n, message) => n + message.joins, 0);
    const frames = messages.reduce((n, message) => n + message.overhead, 0);
    const of: [number, string][] = [
      [parts, "of the parts, at the margin"],
      [joins, "of joining parts"],
      [frames, `of the wire format of ${many(messages.length, "message")}`],
      [payload.request_tokens, "of the request"],
    ];
    const words = of.filter(([n], i) => n || !i).map(([n, of]) => `${grouped(n).replace("-", "\u2212")} ${of}`);
    const hint = this.state.live && !this.state.reader;
    return h(
      "div",
      { class: "sum ink2" },
      h("p", {}, `${words.join(" + ")} = ${many(payload.tokens, "token")}`),
      hint && h("p", { class: "muted" }, "The one text that a local model reads of them: ", h("code", {}, READ_AS)),
    );
  }
}

export const roleOf = ({ role }: Message): string => (ROLES.has(role) ? role : "other");

function fold(id: string, cls: string, words: string, tokens: number): HTMLElement {
  return h(
    "button",
    { type: "button", class: `foldrow ${cls}`, "aria-expanded": "false", "data-fold": id, tabindex: -1 },
    h("span", { class: "no", "aria-hidden": "true" }),
    h("span", { "aria-hidden": "true" }, "\u203a"),
    h("span", { class: "lb" }, harmless(words)),
    h("span", { class: "sp" }),
    h("span", { class: "num" }, grouped(tokens)),
  );
}

/** Calls, answers and thoughts of a part, as what they are. */
function beside({ thought, calls, result_of }: Part): Child[] {
  return [
    result_of && note("tools", `answers the call ${result_of}`),
    thought && h("p", { class: "tx thought" }, harmless(brief(thought))),
    calls?.map(([name, json]) => [note("tools", `calls ${name}`), h("pre", { class: "fields" }, harmless(json))]),
  ];
}

const note = (source: string, words: string): HTMLElement =>
  h(
    "div",
    { class: "beside" },
    h("span", { class: `chip src-${source}` }, glyph(source), h("span", { class: "lb" }, harmless(words))),
  );

const MOST = 1200;
const brief = (text: string): string => (text.length <= MOST ? text : `${text.slice(0, MOST)}\u2026`);
