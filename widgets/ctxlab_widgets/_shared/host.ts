// Runs a widget without a kernel, in a report or a test: the model is a few values, and what it sends is kept.

type Listener = (...args: unknown[]) => void;

export class HostModel {
  readonly sent: unknown[] = [];
  readonly saved: Record<string, unknown>[] = [];
  private readonly listeners = new Map<string, Set<Listener>>();
  private changed: Record<string, unknown> = {};

  constructor(private readonly state: Record<string, unknown>) {}

  get = (name: string): unknown => this.state[name];
  set = (name: string, value: unknown): void => {
    this.changed[name] = value;
    this.put({ [name]: value });
  };
  save_changes = (): void => {
    this.saved.push(this.changed);
    this.changed = {};
  };
  send = (content: unknown): void => {
    this.sent.push(content);
  };
  on = (event: string, listener: Listener): void => {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
  };
  off = (event: string, listener: Listener): void => {
    this.listeners.get(event)?.delete(listener);
  };
  /** What a kernel does: new values come in, and whoever listens is told. */
  put = (values: Record<string, unknown>): void => {
    Object.assign(this.state, values);
    for (const name of Object.keys(values)) for (const tell of this.listeners.get(`change:${name}`) ?? []) tell();
    for (const tell of this.listeners.get("change") ?? []) tell();
  };
}

async function run(): Promise<void> {
  const held = document.getElementById("ctxlab-held");
  const el = document.getElementById("ctxlab-widget");
  if (!held || !el) return;
  const { code, state } = JSON.parse(held.textContent ?? "");
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  URL.revokeObjectURL(url);
  const model = new HostModel(state);
  const stop = await widget.render({ model, el });
  Object.assign(globalThis, { ctxlabHost: { model, stop } });
}

if (typeof document !== "undefined") void run();
