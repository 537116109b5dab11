// What a run looked up, why each piece is sent or isn't, and what would change that.

import decisionRows from "../_shared/components/decision_rows.css";
import { glyph, h, harmless } from "../_shared/dom";
import { EffectBanner } from "../_shared/effect_banner";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { grouped } from "../_shared/numbers";
import { radios } from "../_shared/radios";
import { Frame, jsonTrait } from "../_shared/text_tester";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { chosen, type Detail, KINDS, type Kind, type Offers, type PieceRow, type Preview, type View } from "./data";
import { type OpenedHost, openedPiece } from "./opened_piece";
import { PieceTable } from "./piece_table";
import { QueryBox } from "./query_box";
import own from "./widget.css";

const EMPTY = "Nothing to show: KnowledgeView(trace) takes a run that asks for knowledge.";
const TRAITS = [
  ...["view", "details", "place", "base", "kind", "word", "opened", "around", "offers", "preview"],
  ...["error", "live", "effect", "views"],
];
const ENGINES = { auto: "Auto", hybrid: "Hybrid", vector: "Vector", keyword: "Keyword" };
const KEYS: KeyList = [
  ["Up, Down", "from piece to piece; Page Up and Down ten, Home and End the first and last"],
  ["Enter", "open the piece in its document, or close it"],
  ["T", "try the nearest change"],
  ["Esc", "close the piece; at the minimum: leave it as it is"],
  ["Left, Right", "at the minimum: a hundredth; Page Up and Down a tenth; Enter tries it"],
  ["Ctrl+Z", "take back what was tried"],
];
const AT_ONCE = 8; // nearest changes asked for in one go

const begin = (at: Mounted): void => void new KnowledgeView(at);

