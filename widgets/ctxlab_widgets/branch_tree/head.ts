// The head of the tree: its name, the search box and the buttons, below them how large it is and where one is in it.

import { type Child, h, harmless } from "../_shared/dom";
import type { Mounted } from "../_shared/mount";
import { grouped, many } from "../_shared/numbers";
import { type KeyList, ViewHead } from "../_shared/view_head";
import type { TreeFacts } from "./host";
import { nameOf, type Tree } from "./tree_data";

const WALK: KeyList = [
  ["Arrows", "walk and read"],
  ["← →", "in the outline fold and unfold first"],
  ["Home, End", "the root, the active leaf"],
  ["A", "to the active leaf"],
  ["/", "find; Enter and arrows walk the hits"],
  ["+ − 0", "zoom, 100 %"],
  ["Ctrl+wheel", "zooms"],
  ["Escape", "ends what was begun last"],
];
const CHANGE: KeyList = [
  ["Enter", "switch to this branch; also a double click"],
  ["Space", "pick two to compare; also Shift+click"],
  ["E", "edit the message"],
  ["F", "unfold or fold"],
  ["X, then V", "cut, and hang it here with all below; Alt+V alone"],
  ["Ctrl+Z", "undo"],
  ["Ctrl+Shift+Z", "redo; also Ctrl+Y"],
];
const KEYS: Record<string, string> = { undo: "Ctrl+Z", redo: "Ctrl+Shift+Z" };

export interface HeadActions {
  readonly live: boolean;
  goToLeaf(): void;
  togglePicking(): void;
  undo(): void;
  redo(): void;
}

export interface HeadContent {
  tree: Tree;
  facts: TreeFacts;
  isPicking: boolean;
  /** One undo for all views stands in the page's own head. */
  isInPage: boolean;
}

export class TreeHead {
  private readonly view: ViewHead;
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly leaf: HTMLButtonElement;
  private said = "";

  constructor(
    search: HTMLElement,
    reading: HTMLElement[],
    can: HeadActions,
    private readonly at: Mounted,
  ) {
    const tools = h("div", { class: "tools" });
    if (can.live) {
      tools.append(
        this.button("pick", "Compare", "Pick two messages to compare their branches", () => can.togglePicking()),
        this.button("undo", "Undo", "", () => can.undo()),
        this.button("redo", "Redo", "", () => can.redo()),
      );
    }
    this.leaf = h("button", { type: "button", class: "lk", title: "A" });
    this.leaf.addEventListener("click", () => can.goToLeaf(), { signal: at.signal });
    const keys = can.live ? [...WALK.slice(0, 1), ...CHANGE, ...WALK.slice(1)] : WALK;
    this.view = new ViewHead("Branches", [search, reading, h("span", { class: "sp" }), tools], keys, at);
  }

  get element(): HTMLElement {
    return this.view.element;
  }

  draw({ tree, facts, isPicking, isInPage }: HeadContent): void {
    this.enable("undo", facts.undo !== null, facts.undo);
    this.enable("redo", facts.redo !== null, facts.redo);
    for (const name of ["undo", "redo"]) this.buttons.get(name)?.toggleAttribute("hidden", isInPage);
    this.buttons.get("pick")?.setAttribute("aria-pressed", String(isPicking));
    this.say(tree, facts);
  }

  /** The same words are not said twice. */
  private say(tree: Tree, facts: TreeFacts): void {
    const words: Child[] = tree.n ? [totals(facts)] : [];
    if (tree.n && facts.leaf !== null) {
      this.leaf.replaceChildren(nameOf(tree, facts.leaf));
      words.push("; active leaf ", this.leaf, `, ${many(facts.depth, "message")} deep`);
    }
    const said = words.map((each) => (each instanceof Node ? each.textContent : each)).join("");
    if (said === this.said) return;
    this.said = said;
    this.view.answer(words);
  }

  private button(name: string, label: string, title: string, does: () => void): HTMLButtonElement {
    const made = h("button", { type: "button", class: "btn", title }, label);
    const click = () => made.getAttribute("aria-disabled") !== "true" && does();
    made.addEventListener("click", click, { signal: this.at.signal });
    this.buttons.set(name, made);
    return made;
  }

  private enable(name: string, on: boolean, what: string | null): void {
    const button = this.buttons.get(name);
    if (!button) return;
    button.setAttribute("aria-disabled", String(!on));
    button.title = what ? `${harmless(what)} (${KEYS[name]})` : KEYS[name];
  }
}

export function totals({ messages, leaves, chains }: Pick<TreeFacts, "messages" | "leaves" | "chains">): string {
  const words = [many(messages, "message"), leaves === 1 ? "1 leaf" : `${grouped(leaves)} leaves`];
  if (chains) words.push(many(chains, "folded chain"));
  return words.join(", ");
}
