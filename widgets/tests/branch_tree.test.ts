import { describe, expect, test } from "vitest";
import { aside, type Camera, fitted, kept, seen, showing, zoomed } from "../ctxlab_widgets/branch_tree/camera";
import { totals } from "../ctxlab_widgets/branch_tree/head";
import { heightOf } from "../ctxlab_widgets/branch_tree/height_handle";
import { initialView } from "../ctxlab_widgets/branch_tree/initial_view";
import { type KeyActions, keyAction } from "../ctxlab_widgets/branch_tree/key_bindings";
import type { Messages } from "../ctxlab_widgets/branch_tree/messages";
import { startsOf } from "../ctxlab_widgets/branch_tree/motion";
import { factsOf } from "../ctxlab_widgets/branch_tree/preview";
import {
  activeLeaf,
  checkDrop,
  childrenOf,
  endOf,
  isBelow,
  keyOf,
  levelOf,
  NARROW,
  nameOf,
  roleOf,
  siblingsOf,
  signAt,
  type Tree,
  treeOf,
  walked,
  wayUp,
} from "../ctxlab_widgets/branch_tree/tree_data";

const { wide: BOX, column: COLUMN, row: ROW } = NARROW;
const [ACTIVE, LEAF, ROOT] = [1 << 6, 1 << 7, 1 << 9];

const messagesWith = (words: string[]): Messages => {
  const n = words.length;
  return { words, seconds: new Float64Array(n), tokens: new Int32Array(n), flags: new Uint16Array(n) };
};

/** r - u - a - [three in a row] - c, and b beside a; the active leaf is c. Bytes begin at an odd place. */
function made(): Tree {
  const signs: [x: number, y: number, parent: number, count: number, flags: number][] = [
    [0, 0, -1, 1, ACTIVE | ROOT],
    [1, 0, 0, 1, 1 | ACTIVE],
    [2, 0, 1, 1, 2 | ACTIVE],
    [3, 0, 2, 3, 1 | ACTIVE],
    [4, 0, 3, 1, 2 | ACTIVE | LEAF],
    [2, 1, 1, 1, 3],
  ];
  const n = signs.length;
  const places = new DataView(new ArrayBuffer(16 * n + 1), 1);
  const flags = new DataView(new ArrayBuffer(2 * n + 1), 1);
  for (const [i, [x, y, parent, count, flag]] of signs.entries()) {
    places.setFloat32(4 * i, x, true);
    places.setFloat32(4 * (n + i), y, true);
    places.setInt32(4 * (2 * n + i), parent, true);
    places.setInt32(4 * (3 * n + i), count, true);
    flags.setUint16(2 * i, flag, true);
  }
  const keys = ["r", "u", "a", "f1", "f2", "f3", "c", "b"];
  return treeOf({ texts: JSON.stringify({ keys }), places, flags }, messagesWith(keys));
}

