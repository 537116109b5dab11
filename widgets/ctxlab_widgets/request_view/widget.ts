// The request of a vendor: the body line by line, whose words each value is, what is refused, lost, cached and paid.

import sidePanel from "../_shared/components/side_panel.css";
import { h, harmless } from "../_shared/dom";
import { EffectBanner } from "../_shared/effect_banner";
import { isSingle, taken } from "../_shared/keyboard";
import { type Model, type Mounted, save, whenChanged, widget } from "../_shared/mount";
import { commits } from "../_shared/number_field";
import { type Radios, radios } from "../_shared/radios";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { BodyList, type BodyState } from "./body_list";
import { type Comparison, ComparisonTable } from "./comparison_table";
import { LossBanner } from "./losses";
import { type Payload, sentence } from "./payload";
import { cachedUpTo, closedAtFirst } from "./rows";
import { SidePanel } from "./side_panel";
import own from "./widget.css";

const EMPTY = 'Nothing to show: pass a trace, RequestView(ctxlab.build(session), provider="anthropic").';
const NOTHING: Payload = {
  lines: [],
  parts: [],
  problems: [],
  losses: [],
  fixes: [],
  notes: [],
  marks: [],
  breaks: [],
  automatic: false,
  steps: [],
  price: {
    input_tokens: 0,
    cached_tokens: 0,
    written_tokens: 0,
    output_tokens: null,
    input_usd: null,
    cached_usd: null,
    output_usd: null,
    most_usd: null,
    source: "",
    as_of: "",
  },
  bytes: 0,
  estimated: false,
  stopped_at: null,
};
const KEYS: KeyList = [
  ["Up, Down, Home, End", "the line before, the next, the first, the last"],
  ["Right, Left", "opens a fold, closes it; Left: to the line that opens it"],
  ["Enter", "chooses the message of a line, in all views; on a problem its first mend"],
  ["Esc", "chooses nothing"],
  ["P, Shift+P", "the next problem, the one before"],
];

interface Choices {
  providers?: [name: string, title: string][];
  models?: string[];
}

class RequestView {
  private readonly model: Model;
  private readonly live: boolean;
  private readonly state: BodyState;
  private readonly head: ViewHead;
  private readonly list: BodyList;
  private readonly side = new SidePanel();
  private readonly losses: LossBanner;
  private readonly table: ComparisonTable;
  private readonly effect: EffectBanner;
  private readonly empty = h("p", { class: "empty" }, EMPTY);
  private readonly two: HTMLElement;
  private readonly vendors = h("span", { class: "vendors" });
  private radios: Radios | null = null;
  private readonly models = h("datalist");
  private readonly name = h("input", { "aria-label": "Model", class: "model", spellcheck: "false" });
  private readonly against = h("select", { "aria-label": "Compare with" });
  private readonly copied = h("span", { class: "muted", role: "status" });
  private known = "";
  private isFirst = true;
  private readonly number = document.querySelectorAll(`[id^=${MODELS}]`).length;

  constructor(private readonly at: Mounted) {
    const { model, root, signal } = at;
    this.model = model;
    this.live = model.get("live") === true;
    this.state = {
      payload: NOTHING,
      closed: new Set(),
      whole: new Set(),
      cachedTo: -1,
      live: this.live,
      selected: String(model.get("selected") ?? ""),
    };
    const send = (message: unknown) => model.send(message);
    const fix = (number: number) => send({ command: "fix", number, label: this.state.payload.fixes[number] ?? "" });
    this.list = new BodyList(this.state, {
      fix,
      look: (line, part) => this.side.look(line, part),
      select: (key) => this.select(key),
      signal,
    });
    this.losses = new LossBanner({ fix });
    this.table = new ComparisonTable({
      live: this.live,
      close: () => send({ command: "compare", name: "" }),
      swap: () => this.swap(),
    });
    const copy = (what: string, words: string, title: string) => {
      const button = h("button", { type: "button", class: "btn", title, hidden: !this.live }, words);
      button.addEventListener("click", () => send({ command: "copy", what }), { signal });
      return button;
    };
    const tools = [
      this.vendors,
      this.name,
      this.models,
      this.against,
      h("span", { class: "sp" }),
      this.copied,
      copy("json", "Copy JSON", "The body, in these lines"),
      copy("curl", "Copy as curl", "A command that posts the body; the key is a variable"),
    ];
    this.head = new ViewHead("Request", tools, KEYS, at);
    const back = () => send({ command: "back" });
    this.effect = new EffectBanner(this.live ? back : null, signal);
    this.two = h("div", { class: "two" }, this.list.element, this.side.element);
    const frame = h(
      "div",
      { class: "w" },
      this.head.element,
      this.effect.element,
      this.losses.element,
      this.two,
      this.table.element,
      this.empty,
    );
    root.append(frame);
    this.listen(root, signal);
    whenChanged(at, TRAITS, (changed) => this.onChange(changed));
    this.onChange(new Set(TRAITS));
  }

  private get views(): Set<string> {
    return new Set((this.model.get("views") as string[] | undefined) ?? []);
  }

