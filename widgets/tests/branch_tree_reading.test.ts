import { describe, expect, test } from "vitest";
import { condensed, fittingSigns, signsOf, unfolded } from "../ctxlab_widgets/branch_tree/condense";
import { contentHeight, gridFor } from "../ctxlab_widgets/branch_tree/grid";
import { fittingLines } from "../ctxlab_widgets/branch_tree/label_text";
import { dateOf, type Messages, messageTree } from "../ctxlab_widgets/branch_tree/messages";
import { activeLanes, foldedAtFirst, outlineOrder, visibleMessages } from "../ctxlab_widgets/branch_tree/outline_rows";
import {
  activeLeaf,
  arranged,
  isBundle,
  keyOf,
  NARROW,
  type Tree,
  treeFrom,
  walked,
  wayUp,
} from "../ctxlab_widgets/branch_tree/tree_data";
import { Views } from "../ctxlab_widgets/branch_tree/views";

const [ACTIVE, LEAF] = [1 << 6, 1 << 7];

/** Numbers that are the same every time. */
function dice(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

/** A tree in which each message hangs on one of the last few; signs stand for one to three messages. */
function grown(n: number, near: number, seed: number): Tree {
  const roll = dice(seed);
  const children: number[][] = Array.from({ length: n }, () => []);
  for (let i = 1; i < n; i++) children[Math.max(0, i - 1 - roll(near))].push(i);
  const order: number[] = [];
  const stack = [0];
  const parent = new Int32Array(n).fill(-1);
  const place = new Map<number, number>();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    place.set(at, order.length);
    order.push(at);
    for (const child of children[at].toReversed()) stack.push(child);
  }
  for (const [above, below] of children.entries())
    for (const child of below) parent[place.get(child)!] = place.get(above)!;
  const flags = new Uint16Array(n).fill(1);
  for (let at = place.get(roll(n))!, isFirst = true; at >= 0; at = parent[at], isFirst = false)
    flags[at] |= isFirst ? ACTIVE | LEAF : ACTIVE;
  const count = new Int32Array(n).map((_, i) => (i % 5 ? 1 : 1 + (i % 3)));
  const keys = Array.from({ length: count.reduce((a, b) => a + b, 0) }, (_, i) => `m${i}`);
  const ux = new Float32Array(n);
  for (let i = 1; i < n; i++) ux[i] = ux[parent[i]] + 1;
  const labels = Array.from({ length: n }, (_, i) => `words of sign ${i} that go on for a while`);
  const uy = new Float32Array(n).map((_, i) => i);
  return treeFrom({ keys, labels, tokens: new Int32Array(n), ux, uy, parent, count, flags, bundles: null }, NARROW);
}

const TREES = [1, 2, 3].flatMap((seed) => [2, 30, 2000].map((near) => grown(400, near, seed)));
const sum = (numbers: Int32Array) => numbers.reduce((a, b) => a + b, 0);

/** Pairs of signs in one column that lie less than a row apart. */
function overlaps({ n, ux, uy }: Tree): number {
  const taken = new Set<string>();
  for (let i = 0; i < n; i++) taken.add(`${ux[i]} ${uy[i]}`);
  return n - taken.size;
}

