// The line above a message: who speaks, when, which of its siblings, where it stands, and what can be done with it.

import { glyph, h, harmless, whenPressed } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { Cut } from "./cut_marks";
import type { Row } from "./payload";
import { actionButtons, carryOut, isOffered, type RowTools } from "./row_actions";

export interface HeadTools extends RowTools {
  /** Shows the messages behind a summary, or folds them. */
  unfold(key: string): void;
  /** Another version of a message, which then holds the keys. */
  switchTo(key: string): void;
}

const STATES: Partial<Record<Row["state"], string>> = {
  stopped: "stopped; what came is kept",
  failed: "did not end",
  disabled: "switched off, not sent",
};

/** Its name and facts, for readers. */
export function labelOfRow(row: Row, cut: Cut | undefined): string {
  const state = row.state === "generating" ? "being written" : STATES[row.state];
  return [row.who, ...row.facts, row.standsFor?.sentence, state, cut?.cause].filter(Boolean).map(word).join(", ");
}

const word = (text: string | undefined): string => harmless(text ?? "");

/** What a head shows beside its message. */
export interface HeadState {
  cut: Cut | undefined;
  isUnfolded: boolean;
  /** Whether its buttons are made: those of the rows that nobody is at are not. */
  hasActions: boolean;
  /** How many further steps towards the answer stand behind it. */
  steps: number;
  /** Whether it is being written and was stopped. */
  isStopping: boolean;
}

export function rowHead(row: Row, shown: HeadState, tools: HeadTools): HTMLElement[] {
  const { cut, hasActions } = shown;
  const state = STATES[row.state];
  return [
    h("span", { class: "role", title: harmless(row.key) }, glyph(signOf(row)), h("b", {}, h("bdi", {}, word(row.who)))),
    ...(row.siblings ? [siblings(row, tools)] : []), // before the facts: what can be done lies over these
    h("span", { class: "muted" }, h("bdi", {}, word(factsOf(row)))),
    ...(cut ? [h("span", { class: "cause" }, glyph("cut"), h("b", {}, word(cut.cause)))] : []),
    ...(state && !cut && !(row.state === "failed" && row.error)
      ? [h("span", { class: `tag ${row.state}` }, state)]
      : []),
    h(
      "span",
      { class: "right" },
      hasActions && actions(row, tools),
      row.tokens !== undefined && h("span", { class: "muted num" }, many(row.tokens, "token")), // never lain over
      fixed(row, shown, tools),
    ),
  ];
}

const signOf = ({ kind, role }: Row): string => (kind === "summary" ? "summary" : kind === "preset" ? "preset" : role);

function factsOf({ facts, standsFor }: Row): string {
  return (standsFor ? [standsFor.sentence, ...facts] : facts).join(", ");
}

/** Which answer this is of how many; arrows show the one before and the one after. */
function siblings(row: Row, { host, switchTo }: HeadTools): HTMLElement {
  const { at, ids } = row.siblings!;
  const arrow = (to: number, sign: string, label: string) => {
    const key = ids[to - 1];
    const button = h(
      "button",
      { type: "button", "aria-label": label, "data-act": label, "aria-disabled": key === undefined || !host.live },
      sign,
    );
    if (key !== undefined && host.live) button.addEventListener("click", () => switchTo(key));
    return button;
  };
  const label = `version ${at} of ${ids.length}`;
  return h(
    "span",
    { class: "sib", role: "group", "aria-label": label },
    arrow(at - 1, "\u2039", "previous version"),
    h("span", {}, `${grouped(at)}/${grouped(ids.length)}`),
    arrow(at + 1, "\u203a", "next version"),
  );
}

/** Buttons that come with the pointer or the keys. */
function actions(row: Row, tools: HeadTools): HTMLElement | false {
  const buttons = row.state === "generating" ? [] : actionButtons(row, tools);
  return buttons.length > 0 && h("span", { class: "acts", role: "group", "aria-label": "Actions" }, buttons);
}

/** Buttons that are always there: what ends an answer, what keeps a message, what is behind a summary. */
function fixed(row: Row, { cut, isUnfolded, steps, isStopping }: HeadState, tools: HeadTools): HTMLElement[] {
  const { host } = tools;
  const { key, standsFor } = row;
  if (row.state === "generating") return host.live ? [stop(tools, isStopping)] : [];
  const out: HTMLElement[] = [];
  const fold = isUnfolded ? "Hide" : "Show";
  if (steps) out.push(press(`${fold} ${many(steps, "step")}`, "unfold", "btn q", () => tools.unfold(key)));
  const count = standsFor && row.state !== "disabled" ? standsFor.count : 0;
  if (count) {
    const label = `${fold} the ${grouped(count)}`;
    const isTold = standsFor!.kept !== "" || standsFor!.lost.length > 0;
    const opened = () => {
      if (!isUnfolded && !isTold && host.live) host.send({ command: "got", key }); // what it kept and lost
      tools.unfold(key);
    };
    out.push(press(label, "unfold", "btn q", opened));
  }
  if (standsFor && host.live)
    out.push(
      press("What it kept", "compression", "btn q", () => host.send({ command: "open", view: "compression", key })),
    );
  if (standsFor && isOffered(row, "undo-summary", host.live)) {
    const back = press("Put it back", "undo-summary", "btn q", () => carryOut(row, "undo-summary", tools, back));
    back.title = "Undoes this compression: its messages are sent again";
    out.push(back);
  }
  const keep = host.live && cut?.keep;
  if (keep) out.push(press(harmless(keep.label), "keep", "btn", () => host.send({ command: "keep", key })));
  return out;
}

function stop({ host }: HeadTools, isStopping: boolean): HTMLElement {
  const made = h(
    "button",
    { type: "button", class: "btn stop", "data-act": "stop", "aria-disabled": isStopping, title: "Esc" },
    glyph("system"),
    isStopping ? "Stopping…" : "Stop",
  );
  if (!isStopping) whenPressed(made, () => host.send({ command: "stop" }));
  return made;
}

function press(label: string, act: string, look: string, does: () => void): HTMLElement {
  const button = h("button", { type: "button", class: look, "data-act": act }, label);
  button.addEventListener("click", does);
  return button;
}
