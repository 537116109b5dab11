// What can be done with a message: buttons in its head, the rest in a menu.

import { h } from "../_shared/dom";
import type { Cut } from "./cut_marks";
import type { ListHost } from "./list_host";
import type { Menu, MenuItem } from "./menu";
import type { Choice, Row, RowAction } from "./payload";

const LABELS: Record<string, string> = {
  edit: "Edit",
  branch: "Branch here",
  regenerate: "Again",
  continue: "Go on",
  copy: "Copy",
  translate: "Translate",
  disable: "Switch off",
  enable: "Switch on",
  delete: "Delete",
  "undo-summary": "Put it back",
};
/** Keys of the list that do the same, for titles. */
const KEYS: Record<string, string> = { edit: "E", branch: "B", regenerate: "R", copy: "C", translate: "T" };
const FIRST = new Set<RowAction>(["edit", "branch", "copy", "translate"]);

/** Those that have a button of their own, which is always there. */
const ELSEWHERE = new Set<RowAction>(["retry", "undo-summary"]);

/** What the buttons of a row reach. */
export interface RowTools {
  host: ListHost;
  menu: Menu;
  /** Why the next request leaves a message out. */
  cutOf(key: string): Cut | undefined;
  /** Opens the field of a message; of one that is to be a branch too. */
  edit(key: string, kind: "edit" | "branch"): void;
}

export const isOffered = (row: Row, action: RowAction, live: boolean): boolean =>
  row.actions.includes(action) && (live || action === "copy");

/** Those that have a button in the head; the rest are in the menu. */
function isFirst(row: Row, action: RowAction): boolean {
  return FIRST.has(action) || (action === "regenerate" && row.role === "assistant");
}

export const labelOf = (action: RowAction, plugins: Choice[]): string =>
  LABELS[action] ?? plugins.find(({ id }) => `plugin:${id}` === action)?.label ?? action.replace(/^plugin:/, "");

/** Does what a button or a key stands for; false where this row has none of it. */
export function carryOut(row: Row, action: RowAction, tools: RowTools, at: HTMLElement): boolean {
  const { host } = tools;
  if (!isOffered(row, action, host.live)) return false;
  const { key } = row;
  if (action === "copy") host.copy(shownText(row));
  else if (action === "edit" || action === "branch") tools.edit(key, action);
  else if (action === "translate") translate(row, tools, at);
  else if (action.startsWith("plugin:")) runPlugin(row, action.slice(7), tools, at);
  else host.send({ command: action as "continue", key });
  return true;
}

/** Does an action of a plugin; one with a question asks it first. */
function runPlugin({ key }: Row, id: string, { host, menu }: RowTools, at: HTMLElement): void {
  const known = host.messageActions().find((each) => each.id === id);
  const run = () => host.send({ command: "message_action", key, id });
  if (!known?.question) run();
  else
    menu.open(
      at,
      known.question,
      [
        { label: known.label, act: run },
        { label: "Leave it", act: () => {} },
      ],
      true,
    );
}

/** The text that one reads: of a translation alone that. */
export const shownText = ({ text, translation }: Row): string =>
  translation?.shown === "translation" ? translation.text : text;

function translate({ key }: Row, { host, menu }: RowTools, at: HTMLElement): void {
  const languages = host.languages();
  const into = (to: string) => host.send({ command: "translate", key, to });
  if (languages.length < 2) into(languages[0]?.id ?? "");
  else menu.open(at, "Translate into", choices(languages, into));
}

const choices = (all: Choice[], act: (id: string) => void): MenuItem[] =>
  all.map(({ id, label, hint }) => ({ label, ...(hint ? { hint } : {}), act: () => act(id) }));

/** Buttons in the row's order, and *More* where there is more. */
export function actionButtons(row: Row, tools: RowTools): HTMLElement[] {
  const offered = row.actions.filter((action) => !ELSEWHERE.has(action) && isOffered(row, action, tools.host.live));
  const plugins = tools.host.messageActions();
  const buttons = offered
    .filter((action) => isFirst(row, action))
    .map((action) => button(labelOf(action, plugins), action, KEYS[action], (at) => carryOut(row, action, tools, at)));
  if (!tools.host.live || !offered.length) return buttons;
  const more = button("More\u2026", "more", "M", (at) => tools.menu.open(at, "More", menuItems(row, tools, at)));
  more.setAttribute("aria-haspopup", "menu");
  return [...buttons, more];
}

function button(label: string, act: string, key: string | undefined, press: (at: HTMLElement) => unknown): HTMLElement {
  const made = h("button", { type: "button", class: "btn q", "data-act": act, title: key }, label);
  made.addEventListener("click", () => press(made));
  return made;
}

function menuItems(row: Row, tools: RowTools, at: HTMLElement): MenuItem[] {
  const { host, menu } = tools;
  const plugins = host.messageActions();
  const rest = row.actions.filter((action) => !ELSEWHERE.has(action) && !isFirst(row, action));
  const items: MenuItem[] = rest.map((action) => {
    const hint = plugins.find(({ id }) => `plugin:${id}` === action)?.hint;
    const act = () => void carryOut(row, action, tools, at);
    return { label: labelOf(action, plugins), ...(hint ? { hint } : {}), act };
  });
  const models = row.actions.includes("regenerate") ? host.models() : [];
  const again = (model: string) => host.send({ command: "regenerate", key: row.key, model });
  if (models.length)
    items.push({
      label: "Again with another model\u2026",
      act: () => menu.open(at, "Again with", choices(models, again)),
    });
  if (row.kind !== "preset" && tools.cutOf(row.key))
    items.push({
      label: "Why isn\u2019t this sent?",
      act: () => host.send({ command: "why", key: row.key }),
    });
  if (row.kind !== "preset")
    items.push({
      label: "Show in the tree",
      act: () => host.send({ command: "open", view: "tree", key: row.key }),
    });
  return items;
}
