// The turn that runs, as pieces of it come.

import type { Running } from "./payload";
import { type Pieces, withPieces } from "./stream";

/** What pieces brought: nothing, a gap before them, words alone, calls too, or the beginning of another message. */
export type Came = "nothing" | "gap" | "words" | "calls" | "another";

export class LiveTurn {
  now: Running | null = null;
  /** Whether it was asked for whole: until it comes pieces say nothing. */
  private isBehind = false;

  /** The turn whole; false where more of it is known already. */
  take(turn: Running | null): boolean {
    const { now } = this;
    if (turn && now && turn.key === now.key && turn.number < now.number) {
      if (turn.elsewhere === now.elsewhere && turn.stopping === now.stopping) return false;
      this.now = { ...now, elsewhere: turn.elsewhere ?? false, stopping: turn.stopping ?? false };
      return true;
    }
    this.now = turn;
    this.isBehind = false;
    return true;
  }

  /** It was stopped here, which Python doesn't know yet; false where none runs or that is known. */
  stop(): boolean {
    if (!this.now || this.now.stopping) return false;
    this.now = { ...this.now, stopping: true };
    return true;
  }

  add(pieces: Pieces): Came {
    const { now } = this;
    if (!now || this.isBehind) return "nothing";
    const next = withPieces(now, pieces);
    if (next === "old") return "nothing";
    if (next === "gap") {
      this.isBehind = true;
      return "gap";
    }
    this.now = next;
    if (next.key !== now.key) return "another";
    return pieces.calls ? "calls" : "words";
  }
}
