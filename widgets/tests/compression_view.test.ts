import { describe, expect, it } from "vitest";
import {
  chosenFacts,
  type Fact,
  lostItems,
  nearest,
  type Payload,
  placeOfThis,
  placesOf,
  type Report,
} from "../ctxlab_widgets/compression_view/payload";

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
    price: state === "kept" ? null : 3,
  });
  const facts = [fact("lost", "number"), fact("kept", "name"), fact("lost", "name")];

  it("are chosen by state and by kind, and keep their numbers", () => {
    expect(chosenFacts(facts, "", "")).toEqual([0, 1, 2]);
    expect(chosenFacts(facts, "lost", "")).toEqual([0, 2]);
    expect(chosenFacts(facts, "lost", "name")).toEqual([2]);
  });
});

describe("the message that above and below speak of", () => {
  const rows = ["g1", "u1", "a1"].map((id) => [id, "user", "", 1, false] as Payload["rows"][number]);
  const payload = (chosen: Payload["chosen"], end = 1) => ({ rows, range: [0, end], chosen }) as Payload;

  it("is the one in focus, where the path has it", () => {
    expect(placeOfThis(payload(["chosen", ""]), "node:a1")).toBe(2);
    expect(placeOfThis(payload(["chosen", ""]), "node:elsewhere")).toBe(1);
  });

  it("is else the one that was asked for, else the one behind the range, or the last", () => {
    expect(placeOfThis(payload(["above", "a1"]), "")).toBe(2);
    expect(placeOfThis(payload(["chosen", ""], 3), "")).toBe(2);
    expect(placeOfThis({ ...payload(["chosen", ""]), rows: [] }, "")).toBe(-1);
  });
});

describe("the items that had to be kept", () => {
  const fact = (kind: string, state: Fact["state"], source = "u1") => ({ kind, state, source }) as Fact;
  const report = (...facts: Fact[]) => ({ facts }) as Report;

  it("are counted where the summary hasn't all of them, and the first is named", () => {
    const facts = [fact("number", "lost"), fact("must-keep", "weakened"), fact("must-keep", "lost")];
    expect(lostItems(report(...facts))).toEqual([1, 2]);
  });

  it("are not lost where no message has them", () => {
    expect(lostItems(report(fact("must-keep", "lost", "")))).toEqual([-1, 0]);
    expect(lostItems(null)).toEqual([-1, 0]);
  });
});