  private listen(root: HTMLElement, signal: AbortSignal): void {
    const { model } = this;
    root.addEventListener("keydown", (event) => this.pressed(event), { signal });
    commits(this.name, {
      commit: (name) => model.send({ command: "model", name }),
      value: () => String(model.get("model") ?? ""),
      signal,
    });
    this.against.addEventListener("change", () => model.send({ command: "compare", name: this.against.value }), {
      signal,
    });
    const onText = (content: { copied?: string; what?: string }) => {
      if (typeof content.copied === "string") void this.copy(content.copied, String(content.what ?? ""));
    };
    model.on("msg:custom", onText);
    signal.addEventListener("abort", () => model.off("msg:custom", onText));
  }

  private async copy(text: string, what: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.copied.textContent = `${harmless(what)} copied`;
    } catch {
      this.copied.textContent = "This page may not use the clipboard";
    }
  }

  // --- what Python holds

  private onChange(changed: Set<string>): void {
    const { model, state } = this;
    const selected = String(model.get("selected") ?? "");
    const isOther = selected !== state.selected;
    state.selected = selected;
    if (changed.has("view") || changed.has("views")) this.take();
    if (changed.has("choices") || changed.has("provider") || changed.has("model") || changed.has("compared"))
      this.drawChoices();
    if (changed.has("comparison")) this.drawComparison();
    this.drawHead();
    if ((isOther || this.isFirst) && selected) this.list.reveal(selected);
    else if (this.isFirst && state.payload.problems.length) this.list.revealLine(state.payload.problems[0].line);
    this.isFirst = false;
    this.list.mark();
  }

  private take(): void {
    const { model, state } = this;
    const view = String(model.get("view") || "");
    const shown = view !== "";
    if (view !== this.known) {
      state.payload = shown ? (JSON.parse(view) as Payload) : NOTHING;
      state.closed = closedAtFirst(state.payload);
      state.whole = new Set();
      state.cachedTo = cachedUpTo(state.payload);
      this.known = view;
    }
    this.two.hidden = !shown;
    this.empty.hidden = shown;
    this.losses.draw(state.payload, this.live);
    if (!shown) return;
    const openSteps = this.views.has("steps")
      ? (key: string) => model.send({ command: "open_view", view: "steps", key })
      : null;
    this.side.draw(state.payload, { openSteps });
    this.list.draw();
  }

  private select(key: string): void {
    if (key === this.state.selected) return;
    this.state.selected = key;
    save(this.model, { selected: key });
    this.list.mark();
  }

  // --- what a person does

  private swap(): void {
    const compared = String(this.model.get("compared") ?? "");
    const provider = String(this.model.get("provider") ?? "");
    this.model.send({ command: "provider", name: compared });
    this.model.send({ command: "compare", name: provider });
  }

  private pressed(event: KeyboardEvent): void {
    if (!isSingle(event) || event.key.toLowerCase() !== "p") return;
    taken(event);
    this.list.goToProblem(event.shiftKey ? -1 : 1);
  }

  // --- drawing

  private drawHead(): void {
    const { model, state } = this;
    const wrong = String(model.get("error") ?? "");
    const said = state.payload === NOTHING ? "" : harmless(sentence(state.payload));
    this.head.answer(wrong ? harmless(wrong) : said, Boolean(wrong));
    this.effect.draw((model.get("effect") as { label?: string; text?: string } | undefined) ?? {});
  }

  private drawChoices(): void {
    const { model, live } = this;
    const { providers = [], models = [] } = (model.get("choices") as Choices | undefined) ?? {};
    const provider = String(model.get("provider") ?? "");
    const shown = String(model.get("model") ?? "");
    const compared = String(model.get("compared") ?? "");
    const titles = Object.fromEntries(providers.map(([name, title]) => [name, harmless(title)]));
    const key = JSON.stringify(titles);
    if (this.vendors.dataset.key !== key) {
      this.vendors.dataset.key = key;
      const pick = (name: string) => model.send({ command: "provider", name });
      this.radios = live ? radios("Vendor", titles, pick, this.at.signal) : null;
      this.vendors.replaceChildren(this.radios?.element ?? h("span", { class: "tag" }, titles[provider] ?? ""));
    }
    this.radios?.set(provider);
    this.models.id = `${MODELS}-${this.number}`;
    this.name.setAttribute("list", this.models.id);
    this.models.replaceChildren(...models.map((value) => h("option", { value })));
    if (document.activeElement !== this.name) this.name.value = shown;
    this.name.readOnly = !live;
    this.name.hidden = this.against.hidden = !providers.length;
    const others = providers.filter(([name]) => name !== provider);
    options(this.against, ["", ...others.map(([name]) => name)], compared, { "": "Compare with\u2026", ...titles });
    if (!live) this.against.hidden = true;
  }

  private drawComparison(): void {
    const comparison = String(this.model.get("comparison") || "");
    this.table.draw(comparison ? (JSON.parse(comparison) as Comparison) : null);
  }
}

function options(select: HTMLSelectElement, values: string[], chosen: string, titles: Record<string, string> = {}) {
  const all = values.map((value) => h("option", { value }, titles[value] ?? harmless(value)));
  select.replaceChildren(...all);
  select.value = chosen;
}

const MODELS = "ctxlab-request-models";

const TRAITS = [
  ...["view", "choices", "provider", "model", "compared", "comparison"],
  ...["selected", "views", "effect", "error"],
];

export default widget("Request", sidePanel + own, (at) => void new RequestView(at));
