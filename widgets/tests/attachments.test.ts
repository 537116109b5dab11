// The files of messages: which a message has at a step, and what is said of each.

import { describe, expect, test } from "vitest";
import { type FileJson, Files, fileSentence, filesOfDraft, sentWords } from "../ctxlab_widgets/_shared/attachments";
import { provenanceOf } from "../ctxlab_widgets/_shared/provenance";
import type { Draft, View } from "../ctxlab_widgets/_shared/trace_view";
import { made } from "./made";

const PNG = "data:image/png;base64,iVBORw0KGgo=";
const tokens = (n: number): string => `${n} tokens`;

const file = (id: string, more: Partial<FileJson> = {}): FileJson => ({
  key: "node:a",
  id,
  name: `${id}.png`,
  kind: "image",
  as: "picture",
  way: "goes as a picture",
  ...more,
});

const asset = (id: string, routed = false) => ({
  id,
  kind: "image",
  name: `${id}.png`,
  ...(routed ? { route: { kind: "picture", reason: "it reads them" } } : {}),
});

function shown(draft: Partial<Draft>, files: FileJson[], isDropped = false, view: View = made()) {
  const whole = { ...view.drafts[0], key: "node:a", ...draft };
  return filesOfDraft(view, whole, new Files(files), isDropped).map(({ file: { id, as }, moment }) => [id, as, moment]);
}

describe("the files of a message at a step", () => {
  test("are as they are stored until a route is decided", () => {
    expect(shown({ assets: [asset("f")] }, [file("f")])).toEqual([["f", "picture", "stored"]]);
    expect(shown({ assets: [asset("f", true)] }, [file("f")])).toEqual([["f", "picture", "sent"]]);
  });

  test("are also those that became words", () => {
    const gone = [{ ...asset("f"), cause: 0 }];

    expect(shown({ files_gone: gone }, [file("f", { as: "text" })])).toEqual([["f", "text", "sent"]]);
  });

  test("are not sent with a message that is dropped", () => {
    expect(shown({ assets: [asset("f", true)] }, [file("f")], true)).toEqual([["f", "picture", "cut"]]);
  });

  test("of pages that go as pictures there is the document, once", () => {
    const pages = [asset("f#page-1", true), asset("f#page-2", true)];
    const gone = [{ ...asset("f"), cause: 0 }];

    expect(shown({ assets: pages, files_gone: gone }, [file("f")])).toEqual([["f", "picture", "sent"]]);
  });

  test("come as words with a message that never had them as files", () => {
    const view = made();
    view.spans.push([0, "transcript", "report.pdf, page 3", -1, []]);
    const report = file("r", { name: "report.pdf", as: "text" });

    expect(shown({ spans: [view.spans.length - 1] }, [report], false, view)).toEqual([["r", "text", "sent"]]);
    expect(shown({ spans: [0] }, [report], false, view)).toEqual([]);
  });

  test("that Python has said nothing of are named all the same", () => {
    expect(shown({ assets: [asset("new")] }, [])).toEqual([["new", "unknown", "stored"]]);
  });
});

describe("what is said of a file", () => {
  test("is what the model gets, the places of its text and its tokens", () => {
    const read = file("f", { way: "goes as text, read by pdf", places: ["page 1", "page 2", "page 3"], tokens: 41 });

    expect(sentWords({ file: read, moment: "sent", thumb: "" }, tokens)).toBe(
      "goes as text, read by pdf, page 1 to page 3, 41 tokens",
    );
    expect(sentWords({ file: { ...read, estimated: true, places: [] }, moment: "sent", thumb: "" }, tokens)).toBe(
      "goes as text, read by pdf, about 41 tokens",
    );
    expect(sentWords({ file: read, moment: "stored", thumb: "" }, tokens)).toBe("as it is stored");
  });

  test("of a recording says where its words begin", () => {
    const heard = file("f", { way: "goes as text, read by speech", places: ["0:01"] });

    expect(sentWords({ file: heard, moment: "sent", thumb: "" }, tokens)).toBe(
      "goes as text, read by speech, from 0:01 on",
    );
  });

  test("in a sentence has the reason and what is amiss", () => {
    const odd = file("f", { about: "PNG picture", reason: "gpt-4o reads pictures", problem: "It is a script!" });

    expect(fileSentence({ file: odd, moment: "sent", thumb: "" }, tokens)).toBe(
      "f.png, PNG picture: goes as a picture. gpt-4o reads pictures. It is a script!",
    );
  });
});

test.each([
  [PNG, PNG],
  ["data:image/webp;base64,UklGRg==", "data:image/webp;base64,UklGRg=="],
  ["data:image/svg+xml;base64,PHN2Zz4=", ""],
  ["https://example.org/x.png", ""],
  ["javascript:alert(1)", ""],
  ['data:image/png;base64,AA" onerror="alert(1)', ""],
])("the small picture %j is shown as %j", (url, expected) => {
  expect(new Files([], [url]).shown(file("f", { thumb: 0 }), "sent").thumb).toBe(expected);
});

test("words of a file name the file and the place in it", () => {
  const view = made();
  view.causes.push({ processor: "transcription-processor", rule: "text of a file", reason: "it is read" });
  view.spans.push([0, "transcript", "report.pdf, page 3", view.causes.length - 1, []]);
  view.spans.push([0, "attachment", "report.pdf", view.causes.length - 1, []]);

  const [from] = provenanceOf(view, view.spans.length - 2);
  const [about] = provenanceOf(view, view.spans.length - 1);

  expect([from.what, from.who]).toEqual(["from report.pdf, page 3", "transcription-processor"]);
  expect(about.what).toBe("words for report.pdf");
});
