// The model of a widget without a kernel: a few values; what it sends is kept.

type Listener = (...args: never[]) => void;

export class HostModel {
  readonly sent: unknown[] = [];
  /** The bytes that went with what was sent, one list for each. */
  readonly sentBuffers: ArrayBuffer[][] = [];
  readonly saved: Record<string, unknown>[] = [];
  /** Who answers what is sent; nobody where it is only kept. */
  answer: ((content: unknown) => void) | null = null;
  private readonly listeners = new Map<string, Set<Listener>>();
  private changed: Record<string, unknown> = {};
  private readonly state: Record<string, unknown>;

  constructor(state: Record<string, unknown>) {
    this.state = read(state);
  }

  get = (name: string): unknown => this.state[name];
  set = (name: string, value: unknown): void => {
    this.changed[name] = value;
    this.put({ [name]: value });
  };
  save_changes = (): void => {
    this.saved.push(this.changed);
    this.changed = {};
  };
  send = (content: unknown, _callbacks?: unknown, buffers: ArrayBuffer[] = []): void => {
    this.sent.push(content);
    this.sentBuffers.push(buffers);
    this.answer?.(content);
  };
  /** What a kernel does: a message comes in that is no value. */
  hear = (content: unknown, buffers: unknown[] = []): void => {
    for (const listener of this.listeners.get("msg:custom") ?? []) listener(...([content, buffers] as never[]));
  };
  on = (event: string, listener: Listener): void => {
    this.listeners.set(event, (this.listeners.get(event) ?? new Set()).add(listener));
  };
  off = (event: string, listener: Listener): void => {
    this.listeners.get(event)?.delete(listener);
  };
  /** What a kernel does: new values come in, and whoever listens is told. */
  put = (values: Record<string, unknown>): void => {
    const changes = Object.entries(read(values)).filter(([name, value]) => !alike(this.state[name], value));
    if (!changes.length) return;
    for (const [name, value] of changes) this.state[name] = value;
    for (const [name] of changes) for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
    for (const listener of this.listeners.get("change") ?? []) listener();
  };
}

/** Bytes come as a kernel sends them: a DataView. In a page of one file they are `{bytes: base64}`. */
function read(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, bytes(value) ?? value]));
}

function bytes(value: unknown): DataView | null {
  const packed = (value as { bytes?: unknown } | null)?.bytes;
  if (typeof packed !== "string") return null;
  return new DataView(Uint8Array.from(atob(packed), (sign) => sign.charCodeAt(0)).buffer);
}

const alike = (a: unknown, b: unknown): boolean =>
  a === b || (!(a instanceof DataView) && JSON.stringify(a) === JSON.stringify(b));
