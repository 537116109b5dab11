// Where a message that is selected can be seen better than here.

import { harmless } from "../_shared/dom";
import { draftsAt, keysOf, type View } from "../_shared/trace_view";
import { type State, scopeOf } from "./state";

export interface Jump {
  /** What is the matter here. */
  words: string;
  /** What the button says. */
  label: string;
  /** The box to go to; behind the last one is what is sent. */
  box: number;
}

/** What is offered for the selected message: null where it has a row here that says what became of it. */
export function jumpTo(state: State): Jump | null {
  const { boxes, rows, selected, view, result } = state;
  const name = harmless(shortName(selected));
  const box = (at: number) => boxes.findIndex((each) => each.state !== "off" && each.at === at);
  const row = rows.find((each) => keysOf(view.drafts[each.draft]).includes(selected));
  const toResult = { label: "show in Result", box: boxes.length };
  if (row) {
    const isPlain = row.kind === "same" && !row.moved && scopeOf(state) === "step";
    return isPlain ? { words: `${name} is unchanged here`, ...toResult } : null;
  }
  const at = view.steps.findIndex((step) =>
    step.dropped.some((group) => group.drafts.some((draft) => keysOf(view.drafts[draft]).includes(selected))),
  );
  const step = (words: string, to: number) => {
    const id = harmless(view.steps[to - 1].id);
    return { words: `${name} ${words} ${id}`, label: "go there", box: box(to) };
  };
  if (at >= 0) return step("is taken out at", at + 1);
  const come = firstWith(view, selected);
  if (come > state.position) return step("comes in at", come);
  return come >= 0 && !result ? { words: `${name} isn't shown here`, ...toResult } : null;
}

/** After how many steps a message is there for the first time; -1 where it never is. */
function firstWith(view: View, key: string): number {
  for (let at = 0; at <= view.steps.length; at++)
    if (draftsAt(view, at).some((draft) => keysOf(view.drafts[draft]).includes(key))) return at;
  return -1;
}

/** A key as people say it: of a message of the conversation its id. */
export const shortName = (key: string): string => (key.startsWith("node:") ? key.slice("node:".length) : key);
