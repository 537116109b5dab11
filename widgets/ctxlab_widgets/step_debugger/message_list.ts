// The messages after a step: what it added, rewrote, moved, merged and dropped.

import { toggleReasons } from "../_shared/attachment_chip";
import { h } from "../_shared/dom";
import { isSingle, onlyStop, roving, taken } from "../_shared/keyboard";
import { type ChangeRow, type Scope, summary } from "../_shared/message_changes";
import { grouped, many } from "../_shared/numbers";
import { ProvenanceCard } from "../_shared/provenance_card";
import { type Radios, radios } from "../_shared/radios";
import { draftsAt, keysOf, tokens } from "../_shared/trace_view";
import { folded, OPENING } from "./fold_rows";
import type { Jump } from "./jump";
import { MessageView } from "./message";
import { MessageEditor } from "./message_editor";
import { MessagesInSight } from "./messages_in_sight";
import { type Colour, type DebuggerHost, type State, scopeOf } from "./state";

export class Messages {
  readonly element = h("div", { class: "msgs" });
  private readonly feed = h("div", { class: "feed", role: "group" });
  private readonly head = h("div", { class: "bar" });
  private readonly count = h("span", { class: "muted" });
  private readonly hint = h("p", { class: "hint ink2", role: "status" });
  private readonly jump = h("p", { class: "hint jump", role: "status", hidden: true });
  private readonly card: ProvenanceCard;
  private readonly editor: MessageEditor;
  private readonly scope: Radios;
  private readonly colour: Radios;
  private readonly sight: MessagesInSight;

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {
    const { signal } = host;
    this.card = new ProvenanceCard({ tables: () => state.view, signal });
    const scopes = { step: "This step", start: "Since start" };
    const colours = { source: "Source", ...(state.live ? { token: "Token" } : {}), plain: "Plain" };
    this.scope = radios("Show changes of", scopes, (scope) => host.change({ scope: scope as Scope }), signal);
    this.colour = radios(
      "Colour text by",
      colours,
      (colour) => {
        host.change({ colour: colour as Colour });
      },
      signal,
    );
    this.head.append(this.scope.element, this.colour.element, h("span", { class: "sp" }), this.count);
    this.editor = new MessageEditor(state, host);
    this.element.append(this.head, this.hint, this.jump, this.feed);
    roving(this.feed, () => this.stops(), { signal, vertical: true });
    this.feed.addEventListener("click", (event) => this.clicked(event), { signal });
    this.feed.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.feed.addEventListener("focusin", (event) => this.came(event), { signal });
    this.feed.addEventListener("dblclick", (event) => this.twice(event), { signal });
    // Not when the press begins: what is pressed would move away under the pointer.
    for (const kind of ["click", "keydown"]) this.feed.addEventListener(kind, () => this.offer(null), { signal });
    this.card.listen(this.feed);
    this.sight = new MessagesInSight(state, host);
  }

  draw(focus?: string): void {
    const { state } = this;
    const had = focus ?? document.activeElement?.closest<HTMLElement>(".feed [data-id]")?.dataset.id;
    this.card.close();
    const items = folded(state.rows, state.open, this.revealedDraft());
    const painter = new MessageView(state, this.host);
    this.feed.replaceChildren(
      ...items.map((item) => ("row" in item ? painter.message(item.row) : this.fold(item.fold))),
    );
    this.feed.classList.toggle("big", items.length > 60);
    this.feed.classList.toggle("tokens", state.colour === "token");
    const step = state.view.steps[state.position - 1];
    const where = step ? `Messages after ${step.id}` : "Messages before the first step";
    this.feed.setAttribute("aria-label", state.result ? "Messages that are sent" : where);
    if (!items.length) this.feed.append(h("p", { class: "empty" }, this.nothing()));
    const kept = draftsAt(state.view, state.position).length;
    const changes = scopeOf(state) === "step" && state.position ? `, ${summary(state.rows)}` : this.dropped();
    this.count.textContent = `${many(kept, "message")}${changes}`;
    this.scope.set(scopeOf(state));
    this.colour.set(state.colour);
    this.watch();
    const stops = this.stops();
    const at = stops.findIndex((each) => each.dataset.id === had);
    onlyStop(stops, Math.max(at, 0));
    if (had !== undefined && at >= 0) stops[at].focus({ preventScroll: focus === undefined });
    this.focusEdited();
  }

