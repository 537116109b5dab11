// The footer: what two picked branches share, what went wrong, and how large the tree is.

import { h, harmless } from "../_shared/dom";
import { grouped, many } from "../_shared/numbers";
import type { SharedHistory, TreeFacts } from "./host";
import { nameOf, type Tree } from "./tree_data";

export interface FooterContent {
  tree: Tree;
  facts: TreeFacts;
  wrong: string;
  cut: string | null;
  picked: string[];
  likeness: SharedHistory | null;
}

export class Footer {
  private readonly left = h("div", { class: "told", role: "status" });
  private readonly right = h("span", { class: "muted totals" });
  readonly element = h("div", { class: "foot" }, this.left, h("span", { class: "sp" }), this.right);

  draw(content: FooterContent): void {
    const parts = contentParts(content);
    const same =
      parts.map((part) => part.textContent).join() === [...this.left.children].map((e) => e.textContent).join();
    if (!same) this.left.replaceChildren(...parts);
    this.right.replaceChildren(totals(content.facts));
  }
}

export function totals({ messages, leaves, chains }: TreeFacts): string {
  const words = [many(messages, "message"), leaves === 1 ? "1 leaf" : `${grouped(leaves)} leaves`];
  if (chains) words.push(many(chains, "folded chain"));
  return words.join(", ");
}

function contentParts({ tree, wrong, cut, picked, likeness }: FooterContent): HTMLElement[] {
  const name = (key: string) => nameOf(tree, key);
  if (wrong) return [h("span", { class: "status wrong" }, harmless(wrong))];
  if (cut !== null)
    return [
      h(
        "span",
        {},
        h("b", {}, name(cut)),
        " is cut: V hangs it with all below it on the focus, Alt+V alone, Escape leaves it",
      ),
    ];
  if (likeness && picked.length === 2) {
    const [a, b] = likeness.ids.map(name);
    const own = (i: 0 | 1, label: string) =>
      h(
        "span",
        { title: `${many(likeness.own[i], "message")} of its own` },
        `${label} +${grouped(likeness.own_tokens[i])}`,
      );
    return [
      h(
        "span",
        {},
        h("b", {}, `${a} and ${b}`),
        ` share ${many(likeness.shared, "message")}, ${many(likeness.shared_tokens, "token")}`,
      ),
      own(0, a),
      own(1, b),
    ];
  }
  if (picked.length === 1)
    return [h("span", {}, h("b", {}, name(picked[0])), " is picked: Shift+click or Space on another compares the two")];
  return [h("span", { class: "muted hint" }, "Shift+click two messages to compare their branches")];
}
