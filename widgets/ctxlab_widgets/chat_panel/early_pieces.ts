// Pieces of an answer can overtake the message that its turn has begun: they wait for it.

import type { Running } from "./payload";
import type { Pieces } from "./stream";

const MOST = 1000;

export class EarlyPieces {
  private waiting: Pieces[] = [];

  /** Whether the page knows of a turn. */
  private isRunning = false;

  /** Gives the pieces that can be drawn now: these, or none while no turn is known. */
  come(pieces: Pieces): Pieces[] {
    if (this.isRunning) return [pieces];
    if (this.waiting.length < MOST) this.waiting.push(pieces);
    return [];
  }

  /** The turn that is known now; gives the pieces that waited for it and aren't in it. */
  running(turn: Running | null): Pieces[] {
    this.isRunning = turn !== null;
    const waited = this.waiting;
    this.waiting = [];
    return turn ? waited.filter(({ number }) => number > turn.number) : [];
  }
}
