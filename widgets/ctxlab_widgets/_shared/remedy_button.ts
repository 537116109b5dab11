// What would undo a cause, as a button with its price.

import { h, harmless } from "./dom";
import { grouped } from "./numbers";

/** Tokens, and of what: those by which the budget, the prompt, the lore or a summary grows. */
export interface Price {
  tokens: number;
  of: "budget" | "prompt" | "lore" | "summary";
}

/** As Python gives it for one message: the sentence, and what the button says where a change of settings is known. */
export interface RemedyJson {
  text: string;
  label: string;
  price: Price | null;
  /** Whether there is a change to make. */
  able: boolean;
}

export const price = (tokens: number): string =>
  tokens === 0 ? "\u00b10" : `${tokens > 0 ? "+" : "\u2212"}${grouped(Math.abs(tokens))}`;

/** What follows the words of a change whose price is known: ", budget +98". */
export const priceWords = (found: Price | null): string => (found ? `, ${found.of} ${price(found.tokens)}` : "");

/** "Keep it, budget +98", with the whole sentence on hover; null where nobody can press it or nothing would help. */
export function remedyButton(remedy: RemedyJson | undefined, live: boolean, apply: () => void): HTMLElement | null {
  if (!remedy?.able || !live) return null;
  const words = `${remedy.label}${priceWords(remedy.price)}`;
  const button = h("button", { type: "button", class: "btn small remedy", title: harmless(remedy.text) }, words);
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    apply();
  });
  return button;
}
