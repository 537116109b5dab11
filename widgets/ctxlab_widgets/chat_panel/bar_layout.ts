// Widths of the budget's bar: what is sent by source, what is left, and outside the window's end what falls.

import type { Draft } from "./payload";

export interface BarPiece {
  source: string;
  label: string;
  tokens: number;
  /** Share of the bar's whole length, in [0, 1]. */
  share: number;
}

export interface BarLayout {
  pieces: BarPiece[];
  /** Where the window ends, as a share of the length; null without a budget. */
  end: number | null;
}

export function barLayout({ totals, budget, cutTokens }: Pick<Draft, "totals" | "budget" | "cutTokens">): BarLayout {
  const parts = totals.filter(([, , tokens]) => tokens > 0);
  const sent = parts.reduce((sum, [, , tokens]) => sum + tokens, 0);
  if (budget !== null && budget > sent) parts.push(["free", "free", budget - sent]);
  if (cutTokens > 0) parts.push(["cut", "does not fit", cutTokens]);
  const whole = Math.max(1, Math.max(sent, budget ?? 0) + Math.max(0, cutTokens));
  return {
    pieces: parts.map(([source, label, tokens]) => ({ source, label, tokens, share: tokens / whole })),
    end: budget === null ? null : Math.min(1, budget / whole),
  };
}
