// A queue of commands to Python: one at a time, of a drag only the newest.

export interface Command {
  command: string;
  continues?: boolean;
  [name: string]: unknown;
}

const SLIDES = new Set(["budget", "keep"]);

/** The queue with one more command: a further place of a movement takes that of the one before. */
export function queued(waiting: Command[], next: Command): Command[] {
  const last = waiting[waiting.length - 1];
  if (!last || !SLIDES.has(last.command) || !SLIDES.has(next.command) || !next.continues) return [...waiting, next];
  const { continues: _, ...bare } = next;
  return [...waiting.slice(0, -1), last.continues ? next : (bare as Command)];
}

export class Queue {
  private waiting: Command[] = [];
  private away = false;
  private frame = 0;

  constructor(
    private readonly send: (command: Command) => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => cancelAnimationFrame(this.frame));
  }

  get busy(): boolean {
    return this.away || this.waiting.length > 0;
  }

  ask(command: Command): void {
    this.waiting = queued(this.waiting, command);
    this.next();
  }

  /** Python has answered. */
  answered(): void {
    this.away = false;
    this.next();
  }

  private next(): void {
    if (this.away || this.frame || !this.waiting.length) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const command = this.waiting.shift();
      if (!command) return;
      this.away = true;
      this.send(command);
    });
  }
}
