// The text that is typed, and the trait that Python has of it: neither loses what the other doesn't know yet.

/** Milliseconds without a key after which Python gets the text. */
export const TYPING_MS = 150;

export class TypedText {
  /** What page and Python last agreed on. */
  private agreed: string;
  /** A text that was sent and is still in Python's trait; null when none is. */
  private sent: string | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `area` holds the text; `save` gives it to Python. */
  constructor(
    private readonly area: { value: string },
    private readonly save: (text: string) => void,
  ) {
    this.agreed = area.value;
  }

  /** A key was pressed: Python gets the text once typing has stopped. */
  typed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.give(), TYPING_MS);
  }

  /** Python gets the text at once. */
  give(): void {
    clearTimeout(this.timer);
    if (this.area.value === this.agreed) return;
    this.agreed = this.area.value;
    this.save(this.agreed);
  }

  /** Takes the text out of the field for sending; Python has it before it is told to send. */
  take(): string {
    this.give();
    const text = this.area.value;
    if (text) this.sent = text;
    this.area.value = "";
    return text;
  }

  /** Python refused what was sent: it comes back, unless something else was typed meanwhile. Says whether it did. */
  refused(): boolean {
    const text = this.sent;
    this.sent = null;
    if (text === null || this.area.value) return false;
    this.area.value = this.agreed = text;
    return true;
  }

  /** Python has set the text. Says whether the field shows it: where the page has gone on typing, it doesn't. */
  put(text: string): boolean {
    const { area, sent } = this;
    if (sent !== null && text === sent) return false;
    this.sent = null;
    if (sent !== null && !text) {
      this.agreed = "";
      this.give();
      return false;
    }
    if (area.value !== (sent === null ? this.agreed : "")) return false;
    this.agreed = text;
    if (area.value === text) return false;
    area.value = text;
    return true;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