class KnowledgeView implements OpenedHost {
  readonly signal: AbortSignal;
  private readonly model: Model;
  private view: View | null = null;
  private details: Record<string, Detail> = {};
  private readonly frame = new Frame();
  private readonly head: ViewHead;
  private readonly banner: EffectBanner;
  private readonly places = h("select", { "aria-label": "Placeholder" });
  private readonly bases = h("select", { "aria-label": "Base" });
  private readonly engines;
  private readonly kinds;
  private readonly limit = h("input", { type: "number", class: "limit", min: 0, "aria-label": "Most pieces" });
  private readonly limitField = h("label", { class: "check" }, "at most", this.limit, "pieces");
  private readonly idle = h("ul", { class: "idle" });
  private readonly query: QueryBox;
  private readonly previewing = h("div", { class: "preview", role: "status", hidden: true });
  private readonly table: PieceTable;
  private readonly side = h("div", { class: "side", hidden: true });
  private readonly two: HTMLElement;
  private readonly notes = h("ul", { class: "knotes" });
  private drawnRows: PieceRow[] = [];
  private asked = ""; // the keys whose offers were asked for last
  private waiting = false; // a preview is on its way
  private next: { minimum: number | null } | null = null;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.signal = signal;
    this.engines = radios("Engine", ENGINES, (engine) => this.send({ command: "set_engine", engine }), signal);
    this.kinds = radios("Show", KINDS, (kind) => save(model, { kind }), signal);
    this.query = new QueryBox(this);
    this.table = new PieceTable(this);
    this.two = h("div", { class: "two" }, h("div", { class: "pane" }, this.previewing, this.table.element), this.side);
    const tools = [this.places, this.bases, this.engines.element, this.kinds.element, this.limitField];
    this.head = new ViewHead("Knowledge", tools, KEYS, at);
    this.banner = new EffectBanner(() => this.back(), signal);
    root.append(this.frame.element);
    this.listen(root);
    this.read();
    this.draw();
  }

  // --- what the parts ask for

  get live(): boolean {
    return this.model.get("live") === true;
  }

  get used(): string {
    return this.view?.used ?? "";
  }

  get offers(): Offers {
    return (this.model.get("offers") as Offers | undefined) ?? {};
  }

  get word(): string {
    return String(this.model.get("word") ?? "");
  }

  ask(text: string): void {
    this.send({ command: "ask", text });
  }

  choose(word: string): void {
    save(this.model, { word });
  }

  open(key: string): void {
    save(this.model, { opened: key, around: 1 });
  }

  close(): void {
    this.open("");
  }

  more(): void {
    save(this.model, { around: Math.min(Number(this.model.get("around") ?? 1) * 2 + 1, 50) });
  }

  tryChange(key: string): void {
    this.send({ command: "try_change", key });
  }

  commit(minimum: number): void {
    this.next = null;
    this.send({ command: "set_minimum", minimum });
  }

  /** While an answer is on its way only the last of further questions is kept. */
  consider(minimum: number | null): void {
    this.next = { minimum };
    this.askNext();
  }

  private askNext(): void {
    if (this.waiting || !this.next) return;
    const { minimum } = this.next;
    this.next = null;
    // Taking back what isn't there changes nothing, so that no answer would come.
    this.waiting = minimum !== null;
    this.send({ command: "preview_minimum", minimum });
  }

  drawn(rows: PieceRow[]): void {
    this.drawnRows = rows;
    this.askForOffers();
  }

  private askForOffers(): void {
    if (!this.live) return;
    const missing = this.drawnRows.filter((row) => row.kind !== "sent" && !(row.key in this.offers));
    const keys = missing.slice(0, AT_ONCE).map((row) => row.key);
    if (!keys.length || keys.join("\n") === this.asked) return;
    this.asked = keys.join("\n");
    this.send({ command: "offers", keys });
  }

  private send(message: Record<string, unknown>): void {
    if (this.live) this.model.send(message);
  }

  private back(): void {
    this.send({ command: this.inPage ? "page_undo" : "back" });
  }

  private get inPage(): boolean {
    return ((this.model.get("views") as string[] | undefined) ?? []).length > 0;
  }

  private get effect(): { label?: string; text?: string } {
    return (this.model.get("effect") as { label?: string; text?: string } | undefined) ?? {};
  }

  private get opened(): string {
    return String(this.model.get("opened") ?? "");
  }

  // --- changes

  private listen(root: HTMLElement): void {
    const { signal } = this;
    whenChanged(this.at, TRAITS, (changed) => this.onChange(changed));
    this.places.addEventListener("change", () => this.send({ command: "place", number: Number(this.places.value) }), {
      signal,
    });
    this.bases.addEventListener("change", () => save(this.model, { base: this.bases.value }), { signal });
    commits(this.limit, {
      commit: (typed) => {
        const limit = Number(typed);
        if (typed && Number.isInteger(limit) && limit >= 0) this.send({ command: "set_limit", limit });
        else this.limit.value = String(this.view?.limit ?? 0);
      },
      value: () => String(this.view?.limit ?? 0),
      signal,
    });
    root.addEventListener(
      "keydown",
      (event) => {
        const inField = (event.target as HTMLElement).matches("input, textarea, select");
        const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
        if (!isUndo || inField || event.altKey || !(this.effect.text || this.inPage)) return;
        taken(event);
        this.back();
      },
      { signal },
    );
  }

  private onChange(changed: Set<string>): void {
    const has = (...names: string[]) => names.some((name) => changed.has(name));
    if (has("view", "details")) this.read();
    if (has("offers", "view", "error")) this.asked = "";
    if (has("preview", "error", "view")) this.waiting = false;
    if (has("view", "kind", "base", "word", "live", "place")) this.draw();
    else {
      this.drawAnswer();
      if (has("opened")) this.table.show(this.opened);
      if (has("offers")) this.table.drawOffers();
      if (has("opened", "details", "offers")) this.drawSide();
    }
    if (has("preview")) this.drawPreview();
    if (has("effect")) this.banner.draw(this.effect);
    if (has("offers")) this.askForOffers();
    if (has("opened") && this.opened && !this.table.element.contains(document.activeElement))
      this.table.reveal(this.opened);
    this.askNext();
  }

  private read(): void {
    this.view = jsonTrait<View>(this.model, "view");
    this.details = jsonTrait<Record<string, Detail>>(this.model, "details") ?? {};
  }

  // --- drawing

  private draw(): void {
    const { view } = this;
    if (!view || view.empty !== undefined) {
      this.frame.showEmpty(view?.empty ?? EMPTY);
      return;
    }
    this.frame.showParts(() => this.parts());
    this.drawTools(view);
    this.query.draw(view);
    this.banner.draw(this.effect);
    this.drawIdle(view);
    const kind = String(this.model.get("kind") ?? "all");
    const rows = chosen(view.rows, kind, String(this.model.get("base") ?? ""), this.word);
    this.two.hidden = !view.rows.length;
    this.table.draw(view, rows, this.opened, "No piece is of this kind.");
    this.notes.replaceChildren(...view.notes.map((note) => h("li", {}, glyph("warning"), harmless(note))));
    this.notes.hidden = !view.notes.length;
    this.drawPreview();
    this.drawSide();
    this.drawAnswer();
  }

  private parts(): HTMLElement[] {
    return [this.head.element, this.banner.element, this.idle, this.query.element, this.two, this.notes];
  }

  private drawTools(view: View): void {
    options(
      this.places,
      view.places.map(({ at, name, where, came }) => [String(at), `${name} in ${where}: ${came}`]),
      String(this.model.get("place") ?? 0),
    );
    this.places.hidden = view.places.length < 2;
    this.places.disabled = !this.live;
    const all: [string, string] = ["", `all ${view.bases.length} bases`];
    options(
      this.bases,
      [all, ...view.bases.map(([id, name, n]): [string, string] => [id, `${name} ${grouped(n)}`])],
      String(this.model.get("base") ?? ""),
    );
    this.bases.hidden = view.bases.length < 2;
    this.engines.element.hidden = view.static || !this.live;
    this.engines.set(view.engine);
    this.engines.label("auto", view.engine === "auto" ? `Auto: ${view.used}` : "Auto");
    for (const each of this.engines.element.querySelectorAll("button")) {
      each.disabled = Boolean(view.engine_fixed);
      each.title = view.engine_fixed ? `The placeholder asks for ${harmless(view.engine_fixed)}` : "";
    }
    this.limitField.hidden = view.static;
    this.limit.disabled = !this.live;
    if (document.activeElement !== this.limit) this.limit.value = String(view.limit);
    for (const [name, word] of Object.entries(KINDS))
      this.kinds.label(name, `${word} ${grouped(view.counts[name as Kind])}`);
    this.kinds.set(String(this.model.get("kind") ?? "all"));
    this.kinds.element.hidden = !view.rows.length;
  }

  private drawIdle(view: View): void {
    this.idle.hidden = !view.idle.length;
    this.idle.replaceChildren(
      ...view.idle.map(({ why, remedy, able }, number) => {
        const button = h("button", { type: "button", class: "btn small change1" }, harmless(remedy));
        button.addEventListener("click", () => this.send({ command: "wake", number }), { signal: this.signal });
        return h(
          "li",
          {},
          glyph("off"),
          h("span", {}, harmless(why[0]?.toUpperCase() + why.slice(1))),
          able && this.live ? button : h("span", { class: "ink2" }, harmless(remedy)),
        );
      }),
    );
  }

  private drawPreview(): void {
    const preview = (this.model.get("preview") as Preview | undefined) ?? {};
    const { view } = this;
    if (!view || view.empty !== undefined) return;
    if (!this.next) this.table.threshold.draw(view.minimum, preview.minimum, view.measure, this.live);
    this.previewing.hidden = !preview.text;
    if (!preview.text || preview.minimum === undefined) {
      this.previewing.replaceChildren();
      return;
    }
    const { minimum } = preview;
    const go = h("button", { type: "button", class: "btn small" }, `Try ${minimum}`);
    go.addEventListener("click", () => this.commit(minimum));
    const leave = h("button", { type: "button", class: "btn small" }, `Leave ${view.minimum}`);
    leave.addEventListener("click", () => this.consider(null));
    this.previewing.replaceChildren(
      h("span", {}, h("b", {}, harmless(preview.label ?? "")), ` ${harmless(preview.text)}`),
      go,
      leave,
    );
  }

  private drawSide(): void {
    const { opened } = this;
    const had = this.side.contains(document.activeElement);
    this.side.hidden = !opened;
    this.two.classList.toggle("open", Boolean(opened));
    this.side.replaceChildren(...(opened ? openedPiece(opened, this.details[opened] ?? null, this) : []));
    if (had) this.side.querySelector<HTMLElement>("button, [tabindex]")?.focus({ preventScroll: true });
  }

  /** The result, or why the last thing asked for was not done. */
  private drawAnswer(): void {
    const error = String(this.model.get("error") ?? "");
    if (error) this.head.answer(harmless(error), true);
    else this.head.answer([(this.view?.answer ?? []).map((part) => this.answerPart(part)), "."]);
  }

  private answerPart([words, kind]: [string, string]): Node | string {
    if (!kind) return harmless(words);
    const link = h("button", { type: "button", class: "lk" }, harmless(words));
    link.addEventListener("click", () => save(this.model, { kind, word: "", base: "" }), { signal: this.signal });
    return link;
  }
}

function options(select: HTMLSelectElement, all: [value: string, words: string][], chosenValue: string): void {
  select.replaceChildren(...all.map(([value, words]) => h("option", { value }, harmless(words))));
  select.value = chosenValue;
}

export default widget("Knowledge", decisionRows + own, begin);