describe("the tree", () => {
  test("places, messages and subtrees are read from bytes that begin anywhere", () => {
    const tree = made();

    expect([...tree.x]).toEqual([0, 1, 2, 3, 4, 2].map((column) => column * COLUMN));
    expect([tree.width, tree.height]).toEqual([4 * COLUMN + BOX, ROW + 24]);
    expect([...tree.below]).toEqual([8, 7, 5, 4, 1, 1]);
    expect([...tree.last]).toEqual([5, 5, 4, 4, 4, 5]);
    expect(["f1", "f2", "f3", "c", "b"].map((key) => tree.signOf.get(key))).toEqual([3, 3, 3, 4, 5]);
    expect([keyOf(tree, 3), endOf(tree, 3)]).toEqual(["f1", "f3"]);
    expect([0, 1, 2, 5].map((i) => roleOf(tree, i))).toEqual(["root", "user", "assistant", "tool"]);
  });

  test("nothing is a tree too", () => {
    const tree = treeOf({ texts: "", places: null, flags: null }, messagesWith([]));

    expect([tree.n, tree.width, activeLeaf(tree), signAt(tree, 0, 0, 5)]).toEqual([0, 0, null, null]);
  });

  test("families", () => {
    const tree = made();

    expect([childrenOf(tree, 1), siblingsOf(tree, 5), siblingsOf(tree, 0)]).toEqual([[2, 5], [2, 5], [0]]);
    expect([levelOf(tree, 0), levelOf(tree, 4)]).toEqual([1, 5]);
    expect([isBelow(tree, 1, 4), isBelow(tree, 2, 5), isBelow(tree, 2, 2)]).toEqual([true, false, true]);
  });

  test("arrows walk to the parent, along the active branch, and to neighbours in the column", () => {
    const tree = made();

    expect(walked(tree, 0, "ArrowLeft")).toBe(0);
    expect(walked(tree, 5, "ArrowLeft")).toBe(1);
    expect(walked(tree, 1, "ArrowRight")).toBe(2);
    expect(walked(tree, 4, "ArrowRight")).toBe(4);
    expect(walked(tree, 2, "ArrowDown")).toBe(5);
    expect(walked(tree, 5, "ArrowDown")).toBe(5);
    expect(walked(tree, 5, "ArrowUp")).toBe(2);
    expect(walked(tree, 5, "Home")).toBe(0);
    expect(walked(tree, 5, "End")).toBe(4);
  });

  test("a point is in a box, or near enough to one", () => {
    const tree = made();

    expect(signAt(tree, COLUMN + 5, 12, 0)).toBe(1);
    expect(signAt(tree, COLUMN - 3, 12, 4)).toBe(1);
    expect(signAt(tree, COLUMN - 6, 12, 4)).toBe(null);
    expect(signAt(tree, 2 * COLUMN + 50, 36, 20)).toBe(5);
  });

  test("hanging something elsewhere is told before, and refused for a reason", () => {
    const tree = made();
    const words = (i: number, onto: number, one = false) => checkDrop(tree, i, onto, one).words;

    expect(words(2, 5)).toBe("graft 5 messages under b");
    expect(words(5, 3)).toBe("graft 1 message under f3");
    expect(words(2, 5, true)).toBe("move 1 message under b");
    expect(words(2, 4)).toBe("refused: c is part of what you drag");
    expect(words(2, 4, true)).toBe("refused: c is below what you drag");
    expect(words(2, 2)).toBe("refused: a can't hang on itself");
    expect(words(2, 1)).toBe("refused: a hangs on u already");
    expect(words(0, 5)).toBe("refused: r is a root");
    expect(words(3, 5, true)).toBe("refused: these are 3 messages: unfold them to move one");
  });

  test("long ids are said by the message's first words", () => {
    const tree = made();
    tree.signOf.set("0123456789abcdef0", 4);
    tree.signOf.set("0123456789abcdef1", 3);

    expect(nameOf(tree, "0123456789abcdef0")).toBe("“c”");
    expect(nameOf(tree, "0123456789abcdef1")).toBe("01234567…");
    expect(nameOf(tree, "a\u202eb")).toBe("a\\u202eb");
  });
});

describe("the camera", () => {
  const screen = { width: 400, height: 200 };
  const tree = { width: 1000, height: 100 };
  const camera: Camera = { scale: 1, left: 10, top: 20 };

  test("zooming leaves the point under the pointer where it is", () => {
    const near = zoomed(camera, 1.5, 110, 70, 0.1);

    expect(near.scale).toBe(1.5);
    expect([(110 - near.left) / near.scale, (70 - near.top) / near.scale]).toEqual([100, 50]);
    expect(zoomed(camera, 100, 0, 0, 0.1).scale).toBe(2);
    expect(zoomed(camera, 0.001, 0, 0, 0.1).scale).toBe(0.1);
  });

  test("all of it fits, and is never made larger than it is", () => {
    const all = fitted(tree, screen);

    expect(all.left + tree.width * all.scale).toBeLessThanOrEqual(screen.width);
    expect(all.left).toBeGreaterThan(0);
    expect(fitted({ width: 50, height: 24 }, screen)).toEqual({ scale: 1, left: 175, top: 88 });
  });

  test("what is in view moves nothing, what isn't comes in", () => {
    const here = { x: 100, y: 60, width: 100, height: 24 };

    expect(showing(camera, screen, here)).toBe(camera);
    const moved = showing(camera, screen, { ...here, x: 700 });
    expect(moved.top).toBe(camera.top);
    expect(moved.left + 800).toBeLessThan(screen.width);
    const wide = showing(camera, { width: 60, height: 200 }, { ...here, x: 0 });
    expect(wide.left).toBe(0);
  });

  test("nothing lies on what is brought into view", () => {
    const place = { x: 300, y: 150, width: 100, height: 24 };
    const over = { x: 230, y: 120, width: 170, height: 80 };
    const free = aside({ scale: 1, left: 0, top: 0 }, place, over, -1);

    expect(free.top + place.y + place.height).toBeLessThanOrEqual(over.y);
    expect(aside({ scale: 1, left: 0, top: -100 }, place, over, -1).top).toBe(-100);
  });

  test("some of the tree always stays on the screen", () => {
    expect(kept({ scale: 1, left: -5000, top: 0 }, tree, screen).left).toBe(60 - tree.width);
    expect(kept({ scale: 1, left: 5000, top: 5000 }, tree, screen)).toEqual({ scale: 1, left: 340, top: 140 });
    expect(kept(camera, tree, screen)).toEqual(camera);
    expect(seen({ scale: 0.5, left: -50, top: 10 }, screen)).toEqual({ x: 100, y: -20, width: 800, height: 400 });
  });
});

