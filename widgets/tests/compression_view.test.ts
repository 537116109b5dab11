import { describe, expect, it } from "vitest";
import { chosenFacts, type Fact, nearest, placesOf } from "../ctxlab_widgets/compression_view/payload";

const cuts = [null, "inside an exchange", null, "between a tool call and its result", null, "after protected messages"];

describe("the handles of a range", () => {
  it("stand at legal cuts alone, and never at or beyond one another", () => {
    expect(placesOf({ cuts }, [0, 2], 0)).toEqual([0]);
    expect(placesOf({ cuts }, [0, 4], 0)).toEqual([0, 2]);
    expect(placesOf({ cuts }, [0, 2], 1)).toEqual([2, 4]);
  });

  it("may part where there is no range yet", () => {
    expect(placesOf({ cuts }, [0, 0], 1)).toEqual([0, 2, 4]);
  });

  it("go to the cut nearest to the pointer, and nowhere where there is none", () => {
    expect(nearest([0, 2, 4], 3)).toBe(2);
    expect(nearest([0, 2, 4], 9)).toBe(4);
    expect(nearest([], 3)).toBeNull();
  });
});

describe("the facts of a report", () => {
  const fact = (state: Fact["state"], kind: string): Fact => ({
    state,
    kind,
    source: "u1",
    mentions: 1,
    was: ["", "words", ""],
    now: null,
    reason: "",
  });
  const facts = [fact("lost", "number"), fact("kept", "name"), fact("lost", "name")];

  it("are chosen by state and by kind, and keep their numbers", () => {
    expect(chosenFacts(facts, "", "")).toEqual([0, 1, 2]);
    expect(chosenFacts(facts, "lost", "")).toEqual([0, 2]);
    expect(chosenFacts(facts, "lost", "name")).toEqual([2]);
  });
});
