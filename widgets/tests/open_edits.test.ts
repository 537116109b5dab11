import { describe, expect, test } from "vitest";
import { OpenEdits } from "../ctxlab_widgets/chat_panel/open_edits";

describe("a field that was closed to be saved", () => {
  const edited = () => {
    const edits = new OpenEdits();
    edits.begin("u1", "edit", "Hello");
    expect(edits.end("u1", { kind: "edit", text: "Hello you" }, "Hello")).toBe(true);
    return edits;
  };

  test("is there again with its words where Python refuses them", () => {
    const edits = edited();

    expect(edits.refused()?.key).toBe("u1");
    expect(edits.of("u1")).toEqual({ kind: "edit", text: "Hello you" });
  });

  test("is gone for good once Python has done it", () => {
    const edits = edited();
    edits.carriedOut();

    expect([edits.refused(), edits.of("u1")]).toEqual([null, undefined]);
  });

  test("is there again while nobody answers, and closes where Python did get it", () => {
    const edits = edited();
    expect(edits.unanswered(true)?.key).toBe("u1");

    expect(edits.unanswered(false)?.key).toBe("u1");
    expect(edits.of("u1")).toBeUndefined();
    expect(edits.refused()?.key).toBe("u1");
  });

  test("stays open where it was typed on in the meantime", () => {
    const edits = edited();
    edits.unanswered(true);
    edits.of("u1")!.text = "Hello all of you";

    expect(edits.unanswered(false)).toBeNull();
    expect(edits.of("u1")?.text).toBe("Hello all of you");
  });

  test("has nothing to save where its words are those of the message", () => {
    const edits = new OpenEdits();
    edits.begin("u1", "edit", "Hello");

    expect(edits.end("u1", { kind: "edit", text: "Hello" }, "Hello")).toBe(false);
  });
});