describe("where one looks first", () => {
  const room = { width: 900, height: 344 };
  const zoom = { x: 0, y: 0, width: 144, height: 34 };
  const overview = { x: 730, y: 264, width: 170, height: 80 };
  const box = (column: number, row: number) => ({ x: column * COLUMN, y: row * ROW, width: BOX, height: 24 });
  const begun = (boxes: [number, number][], path: [number, number][]) => {
    const all = boxes.map(([x, y]) => box(x, y));
    const width = Math.max(...all.map(({ x }) => x)) + BOX;
    const height = Math.max(...all.map(({ y }) => y)) + 24;
    return { tree: { width, height }, boxes: all, path: path.map(([x, y]) => box(x, y)) };
  };
  const on = ({ scale, left, top }: Camera, frame: { x: number; y: number; width: number; height: number }) => ({
    x: left + frame.x * scale,
    y: top + frame.y * scale,
    right: left + (frame.x + frame.width) * scale,
    bottom: top + (frame.y + frame.height) * scale,
  });
  const isUnder = (camera: Camera, frame: ReturnType<typeof box>, over: typeof zoom) => {
    const { x, y, right, bottom } = on(camera, frame);
    return x < over.x + over.width && right > over.x && y < over.y + over.height && bottom > over.y;
  };
  const rows = (n: number, columns: number) =>
    Array.from({ length: n * columns }, (_, i): [number, number] => [i % columns, Math.floor(i / columns)]);

  test("a small tree is whole and in the middle", () => {
    const small = begun(rows(1, 3), rows(1, 3).reverse());

    expect(initialView(small, room, [zoom, overview])).toEqual(fitted(small.tree, room));
  });

  test("without an active leaf it is the whole tree", () => {
    const large = begun(rows(40, 20), []);

    expect(initialView(large, room, [zoom, overview])).toEqual(fitted(large.tree, room));
  });

  test("nothing lies under the zoom buttons of a tree that leaves room for them", () => {
    const shapes = [
      begun(rows(7, 5), rows(1, 5).reverse()), // fits in height, but only just
      begun(rows(20, 5), rows(1, 5).reverse()), // higher than the screen, the leaf at the top
      begun(rows(5, 20), rows(1, 20).reverse()), // wider than the screen
    ];

    for (const shape of shapes) {
      const camera = initialView(shape, room, [zoom, overview]);
      expect(shape.boxes.filter((each) => isUnder(camera, each, zoom))).toEqual([]);
      expect(camera.scale).toBeGreaterThanOrEqual(0.85);
    }
  });

  test("the active leaf is in view with as much of its path as fits, and neither is covered", () => {
    const path: [number, number][] = [
      [19, 7],
      [18, 7],
      [17, 6],
      [16, 6],
      [15, 5],
      [14, 4],
      [13, 0],
    ];
    const camera = initialView(begun([...rows(30, 12), ...path], path), room, [zoom, overview]);

    const seen = path.slice(0, 6).map(([x, y]) => on(camera, box(x, y)));
    expect(Math.min(...seen.map(({ y }) => y))).toBeGreaterThanOrEqual(8);
    expect(Math.max(...seen.map(({ bottom }) => bottom))).toBeLessThanOrEqual(room.height - 8);
    expect(seen[0].right).toBeLessThanOrEqual(room.width - 8);
    expect(path.some(([x, y]) => isUnder(camera, box(x, y), overview) || isUnder(camera, box(x, y), zoom))).toBe(false);
  });

  test("a path leads from a sign to its root", () => {
    expect(wayUp(made(), 5)).toEqual([5, 1, 0]);
    expect(wayUp(made(), null)).toEqual([]);
  });
});