  /** After an edit the message has another number: the focus goes to it by its key. */
  private focusEdited(): void {
    const key = this.editor.takeCommitted();
    if (key === null) return;
    const { view } = this.state;
    const found = this.articles().find((each) => keysOf(view.drafts[Number(each.dataset.draft)]).includes(key));
    if (!found) return;
    onlyStop(this.stops(), this.stops().indexOf(found));
    found.focus({ preventScroll: true });
  }

  private dropped(): string {
    const n = this.state.rows.filter((row) => row.kind === "dropped").length;
    return n ? `, ${grouped(n)} dropped` : "";
  }

  private nothing(): string {
    const { state } = this;
    if (state.position === 0 && state.view.steps.length) return "Nothing yet: the first step loads the conversation.";
    return "No messages here.";
  }

  private stops(): HTMLElement[] {
    return [...this.feed.querySelectorAll<HTMLElement>(":scope > [data-id]")];
  }

  private came(event: FocusEvent): void {
    const stops = this.stops();
    const at = stops.findIndex((each) => each.contains(event.target as Node));
    if (at < 0) return;
    onlyStop(stops, at);
    const draft = this.state.view.drafts[Number(stops[at].dataset.draft)];
    if (draft && !keysOf(draft).includes(this.state.selected)) this.host.select(draft.key);
  }

  private clicked(event: MouseEvent): void {
    const target = event.target as Element;
    const part = target.closest<HTMLElement>(".part[data-key]")?.dataset.key;
    if (part !== undefined) this.host.select(part);
    if (target.closest("[data-edit]")) this.edit(target.closest<HTMLElement>("article.m")!);
    const button = target.closest<HTMLElement>("[data-fold],[data-more]");
    if (!button) return;
    const { fold, more } = button.dataset;
    if (more !== undefined) {
      this.state.whole.add(more);
      this.draw(button.closest<HTMLElement>("[data-id]")?.dataset.id);
    } else if (fold !== undefined) {
      const { open } = this.state;
      const previous = button.previousElementSibling as HTMLElement | null;
      open.set(fold, (open.get(fold) ?? 0) + OPENING);
      this.draw();
      const next = previous?.dataset.id;
      const stops = this.stops();
      const at = stops.findIndex((each) => each.dataset.id === next) + 1;
      onlyStop(stops, at);
      stops[at]?.focus({ preventScroll: true });
    }
  }

  private twice(event: MouseEvent): void {
    const target = event.target as Element;
    const message = target.closest<HTMLElement>("article.m");
    if (message && !target.closest("button, textarea, .pop, .att")) this.edit(message);
  }

  private edit(message: HTMLElement): void {
    this.card.close();
    document.getSelection()?.removeAllRanges();
    this.editor.open(message);
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    const message = target.closest<HTMLElement>("article.m");
    if (message && event.key.toLowerCase() === "e" && isSingle(event) && this.editor.mayEdit(message)) {
      taken(event);
      this.edit(message);
      return;
    }
    if (message && event.key.toLowerCase() === "f" && isSingle(event) && toggleReasons(message)) {
      taken(event);
      return;
    }
    if (event.key !== "Enter" || !target.matches("article.m")) return;
    taken(event);
    const clipped = target.querySelector<HTMLElement>(".clip");
    if (clipped) clipped.click();
    else this.card.enter(target);
  }

  // --- the message that is selected

  /** Marks what is selected now; nothing moves. */
  mark(): void {
    const { view, selected } = this.state;
    for (const article of this.articles()) {
      const is = selected !== "" && keysOf(view.drafts[Number(article.dataset.draft)]).includes(selected);
      article.classList.toggle("chosen", is);
      if (is) article.setAttribute("aria-current", "true");
      else article.removeAttribute("aria-current");
    }
  }

  /** Puts what would have kept a dropped message beside its cause. */
  remediesCame(): void {
    const { view } = this.state;
    const painter = new MessageView(this.state, this.host);
    for (const article of this.articles()) {
      const place = article.querySelector(".remedy");
      const held = place?.contains(document.activeElement);
      place?.replaceChildren(...h("p", {}, painter.remedy(view.drafts[Number(article.dataset.draft)])).childNodes);
      if (held) place?.querySelector("button")?.focus({ preventScroll: true });
    }
  }

