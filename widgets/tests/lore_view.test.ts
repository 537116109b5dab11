import { describe, expect, test } from "vitest";
import { chosen, type EntryRow } from "../ctxlab_widgets/lore_view/rows";

const row = (uid: string, title: string, keys: string, kind: EntryRow["kind"]): EntryRow => ({
  key: `lore:b/${uid}`,
  uid,
  title,
  book: "b",
  keys,
  kind,
  why: "its key was found",
});

const ROWS = [
  row("1", "The Lamp", "lamp, 灯塔", "fired"),
  row("2", "Rain", "rain", "blocked"),
  row("31", "Gale", "storm, GALE", "not-hit"),
];
const keys = (rows: EntryRow[]) => rows.map((each) => each.uid);

describe("which rows are shown", () => {
  test("all of them when nothing is asked for", () => expect(chosen(ROWS, "all", " ")).toBe(ROWS));

  test("those of a kind", () => expect(keys(chosen(ROWS, "blocked", ""))).toEqual(["2"]));

  test("those with all the words in number, title or keys, capitals alike", () => {
    expect(keys(chosen(ROWS, "all", "灯塔"))).toEqual(["1"]);
    expect(keys(chosen(ROWS, "all", "gale STORM"))).toEqual(["31"]);
    expect(keys(chosen(ROWS, "all", "gale rain"))).toEqual([]);
    expect(keys(chosen(ROWS, "all", "31"))).toEqual(["31"]);
  });

  test("words and kind together", () => expect(chosen(ROWS, "fired", "rain")).toEqual([]));
});
