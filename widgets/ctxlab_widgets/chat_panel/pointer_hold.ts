// While a pointer is down nothing moves: else the click that follows would meet something else.

export class PointerHold {
  isDown = false;

  constructor(private readonly signal: AbortSignal) {}

  /** The pointer went down; `after` is called when it is up again and the click, if it was one, is over. */
  begin(after: () => void): void {
    this.isDown = true;
    const up = () => {
      for (const event of ENDS) window.removeEventListener(event, up);
      setTimeout(() => {
        this.isDown = false;
        if (!this.signal.aborted) after();
      });
    };
    for (const event of ENDS) window.addEventListener(event, up, { signal: this.signal });
  }
}

const ENDS = ["pointerup", "pointercancel"] as const;
