import { describe, expect, it } from "vitest";
import {
  chosen,
  deciding,
  inside,
  movedMinimum,
  type PieceRow,
  scaleInWords,
} from "../ctxlab_widgets/knowledge_view/data";

const row = (key: string, values: Partial<PieceRow> = {}): PieceRow => ({
  ...{ key, title: key, place: "", base: "b", base_name: "b", kind: "sent", why: "", tokens: 1 },
  ...{ words: [], pieces: [key], marks: {}, minimum: 0.3 },
  ...values,
});

describe("the rows that are shown", () => {
  const rows = [row("a"), row("b", { kind: "below", words: ["lamp"] }), row("c", { base: "other", words: ["lamp"] })];
  const keys = (...wanted: [string, string, string]) => chosen(rows, ...wanted).map(({ key }) => key);

  it("are those of a kind, of a base and with a word", () => {
    expect(keys("all", "", "")).toEqual(["a", "b", "c"]);
    expect(keys("sent", "", "")).toEqual(["a", "c"]);
    expect(keys("not sent", "", "")).toEqual(["b"]);
    expect(keys("all", "other", "")).toEqual(["c"]);
    expect(keys("not sent", "b", "lamp")).toEqual(["b"]);
  });
});

describe("the minimum", () => {
  it("moves by hundredths and tenths and stays on the scale", () => {
    expect(movedMinimum("ArrowRight", 0.3)).toBe(0.31);
    expect(movedMinimum("ArrowDown", 0)).toBe(0);
    expect(movedMinimum("PageUp", 0.95)).toBe(1);
    expect(movedMinimum("Home", 0.5)).toBe(0);
    expect(movedMinimum("End", 0.5)).toBe(1);
    expect(movedMinimum("a", 0.5)).toBeNull();
    expect(inside(-1)).toBe(0);
    expect(inside(0.57499)).toBe(0.57);
  });

  it("is compared with the mark of the engine that was asked", () => {
    expect([deciding("vector"), deciding("hybrid"), deciding("tags"), deciding("")]).toEqual([
      "vector",
      "hybrid",
      "other",
      "other",
    ]);
  });
});

describe("a scale in words", () => {
  it("names every mark, what it faded from and the minimum", () => {
    const words = scaleInWords(row("a", { marks: { vector: 0.4, hybrid: 0.5 }, fresh: 0.8 }), "vector");
    expect(words).toBe("vector 0.40, fused 0.50, faded from 0.80, minimum 0.30 for vector");
    expect(scaleInWords(row("a", { minimum: 0 }), "hybrid")).toBe("");
  });
});
