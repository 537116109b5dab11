// The tabs of a report: a view is drawn when its tab is opened first; all views share the message in focus.

import { type HostedWidget, held, widgetOf } from "./host_load";
import { HostModel } from "./host_model";
import { onlyStop, roving } from "./keyboard";

interface OpenPage {
  model: HostModel;
  widget: HostedWidget;
  stop: () => void;
}

export class HostPages {
  private readonly tabs = [...document.querySelectorAll<HTMLElement>("[role=tab]")];
  private readonly opened = new Map<string, Promise<OpenPage>>();
  private readonly drawn = new Map<string, OpenPage>();
  private readonly ending = new AbortController();
  private selected = "";
  private current = "";

  async begin(): Promise<void> {
    const { signal } = this.ending;
    const list = document.querySelector<HTMLElement>("[role=tablist]")!;
    roving(list, () => this.tabs, { signal, onmove: (to) => this.choose(nameOf(this.tabs[to])) });
    for (const tab of this.tabs) tab.addEventListener("click", () => this.choose(nameOf(tab)), { signal });
    window.addEventListener("hashchange", () => void this.open(this.wanted()), { signal });
    await this.open(this.wanted());
    await this.ready(nameOf(this.tabs[0])); // on paper the first page is seen, whichever tab is open
  }

  /** Model and widget of the tab that is open. */
  get model(): HostModel | undefined {
    return this.drawn.get(this.current)?.model;
  }

  get widget(): HostedWidget | undefined {
    return this.drawn.get(this.current)?.widget;
  }

  stop = (): void => {
    this.ending.abort();
    for (const page of this.drawn.values()) page.stop();
  };

  /** Brings a tab to the front, and says so in the address: a link to the file can name the tab. */
  private choose(name: string): void {
    history.replaceState(null, "", `#${name}`);
    void this.open(name);
  }

  private wanted(): string {
    const name = location.hash.slice(1);
    return this.has(name) ? name : this.current || nameOf(this.tabs[0]);
  }

  private has(name: string): boolean {
    return this.tabs.some((tab) => nameOf(tab) === name);
  }

  private async open(name: string): Promise<void> {
    this.current = name;
    for (const tab of this.tabs) {
      const is = nameOf(tab) === name;
      tab.setAttribute("aria-selected", String(is));
      panelOf(nameOf(tab)).hidden = !is;
    }
    onlyStop(
      this.tabs,
      this.tabs.findIndex((tab) => nameOf(tab) === name),
    );
    await this.ready(name);
  }

  /** The view of a tab, drawn once. */
  private ready(name: string): Promise<OpenPage> {
    const page = this.opened.get(name) ?? this.draw(name);
    this.opened.set(name, page);
    return page;
  }

  private async draw(name: string): Promise<OpenPage> {
    const state = held<Record<string, unknown>>(`ctxlab-state-${name}`);
    const code = held<{ code: string }>(`ctxlab-code-${name}`);
    if (!state || !code) return { model: new HostModel({}), widget: { render: () => () => {} }, stop: () => {} };
    const widget = await widgetOf(code.code);
    const model = new HostModel({ ...state, selected: this.selected });
    model.on("change:selected", () => this.select(String(model.get("selected") ?? "")));
    model.answer = (content) => this.jump(content as { command?: string; view?: string; key?: string });
    const stop = await widget.render({ model, el: panelOf(name) });
    const page = { model, widget, stop };
    this.drawn.set(name, page);
    return page;
  }

  private select(key: string): void {
    if (key === this.selected) return;
    this.selected = key;
    for (const { model } of this.drawn.values()) model.put({ selected: key });
  }

  /** What a kernel would do of `open_view`: the tab of the view, at the message or the entry of the key. */
  private jump({ command, view = "", key = "" }: { command?: string; view?: string; key?: string }): void {
    if (command !== "open_view" || !this.has(view)) return;
    if (key) this.select(key);
    this.choose(view);
    void this.ready(view).then(({ model }) => {
      if (key && typeof model.get("opened") === "string") model.put({ opened: key });
      this.tabs.find((tab) => nameOf(tab) === view)?.focus();
    });
  }
}

const nameOf = (tab: HTMLElement): string => tab.dataset.view ?? "";
const panelOf = (name: string): HTMLElement => document.getElementById(`ctxlab-view-${name}`)!;
