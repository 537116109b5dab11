// A compression before it counts: the range by two handles, the summary as a text, what it keeps of the originals.

import { glyph, h, harmless } from "../_shared/dom";
import { taken } from "../_shared/keyboard";
import { type Model, type Mounted, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { many } from "../_shared/numbers";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { compressionsTable } from "./compressions";
import { costsOf } from "./costs";
import type { Payload } from "./payload";
import { RangeList } from "./range_list";
import { ReportTable } from "./report_table";
import own from "./widget.css";

const EMPTY = "Nothing to show: pass what compress() gives, CompressionView(ctxlab.compress(session)).";
const TRAITS = ["view", "error", "can_go_back", "can_apply", "applied", "live"];
const KEYS: KeyList = [
  ["Up, Down", "on a handle: to the legal cut before, to the next"],
  ["Home, End", "on a handle: to the first legal cut, to the last"],
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
      [h("span", { class: "muted" }, "before it counts"), h("span", { class: "sp" }), this.undo, this.apply],
      KEYS,
      at,
    );
    this.list = new RangeList({ live: this.live, signal, choose: (start, end) => this.choose(start, end) });
    this.report = new ReportTable(this.live, signal, (number) => model.send({ command: "put_back", number }));
    this.text.readOnly = !this.live;
    this.box = h("div", { class: "summary" }, h("div", { class: "bar" }, h("h3", {}, "Summary"), this.by), this.text);
    const right = h("div", { class: "r" }, this.costs, this.ask, this.box, this.notes);
    this.two = h("div", { class: "two" }, this.list.element, right);
    root.append(h("div", { class: "w" }, this.head.element, this.empty, this.two, this.report.element, this.made));
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
    const keys = (event: KeyboardEvent) => {
      const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z";
      if (!isUndo || event.target === this.text || model.get("can_go_back") !== true) return;
      taken(event);
      back();
    };
    root.addEventListener("keydown", keys, { signal });
  }

  /** Asks for another range: at once where the summary needs no model, else with a button. */
  private choose(start: number, end: number): void {
    const rows = this.payload?.rows;
    if (!rows) return;
    const send = () => this.model.send({ command: "range", first: rows[start][0], last: rows[end - 1][0] });
    if (this.payload?.instant) {
      send();
      return;
    }
    const words = `Summarise ${many(end - start, "message")}, ${harmless(rows[start][0])} to ${harmless(rows[end - 1][0])}`;
    const button = h("button", { type: "button", class: "btn" }, words);
    button.addEventListener("click", () => {
      button.setAttribute("aria-disabled", "true");
      send();
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
    if (error && this.payload) this.list.draw(this.payload);
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
    this.list.draw(payload);
    this.costs.replaceChildren(costsOf(payload));
    this.box.hidden = !payload.editable;
    if (this.text.value !== payload.summary) this.text.value = payload.summary;
    this.by.textContent = harmless(payload.by);
    this.notes.hidden = !payload.notes.length;
    this.notes.replaceChildren(...payload.notes.map((note) => h("li", {}, harmless(note))));
    this.report.draw(payload);
    this.made.replaceChildren(compressionsTable(payload.compressions));
  }
}

export default widget("Compression", own, (at) => void new CompressionView(at));
