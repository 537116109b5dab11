// Hanging a message elsewhere: cut and pasted with keys, or dragged; what is let go of lies there when the tree has changed.

import type { TreeHost } from "./host";
import { checkDrop, endOf, keyOf, nameOf, type Tree } from "./tree_data";

export interface GraftingHost extends Pick<TreeHost, "tree" | "send"> {
  say(words: string): void;
}

interface Place {
  x: number;
  y: number;
}

export class Grafting {
  /** The message that was cut; null when none is. */
  cut: string | null = null;
  /** What was let go of, and where on the screen. */
  private landing: ({ key: string } & Place) | null = null;

  constructor(private readonly host: GraftingHost) {}

  /** A message that is gone isn't cut any more. */
  keep({ signOf }: Tree): void {
    if (this.cut !== null && !signOf.has(this.cut)) this.cut = null;
  }

  /** Cuts the message of a sign, or leaves it where it is cut already. */
  lift(sign: number): void {
    const { tree } = this.host;
    const key = keyOf(tree, sign);
    if (tree.parent[sign] < 0) this.host.say(`refused: ${nameOf(tree, key)} is a root`);
    else {
      this.cut = this.cut === key ? null : key;
      this.host.say("");
    }
  }

  paste(onto: number, one: boolean): void {
    if (this.cut === null) this.host.say("Nothing is cut: X cuts the message in focus");
    else if (this.hang(this.cut, onto, one, null)) this.cut = null;
  }

  /** Asks for it, or says why not; where it is done, the box is at this place of the screen. */
  hang(key: string, onto: number, one: boolean, place: Place | null): boolean {
    const { tree } = this.host;
    const sign = tree.signOf.get(key);
    if (sign === undefined) return false;
    const outcome = checkDrop(tree, sign, onto, one);
    this.landing = place && !outcome.refused ? { key, ...place } : null;
    if (outcome.refused) this.host.say(outcome.words);
    else this.host.send({ command: one ? "move" : "graft", node: key, parent: endOf(tree, onto) });
    return !outcome.refused;
  }

  /** What was let go of has been refused. */
  refused(): void {
    this.landing = null;
  }

  /** The sign that was let go of and its place on the screen, once; null where nothing was. */
  landed({ signOf }: Tree): ({ sign: number } & Place) | null {
    const landing = this.landing;
    this.landing = null;
    const sign = landing && signOf.get(landing.key);
    return landing && sign !== null && sign !== undefined ? { sign, x: landing.x, y: landing.y } : null;
  }
}