describe("keys", () => {
  const done = (event: Partial<KeyboardEvent>, inTree = true, live = true, isHolding = false): string | null => {
    let name: string | null = null;
    const can = new Proxy({} as KeyActions, {
      get: (_, what) => {
        if (what === "live") return live;
        if (what === "isHolding") return isHolding;
        return (...given: unknown[]) => {
          name = [String(what), ...given].join(" ");
        };
      },
    });
    keyAction({ key: "", altKey: false, ctrlKey: false, metaKey: false, shiftKey: false, ...event }, inTree, can)?.();
    return name;
  };

  test("the tree's own work on the tree only, the widget's everywhere in it", () => {
    const own = ["ArrowLeft", "Enter", " ", "x", "v", "f", "Escape"];
    const all = ["/", "a", "+", "-", "0", "e"];

    expect(own.map((key) => done({ key }))).toEqual([
      "walk ArrowLeft",
      "enter",
      "pick",
      "cut",
      "paste false",
      "unfold",
      "escape",
    ]);
    expect(own.map((key) => done({ key }, false))).toEqual(own.map(() => null));
    expect(all.map((key) => done({ key }, false))).toEqual(["find", "goToLeaf", "zoomIn", "zoomOut", "unzoom", "edit"]);
  });

  test("undo and redo", () => {
    expect(done({ key: "z", ctrlKey: true })).toBe("undo");
    expect(done({ key: "Z", ctrlKey: true, shiftKey: true })).toBe("redo");
    expect(done({ key: "y", metaKey: true })).toBe("redo");
    expect(done({ key: "a", ctrlKey: true })).toBe(null);
  });

  test("Alt moves one, and is nobody's otherwise", () => {
    expect(done({ key: "v", altKey: true })).toBe("paste true");
    expect(done({ key: "Alt", altKey: true }, true, true, true)).toBe("alone");
    expect(done({ key: "Alt", altKey: true })).toBe(null);
    expect(done({ key: "ArrowLeft", altKey: true })).toBe(null);
  });

  test("without Python nothing is changed", () => {
    const keys = [{ key: "x" }, { key: "v" }, { key: "f" }, { key: "e" }, { key: "z", ctrlKey: true }];

    expect(keys.map((key) => done(key, true, false))).toEqual([null, null, null, null, null]);
    expect(done({ key: "ArrowUp" }, true, false)).toBe("walk ArrowUp");
  });
});

test("how large it is, in words", () => {
  const facts = { given: true, leaf: null, undo: null, redo: null };

  expect(totals({ ...facts, messages: 20, leaves: 5, chains: 1 })).toBe("20 messages, 5 leaves, 1 folded chain");
  expect(totals({ ...facts, messages: 1, leaves: 1, chains: 0 })).toBe("1 message, 1 leaf");
});

describe("around the tree", () => {
  test("a layout begins where its messages were, new ones at the sign above, and one stays", () => {
    const [before, to] = [made(), made()];
    to.x[4] = 900;
    to.signOf.set("c", 4);
    before.signOf.delete("b");

    const from = startsOf(before, to, 10, -5, 1);

    expect([from.x[0], from.y[0]]).toEqual([before.x[0] + 10, before.y[0] - 5]);
    expect([from.x[1], from.y[1]]).toEqual([to.x[1], to.y[1]]);
    expect(from.x[4]).toBe(before.x[4] + 10);
    expect([from.x[5], from.y[5]]).toEqual([from.x[1], from.y[1]]);
  });

  test("the height follows the tree between two bounds", () => {
    expect([heightOf(24), heightOf(112), heightOf(9000)]).toEqual([120, 168, 420]);
  });

  test("what is known of a message is one line", () => {
    const date = "2026-01-12T18:06:14Z";
    const known = { key: "a", role: "user", name: "", text: "x", tokens: 1234, depth: 3, date, stands_for: null };

    expect(factsOf({ ...known, calls: [], files: [] })).toBe("1,234 tokens, 3 messages deep, 2026-01-12 18:06");
    expect(factsOf({ ...known, text: "", depth: 0, date: "", calls: ["look"], files: ["m.png"] })).toBe(
      "no words, the root; calls look; with m.png",
    );
    expect(factsOf({ ...known, calls: [], files: ["m.png"] })).toContain("1,234 tokens without its files");
  });
});
