// Whether Python has answered to what was sent: a kernel that was stopped or restarted leaves a page that looks alive.

/** Milliseconds without a sign of Python after which the page says so. */
export const SILENT_MS = 3000;

export class AnswerWait {
  /** Something was sent, and Python gave no sign since. */
  isOpen = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `say` hears that Python is silent, and that it no longer is. */
  constructor(private readonly say: (isSilent: boolean) => void) {}

  begin(): void {
    this.heard();
    this.isOpen = true;
    this.timer = setTimeout(() => this.say(true), SILENT_MS);
  }

  /** Python has said something. */
  heard(): void {
    if (!this.isOpen) return;
    this.stop();
    this.say(false);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.isOpen = false;
  }
}
