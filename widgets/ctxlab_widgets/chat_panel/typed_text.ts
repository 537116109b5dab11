// The text that is typed, and the trait that Python has of it: neither loses what the other doesn't know yet.

/** Milliseconds without a key after which Python gets the text. */
export const TYPING_MS = 150;

export class TypedText {
  /** What page and Python last agreed on. */
  private agreed: string;
  /** A text that was sent, stays in the field, and of which Python hasn't said yet that it took it; null for none. */
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

  /** Python gets the text at once; of one that begins with what was sent only the words behind. */
  give(): void {
    clearTimeout(this.timer);
    const { sent } = this;
    const { value } = this.area;
    if (value === sent) return;
    const words = sent !== null && value.startsWith(sent) ? value.slice(sent.length) : value;
    if (words === this.agreed) return;
    this.agreed = words;
    this.save(words);
  }

  /** The text for sending; Python has it before it is told to send, and it stays until Python took it. */
  take(): string {
    this.sent = null;
    this.give();
    const text = this.area.value;
    if (text) this.sent = text;
    return text;
  }

  /** Whether the field has nothing but what was sent and isn't taken yet. */
  get isSent(): boolean {
    return this.sent !== null && this.area.value === this.sent;
  }

  /** Python refused what was sent: it is a draft again. Says whether something was. */
  refused(): boolean {
    const was = this.sent;
    this.sent = null;
    return was !== null;
  }

  /** Python has set the text. Says whether the field shows it: where the page has gone on typing, it doesn't. */
  put(text: string): boolean {
    const { area, sent } = this;
    if (sent !== null && text && (text === sent || text === this.agreed)) return false;
    this.sent = null;
    if (sent !== null && !text) {
      this.agreed = "";
      if (area.value.startsWith(sent)) area.value = area.value.slice(sent.length);
      this.give();
      return false;
    }
    if (area.value !== (sent ?? this.agreed)) return false;
    this.agreed = text;
    if (area.value === text) return false;
    area.value = text;
    return true;
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}