describe("a tree of which some is folded", () => {
  test.each(
    TREES.map((tree, i) => [i, tree] as const),
  )("tree %i: every message is there once, counts add up, it fits", (_, tree) => {
    for (const [steps, across] of [
      [12, 7],
      [5, 3],
      [4, 2],
    ]) {
      const fits = fittingSigns(tree, { steps, across })!;
      const small = condensed(tree, fits);

      expect(sum(small.count)).toBe(sum(tree.count));
      expect([...small.keys].sort()).toEqual([...tree.keys].sort());
      expect(new Set(small.keys).size).toBe(small.keys.length);
      expect(Math.max(...small.ux)).toBeLessThan(steps);
      expect(overlaps(small)).toBe(0);
      expect(small.signOf.get(keyOf(tree, activeLeaf(tree)!))).toBe(activeLeaf(small));
      if (across > 2) expect(Math.max(...small.uy)).toBeLessThan(across);
    }
  });

  test("what hangs on what stays so, with a bundle for what lies between", () => {
    for (const tree of TREES) {
      const small = condensed(tree, fittingSigns(tree, { steps: 8, across: 5 })!);
      for (let i = 0; i < small.n; i++) {
        const above = small.parent[i];
        if (above < 0 || isBundle(small, i) || isBundle(small, above)) continue;
        const was = tree.signOf.get(keyOf(small, i))!;
        expect(tree.signOf.get(keyOf(small, above))).toBe(tree.parent[was]);
      }
    }
  });

  test("unfolding shows more every time, until there is nothing folded", () => {
    const tree = grown(120, 6, 9);
    const kept = fittingSigns(tree, { steps: 5, across: 3 })!;
    for (let round = 0; round < 200; round++) {
      const small = condensed(tree, kept);
      const bundle = Array.from({ length: small.n }, (_, i) => i).find((i) => isBundle(small, i));
      if (bundle === undefined) break;
      const keys = small.keys.slice(small.first[bundle], small.first[bundle] + small.count[bundle]);
      const before = kept.size;
      for (const sign of unfolded(tree, [...signsOf(tree, keys)])) kept.add(sign);
      expect(kept.size).toBeGreaterThan(before);
    }

    expect(condensed(tree, kept).n).toBe(tree.n);
  });

  test("a tree that fits is left as it is", () => {
    expect(fittingSigns(grown(6, 2, 1), { steps: 12, across: 12 })).toBe(null);
  });
});

describe("the room for boxes", () => {
  const tree = grown(30, 3, 1);

  test("more room makes wider boxes, up to what words need", () => {
    const widths = [400, 700, 1000, 1400, 1800, 6000].map(
      (width) => gridFor(tree, { width, height: 300 }, "tidy").wide,
    );

    expect(widths).toEqual([...widths].sort((a, b) => a - b));
    expect([widths[0], widths.at(-1)]).toEqual([NARROW.wide, 260]);
    const short = { ...tree, labels: tree.labels.map(() => "ok") };
    expect(gridFor(short, { width: 4000, height: 300 }, "tidy").wide).toBe(NARROW.wide);
  });

  test("rows with room take a second line, and the height by content does not count on it", () => {
    const row = { ...tree, uy: new Float32Array(tree.n) };

    expect(gridFor(row, { width: 900, height: 100 }, "tidy").tall).toBe(40);
    expect(gridFor(row, { width: 900, height: 50 }, "tidy").tall).toBe(24);
    expect(contentHeight(row, "tidy")).toBe(24);
    expect(contentHeight({ ...row, uy: row.uy.map((_, i) => i % 3) }, "tidy")).toBe(112);
  });

  test("a narrow tall room is read from the top down, with the keys turned along", () => {
    const views = new Views(tree, messagesOf(tree), "tidy");
    const turned = views.tree({ width: 300, height: 600 });

    expect([turned.grid.layout, views.layoutIn({ width: 600, height: 300 })]).toEqual(["top-down", "tidy"]);
    expect([...turned.y]).toEqual([...tree.ux].map((step) => Math.round(step * turned.grid.row)));
    expect(walked(turned, 1, "ArrowUp")).toBe(tree.parent[1]);
    expect(walked(arranged(tree, NARROW), 1, "ArrowLeft")).toBe(tree.parent[1]);
  });
});

const messagesOf = ({ keys }: Tree): Messages => ({
  words: keys.map((key) => `words of ${key}`),
  seconds: new Float64Array(keys.length).fill(Number.NaN),
  tokens: new Int32Array(keys.length),
  flags: new Uint16Array(keys.length).fill(1),
});

