// Words that are found on branches which are not shown: how many messages have them, and the way to the next.

import { h } from "../_shared/dom";
import { grouped } from "../_shared/numbers";

export interface BranchHost {
  /** Whether a message is on the branch that is shown. */
  isHere(key: string): boolean;
  /** The message that one is at. */
  at(): string;
  switchTo(key: string): void;
  signal: AbortSignal;
}

export class OtherBranches {
  readonly element = h("button", { type: "button", class: "btn", hidden: true });
  /** Messages with the words, in the order of the tree. */
  private keys: string[] = [];
  private awaited = "";

  constructor(private readonly host: BranchHost) {
    this.element.addEventListener("click", () => this.go(), { signal: host.signal });
  }

  take(keys: string[]): void {
    this.keys = keys;
    this.draw();
  }

  /** Other messages are shown; gives the one that was gone to, once. */
  arrived(): string {
    this.draw();
    if (!this.awaited || !this.host.isHere(this.awaited)) return "";
    const key = this.awaited;
    this.awaited = "";
    return key;
  }

  private draw(): void {
    const count = this.keys.filter((key) => !this.host.isHere(key)).length;
    this.element.hidden = !count;
    this.element.textContent = `${grouped(count)} on other branches`;
    this.element.title = "Switch to the next branch with these words";
  }

  /** The next message in the order of the tree that isn't here; behind the last comes the first. */
  private go(): void {
    const at = this.keys.indexOf(this.host.at());
    const next = [...this.keys.slice(at + 1), ...this.keys].find((key) => !this.host.isHere(key));
    if (next === undefined) return;
    this.awaited = next;
    this.host.switchTo(next);
  }
}
