// While a pointer is down nothing moves: else the click that follows would meet something else.

export class PointerHold {
  isDown = false;
  private forget: () => void = () => {};
  private lost: () => void = () => {};

  constructor(private readonly signal: AbortSignal) {}

  /** The pointer went down; `after` is called when it is up again and the click, if it was one, is over. */
  begin(after: () => void): void {
    this.forget();
    this.isDown = true;
    const end = () => {
      this.isDown = false;
      if (!this.signal.aborted) after();
    };
    const up = () => {
      this.forget();
      setTimeout(end);
    };
    this.forget = () => {
      for (const event of ENDS) window.removeEventListener(event, up, true);
    };
    this.lost = () => {
      this.forget();
      end();
    };
    for (const event of ENDS) window.addEventListener(event, up, { signal: this.signal, capture: true });
  }

  /** The pointer was seen with these buttons down: where none is, and nobody said that it went up, it is up. */
  saw(buttons: number): void {
    if (!buttons && this.isDown) this.lost();
  }
}

const ENDS = ["pointerup", "pointercancel"] as const;
