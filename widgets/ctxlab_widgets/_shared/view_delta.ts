// A run that was sent once as a whole, brought up to date by what is new in it.

import type { View } from "./trace_view";

type Table = "texts" | "causes" | "spans" | "drafts";

/** The newest view, of its tables only the rows behind the first `since` of each. */
export type ViewDelta = View & { since: Record<Table, number> };

/** The newest view, from the one that was sent first; the delta is empty where that one is the newest. */
export function applyDelta(view: View, delta: ViewDelta | Record<string, never>): View {
  if (!isDelta(delta)) return view;
  const { since, ...newest } = delta;
  return {
    ...newest,
    texts: [...view.texts.slice(0, since.texts), ...newest.texts],
    causes: [...view.causes.slice(0, since.causes), ...newest.causes],
    spans: [...view.spans.slice(0, since.spans), ...newest.spans],
    drafts: [...view.drafts.slice(0, since.drafts), ...newest.drafts],
  };
}

const isDelta = (delta: ViewDelta | Record<string, never>): delta is ViewDelta => Boolean(delta.since);