describe("words in a box", () => {
  const measure = (text: string) => [...text].reduce((sum, each) => sum + (each > "\u1100" ? 2 : 1), 0);
  const texts = [
    "the keeper wrote it down",
    "灯由三人轮值，每个人各守一个星期",
    "👩‍🚀👩‍🚀👩‍🚀👩‍🚀 off",
    "e\u0301e\u0301e\u0301e\u0301e\u0301",
    "",
    "…",
    "antidisestablishmentarianism",
  ];

  test("no line is wider than its room, no character is cut in two, and what is left out is said", () => {
    for (const text of texts)
      for (let room = 2; room < 40; room += 3)
        for (const most of [1, 2, 3]) {
          const lines = fittingLines(text, room, Math.max(room - 3, 1), most, measure);
          const whole = lines.join("").replaceAll(" ", "");
          expect(lines.length).toBeLessThanOrEqual(most);
          for (const line of lines) if (line !== "…") expect(measure(line)).toBeLessThanOrEqual(room);
          const plain = text.replaceAll(" ", "");
          if (whole !== plain) expect(whole.endsWith("…")).toBe(true);
          const kept = whole === plain ? plain : whole.slice(0, -1);
          expect(plain.startsWith(kept)).toBe(true);
          const ends = [...new Intl.Segmenter().segment(plain)].map(({ index }) => index);
          expect([...ends, plain.length]).toContain(kept.length);
        }
  });

  test("lines end between words where there are some", () => {
    expect(fittingLines("the keeper wrote it down", 12, 12, 2, measure)).toEqual(["the keeper", "wrote it d…"]);
    expect(fittingLines("short", 12, 12, 3, measure)).toEqual(["short"]);
  });
});

describe("the outline", () => {
  test("each message has one row, below the one that it answers; lanes hold all that hangs there", () => {
    for (const full of TREES.slice(0, 6)) {
      const tree = messageTree(full, messagesOf(full));
      const order = outlineOrder(tree);

      expect([...order.messages].sort((a, b) => a - b)).toEqual(Array.from({ length: tree.n }, (_, i) => i));
      const isRight = (i: number) => {
        const above = tree.parent[i];
        const [from, at] = [order.place[above], order.place[i]];
        const lane = order.lane[above] + (order.heir[above] === i ? 0 : 1);
        return (
          at > from &&
          at < from + tree.below[above] &&
          order.lane[i] === lane &&
          order.depth[i] === order.depth[above] + 1
        );
      };
      expect(Array.from({ length: tree.n - 1 }, (_, i) => i + 1).filter((i) => !isRight(i))).toEqual([]);
      expect(activeLanes(tree, order, 0)).toEqual([]);
    }
  });

  test("folding takes away what hangs below, and counts it", () => {
    const tree = messageTree(TREES[1], messagesOf(TREES[1]));
    const order = outlineOrder(tree);
    for (let i = 0; i < tree.n; i += 7) {
      const seen = visibleMessages(tree, order, new Set([i]));
      expect(seen.length).toBe(tree.n - (tree.below[i] - 1));
      expect([...seen].filter((at) => at > i && at <= tree.last[i])).toEqual([]);
    }
  });

  test("at the beginning large branches beside the active path are folded, and the path never", () => {
    const full = TREES[2];
    const tree = { ...messageTree(full, messagesOf(full)) };
    tree.flags = tree.flags.map((flag, i) => (wayUp(tree, tree.n - 1).includes(i) ? flag | ACTIVE : flag));
    const folded = foldedAtFirst(tree);
    const seen = new Set(visibleMessages(tree, outlineOrder(tree), folded));

    for (const i of folded) expect(tree.below[i]).toBeGreaterThan(20);
    for (const i of wayUp(tree, tree.n - 1)) expect(seen.has(i)).toBe(true);
  });

  test("dates are those of who wrote them; unknown ones are empty", () => {
    expect([dateOf(Date.UTC(2026, 0, 12, 18, 5) / 1000), dateOf(Number.NaN)]).toEqual(["2026-01-12 18:05", ""]);
    expect(dateOf(Date.UTC(2026, 0, 12) / 1000)).toBe("2026-01-12");
  });
});