  /** Says where else the selected message is to be seen; nothing where there is nothing to say. */
  offer(jump: Jump | null): void {
    this.jump.hidden = !jump;
    if (!jump) return;
    const go = h("button", { type: "button", class: "lk" }, jump.label);
    go.addEventListener("click", () => this.host.goToBox(jump.box), { signal: this.host.signal });
    this.jump.replaceChildren(`${jump.words} \u00b7 `, go);
  }

  /** Whether the message is among those shown, or inside a fold. */
  has(key: string): boolean {
    return this.state.rows.some((row) => keysOf(this.state.view.drafts[row.draft]).includes(key));
  }

  /** Brings the selected message into sight: inside the feed where that scrolls, of the page only when asked here. */
  reveal(mayScrollPage: boolean): void {
    if (!this.feed.querySelector(".chosen")) this.draw();
    const found = this.feed.querySelector<HTMLElement>(".chosen");
    if (!found) return;
    const { feed } = this;
    if (feed.scrollHeight > feed.clientHeight + 1) {
      const box = found.getBoundingClientRect();
      const frame = feed.getBoundingClientRect();
      if (box.top < frame.top || box.bottom > frame.bottom) feed.scrollTop += box.top - frame.top - 24;
    }
    if (mayScrollPage) found.scrollIntoView({ block: "nearest" });
  }

  private revealedDraft(): number {
    const { view, revealed, rows } = this.state;
    if (!revealed) return -1;
    return rows.find((row) => keysOf(view.drafts[row.draft]).includes(revealed))?.draft ?? -1;
  }

  private articles(): HTMLElement[] {
    return [...this.feed.querySelectorAll<HTMLElement>(":scope > article")];
  }

  // --- where tokens end

  /** Python has told where the tokens of some messages end. */
  tokensCame(): void {
    const painter = new MessageView(this.state, this.host);
    const rows = new Map(this.state.rows.map((row) => [row.draft, row]));
    for (const article of this.articles()) {
      const draft = Number(article.dataset.draft);
      const row = rows.get(draft);
      if (!row || !this.state.ends.has(draft) || article.querySelector(".tok, .pop, .editor")) continue;
      const fresh = painter.message(row);
      fresh.tabIndex = article.tabIndex;
      const had = document.activeElement === article;
      article.replaceWith(fresh);
      if (had) fresh.focus({ preventScroll: true });
    }
  }

  /** Another run; with another view its messages have other numbers, too. */
  forget(isOtherView: boolean): void {
    this.sight.forget(isOtherView);
  }

  private watch(): void {
    const { state } = this;
    const on = state.colour === "token";
    this.hint.hidden = !on || state.canSplitTokens;
    this.hint.textContent = this.hint.hidden ? "" : noBorders(state);
    this.sight.watch(this.articles());
  }

  private fold({ id, rows }: { id: string; rows: ChangeRow[] }): HTMLElement {
    const { view } = this.state;
    const [first] = rows;
    const mixed = rows.some((row) => row.kind !== first.kind);
    const sum = tokens(
      view,
      rows.map((row) => row.draft),
    );
    return h(
      "button",
      {
        type: "button",
        class: `foldrow f-${mixed ? "mixed" : first.kind}`,
        "aria-expanded": "false",
        "data-fold": id,
        "data-id": `fold:${id}`,
      },
      "\u203a",
      h("span", { class: "lb" }, mixed ? `${many(rows.length, "more message")}: ${summary(rows)}` : words(rows)),
      h("span", { class: "sp" }),
      h("span", {}, many(sum, "token")),
    );
  }
}

function words(rows: ChangeRow[]): string {
  const first = rows[0];
  const last = rows[rows.length - 1];
  const places = first.number !== null && last.number !== null ? `, ${range(first.number + 1, last.number + 1)}` : "";
  const n = grouped(rows.length);
  const words: Record<ChangeRow["kind"], string> = {
    same: `${many(rows.length, "unchanged message")}${places}`,
    added: `${n} more added${places}`,
    rewritten: `${n} more rewritten${places}`,
    merged: `${n} more merged${places}`,
    moved: `${n} more moved${places}`,
    dropped: `${many(rows.length, "older message")}, dropped by the same rule`,
  };
  return words[first.kind];
}

const range = (from: number, to: number): string => (from === to ? String(from) : `${from}\u2013${to}`);

function noBorders({ view: { tokenizer } }: State): string {
  return tokenizer.estimated
    ? "Tokens of this run are estimated: there are no borders to show. Choose a model whose tokens are known."
    : `The tokenizer ${tokenizer.name} doesn't tell where its tokens end.`;
}
