// A compression before it counts: the range by two handles, the summary as a text, what it keeps of the originals.

import { glyph, h, harmless } from "../_shared/dom";
import { type Effect, EffectBanner } from "../_shared/effect_banner";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { grouped, many } from "../_shared/numbers";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { compressionsTable } from "./compressions";
import { costsOf } from "./costs";
import { lostItems, type Payload } from "./payload";
import { RangeList } from "./range_list";
import { putBackWords, ReportTable } from "./report_table";
import own from "./widget.css";
import { WishFields } from "./wish_fields";

const EMPTY = "Nothing to show: pass what compress() gives, CompressionView(ctxlab.compress(session)).";
const TRAITS = ["view", "error", "can_go_back", "can_apply", "applied", "live", "selected", "effect"];
const KEYS: KeyList = [
  ["Up, Down", "on a handle: to the legal cut before, to the next"],
  ["Home, End", "on a handle: to the first legal cut, to the last"],
  ["Up, Down, Home, End", "on a message: to another one, of which Above and Below then speak"],
  ["Enter", "in a field: take it, and have the summary written anew"],
  ["Enter", "in the summary: take the text; Shift+Enter begins a line"],
  ["Esc", "in the summary: give the text back that was there"],
  ["Ctrl+Z", "take the last change back"],
];

class CompressionView {
  private readonly model: Model;
  private readonly live: boolean;
  private readonly head: ViewHead;
  private readonly list: RangeList;
  private readonly report: ReportTable;
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly costs = h("div");
  private readonly made = h("div");
  private readonly text = h("textarea", { "aria-label": "Text of the summary", rows: 8, spellcheck: "false" });
  private readonly by = h("span", { class: "muted", role: "status" });
  private readonly notes = h("ul", { class: "notes" });
  private readonly ask = h("div", { class: "ask", hidden: true, role: "status" });
  private readonly undo = h("button", { type: "button", class: "btn", title: "Ctrl+Z" }, glyph("back"), "Undo");
  private readonly apply = h("button", { type: "button", class: "btn pri" }, "Compress");
  private readonly again = h("button", { type: "button", class: "btn" }, "Write again");
  private readonly lost = h("span", { class: "err strong loses" });
  private readonly putBack = h("button", { type: "button", class: "btn" });
  private readonly wishes: WishFields;
  private readonly banner: EffectBanner;
  private readonly box: HTMLElement;
  private readonly two: HTMLElement;
  private payload: Payload | null = null;
  private known: string | null = null;

  constructor(at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.live = model.get("live") === true;
    this.head = new ViewHead(
      "Compression",
      [h("span", { class: "muted" }, "before it counts"), h("span", { class: "sp" }), this.undo],
      KEYS,
      at,
    );
    const send = (command: object) => model.send(command);
    this.list = new RangeList({
      live: this.live,
      signal,
      choose: (start, end) => this.choose(start, end),
      whole: (kind, id) =>
        this.request(kind === "all" ? "Summarise all" : `Summarise all ${kind} ${harmless(id)}`, {
          command: `choose_${kind}`,
          ...(kind === "all" ? {} : { id }),
        }),
      select: (id) => save(model, { selected: `node:${id}` }),
    });
    this.wishes = new WishFields({
      live: this.live,
      signal,
      guide: (text) => this.request("Summarise with this guidance", { command: "guide", text }),
      keep: (text) => this.request(`Summarise and keep “${harmless(text)}”`, { command: "keep", text }),
      protect: (number) =>
        this.request(`Summarise and leave the newest ${many(number, "message")}`, { command: "protect", number }),
      noLongerKeep: (number) => this.request("Summarise without this item", { command: "no_longer_keep", number }),
    });
    this.banner = new EffectBanner(this.live ? () => send({ command: "page_undo" }) : null, signal);
    this.report = new ReportTable(this.live, signal, (number) => model.send({ command: "put_back", number }));
    this.text.readOnly = !this.live;
    const bar = h("div", { class: "bar" }, h("h3", {}, "Summary"), this.by, h("span", { class: "sp" }), this.again);
    this.box = h("div", { class: "summary" }, bar, this.text);
    const ways = h("div", { class: "bar ways" }, this.lost, this.putBack, h("span", { class: "sp" }), this.apply);
    const right = h("div", { class: "r" }, this.costs, this.ask, this.box, ways, this.wishes.element, this.notes);
    this.two = h("div", { class: "two" }, this.list.element, right);
    root.append(
      h(
        "div",
        { class: "w" },
        this.head.element,
        this.banner.element,
        this.empty,
        this.two,
        this.report.element,
        this.made,
      ),
    );
    this.listen(root, signal);
    whenChanged(at, TRAITS, () => this.draw());
    this.draw();
    this.list.reveal();
  }

