import { describe, expect, it } from "vitest";

import { priceWords } from "../ctxlab_widgets/_shared/remedy_button";

describe("the price of a change", () => {
  it("says what grows by how many tokens", () => {
    expect(priceWords({ tokens: 1098, of: "budget" })).toBe(", budget +1,098");
    expect(priceWords({ tokens: -3, of: "prompt" })).toBe(", prompt \u22123");
    expect(priceWords({ tokens: 0, of: "lore" })).toBe(", lore \u00b10");
  });

  it("is left out where it isn't known", () => {
    expect(priceWords(null)).toBe("");
  });
});
