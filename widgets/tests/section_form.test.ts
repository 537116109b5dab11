// Which sections of a form stand open, and what a closed one says.

import { describe, expect, test } from "vitest";
import type { Setting } from "../ctxlab_widgets/_shared/trace_view";
import { opensAtFirst, setWords } from "../ctxlab_widgets/section_form/payload";

const field = (layer: string, error = "") => ({ layer, error }) as Setting;
const section = (...fields: Setting[]) => ({ settings: Object.fromEntries(fields.map((each, i) => [`f${i}`, each])) });

describe("a section", () => {
  test("stands open where there are few, where something is set, and where something is wrong", () => {
    expect(opensAtFirst(section(field("default")), 3)).toBe(true);
    expect(opensAtFirst(section(field("default")), 4)).toBe(false);
    expect(opensAtFirst(section(field("default"), field("settings")), 4)).toBe(true);
    expect(opensAtFirst(section(field("default", "much is no number")), 4)).toBe(true);
  });

  test("says of what is closed how much there is and how much of it is set", () => {
    expect(setWords(section(field("default")))).toBe("1 field");
    expect(setWords(section(field("default"), field("settings")))).toBe("2 fields, 1 set");
  });
});
