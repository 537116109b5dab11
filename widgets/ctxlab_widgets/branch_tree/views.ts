// Which tree is looked at: as Python drew it, with branches folded until labels can be read, or a row for each message.

import type { Size } from "./camera";
import { condensed, fittingSigns, keysOf, signsOf, unfolded } from "./condense";
import { capacity, contentHeight, gridFor, layoutFor, READABLE } from "./grid";
import { type Messages, messageTree } from "./messages";
import { HEIGHT } from "./outline_row";
import { arranged, type Grid, isBundle, type Layout, type Tree } from "./tree_data";

export type Mode = "tree" | "outline";

/** More messages than these are opened as an outline. */
const MANY = 300;

export class Views {
  mode: Mode = "tree";
  /** The one that a person has chosen; else the room decides. */
  layout: Layout | "" = "";
  /** Keys of what a person has unfolded; null while everything is shown. */
  private opened: Set<string> | null = null;
  private drawing: { of: Tree; tree: Tree } | null = null;
  private flat: Tree | null = null;
  /** What is shown now, before it is laid on a grid, and of which room and tree it was made. */
  private folded: { tree: Tree; of: Tree; room: Size } | null = null;

  constructor(
    private full: Tree,
    private messages: Messages,
    private drawn: Layout,
  ) {}

  take(full: Tree, messages: Messages, drawn: Layout): void {
    Object.assign(this, { full, messages, drawn, flat: null, folded: null });
  }

  static modeFor(chosen: string, messages: number): Mode {
    if (chosen === "tree" || chosen === "outline") return chosen;
    return messages > MANY ? "outline" : "tree";
  }

  get facts(): Messages {
    return this.messages;
  }

  layoutIn(room: Size): Layout {
    if (this.drawn === "force") return "force";
    return this.layout === "tidy" || this.layout === "top-down" ? this.layout : layoutFor(room);
  }

  /** The tree to draw in a room; the same one as long as nothing changes. */
  tree(room: Size): Tree {
    if (this.mode === "outline") {
      this.flat ??= messageTree(this.full, this.messages);
      return this.flat;
    }
    const layout = this.layoutIn(room);
    const plain = this.shown(room);
    const grid = gridFor(plain, room, layout, this.opened !== null);
    if (this.drawing?.of !== plain || !isSame(this.drawing.tree.grid, grid))
      this.drawing = { of: plain, tree: arranged(plain, grid) };
    return this.drawing.tree;
  }

  /** So high all of it is, in one line each; in the layout that was asked for, since the room follows the height. */
  get contentHeight(): number {
    if (this.mode === "outline") return this.full.keys.length * HEIGHT;
    if (this.drawn === "force") return this.drawing?.tree.height ?? 0;
    return contentHeight(this.full, this.layout === "top-down" ? "top-down" : "tidy");
  }

  /** Folds what is far from the active path until the rest can be read; nothing where all of it can. */
  fit(): void {
    this.opened = new Set();
    this.folded = null;
  }

  showAll(): void {
    this.opened = this.folded = null;
  }

  /** Shows what a bundle begins with, and says whether it was one. */
  unfold(tree: Tree, sign: number): boolean {
    if (!isBundle(tree, sign) || !this.opened) return false;
    const keys = tree.keys.slice(tree.first[sign], tree.first[sign] + tree.count[sign]);
    for (const key of keysOf(this.full, unfolded(this.full, [...signsOf(this.full, keys)]))) this.opened.add(key);
    this.folded = null;
    return true;
  }

  private shown(room: Size): Tree {
    const { full, opened } = this;
    const layout = this.layoutIn(room);
    if (!opened || layout === "force" || !full.n) return full;
    const known = this.folded;
    if (known && known.of === full && known.room.width === room.width && known.room.height === room.height)
      return known.tree;
    const tree = this.fold(room, layout, opened);
    this.folded = { tree, of: full, room };
    return tree;
  }

  private fold(room: Size, layout: Layout, opened: ReadonlySet<string>): Tree {
    const { full } = this;
    const all = arranged(full, gridFor(full, room, layout, true));
    if (all.width * READABLE <= room.width && all.height * READABLE <= room.height) return full;
    const { columns, rows } = capacity(room, layout);
    const most = layout === "top-down" ? { steps: rows, across: columns } : { steps: columns, across: rows };
    const fits = fittingSigns(full, { steps: Math.max(most.steps, 4), across: Math.max(most.across, 2) });
    return fits ? condensed(full, new Set([...fits, ...signsOf(full, opened)])) : full;
  }
}

const isSame = (a: Grid, b: Grid): boolean =>
  a.layout === b.layout && a.wide === b.wide && a.tall === b.tall && a.column === b.column && a.row === b.row;