  private listen(root: HTMLElement, signal: AbortSignal): void {
    const { model } = this;
    const back = () => this.undo.getAttribute("aria-disabled") !== "true" && model.send({ command: "back" });
    commits(this.text, {
      commit: (text) => model.send({ command: "summary", text }),
      value: () => this.payload?.summary ?? "",
      signal,
    });
    this.undo.addEventListener("click", back, { signal });
    this.apply.addEventListener("click", () => model.send({ command: "apply" }), { signal });
    this.again.addEventListener("click", () => model.send({ command: "write_again" }), { signal });
    const first = () => model.send({ command: "put_back", number: lostItems(this.payload?.report ?? null)[0] });
    this.putBack.addEventListener("click", first, { signal });
    const keys = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
      if (!isUndo || (event.target as Element).matches("input, textarea") || model.get("can_go_back") !== true) return;
      taken(event);
      back();
    };
    root.addEventListener("keydown", keys, { signal });
  }

  private choose(start: number, end: number): void {
    const rows = this.payload?.rows;
    if (!rows) return;
    const [first, last] = [rows[start][0], rows[end - 1][0]];
    const words = `Summarise ${many(end - start, "message")}, ${harmless(first)} to ${harmless(last)}`;
    this.request(words, { command: "range", first, last });
  }

  /** Has the summary written anew: at once where that needs no model, else with a button. */
  private request(words: string, command: object): void {
    if (this.payload?.instant) {
      this.model.send(command);
      return;
    }
    const button = h("button", { type: "button", class: "btn" }, words);
    button.addEventListener("click", () => {
      if (button.getAttribute("aria-disabled") === "true") return;
      button.setAttribute("aria-disabled", "true");
      this.model.send(command);
    });
    this.ask.replaceChildren(button, h("span", { class: "muted" }, "asks the summariser again"));
    this.ask.hidden = false;
  }

  private draw(): void {
    const { model } = this;
    const view = String(model.get("view") || "");
    if (view !== this.known) {
      this.known = view;
      this.payload = view ? (JSON.parse(view) as Payload) : null;
      this.take(this.payload);
    }
    const error = String(model.get("error") ?? "");
    const selected = String(model.get("selected") ?? "");
    if (error && this.payload) {
      this.ask.hidden = true;
      this.list.draw(this.payload, selected);
    }
    this.list.show(selected);
    this.banner.draw((model.get("effect") ?? {}) as Partial<Effect>);
    const said = String(model.get("applied") ?? "") || (this.payload?.sentence ?? "");
    this.head.answer(harmless(error || said), Boolean(error || this.payload?.error));
    this.undo.hidden = !this.live || !this.payload;
    this.undo.setAttribute("aria-disabled", String(model.get("can_go_back") !== true));
    this.apply.hidden = !this.live || model.get("can_apply") !== true || Boolean(this.payload?.error);
  }

  private take(payload: Payload | null): void {
    this.empty.hidden = payload !== null;
    this.two.hidden = this.made.hidden = payload === null;
    this.report.element.hidden = !payload?.report;
    this.ask.hidden = true;
    if (!payload) return;
    this.list.draw(payload, String(this.model.get("selected") ?? ""));
    this.wishes.draw(payload);
    this.costs.replaceChildren(costsOf(payload));
    this.box.hidden = !payload.editable;
    if (this.text.value !== payload.summary) this.text.value = payload.summary;
    this.by.textContent = harmless(payload.by);
    this.again.hidden = !this.live || !payload.can_choose || (payload.instant && !payload.by_hand);
    const { before, after } = payload.costs;
    this.apply.replaceChildren(
      after === before ? "Compress" : `Compress, ${after < before ? "−" : "+"}${grouped(Math.abs(after - before))}`,
    );
    this.takeLost(payload);
    this.notes.hidden = !payload.notes.length;
    this.notes.replaceChildren(...payload.notes.map((note) => h("li", {}, harmless(note))));
    this.report.draw(payload);
    this.made.replaceChildren(compressionsTable(payload.compressions));
  }

  /** Says how many items that had to be kept aren't, with the button that mends the first. */
  private takeLost({ report }: Payload): void {
    const [first, count] = lostItems(report);
    this.lost.hidden = this.putBack.hidden = !report || first < 0;
    if (!report || first < 0) return;
    const words = `${many(count, "must-keep item")} ${count === 1 ? "is" : "are"} not kept whole`;
    this.lost.replaceChildren(glyph("error"), words);
    this.putBack.hidden = !this.live;
    this.putBack.replaceChildren(putBackWords(report.facts[first]));
    this.putBack.title = harmless(report.facts[first].was[1]);
  }
}

export default widget("Compression", own, (at) => void new CompressionView(at));
