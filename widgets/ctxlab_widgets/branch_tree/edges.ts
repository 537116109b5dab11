// The lines from messages to those that answer them.

import { seen } from "./camera";
import type { Palette } from "./palette";
import type { Pen, Scene } from "./scene";
import { BOX, isActive, isOff, TALL } from "./tree_data";

export type Line = (pen: Pen, x0: number, y0: number, x1: number, y1: number) => void;

/** Thin ones first, in one stroke a kind; the active path comes last and thick. */
export function edges(pen: Pen, scene: Scene, colours: Palette, line: Line, thin: number): void {
  const { tree } = scene;
  const frame = seen(scene.camera, scene.size);
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  const kinds: [string, number, number[], number[]][] = [
    [colours.edge, thin, [], []],
    [colours.edge, thin, [3 * thin, 3 * thin], []],
    [colours.ink, 2 * thin, [], []],
  ];
  for (let i = 0; i < tree.n; i++) {
    const above = tree.parent[i];
    if (above < 0 || tree.x[above] > right || tree.x[i] + BOX < frame.x) continue;
    const [y0, y1] = [tree.y[above], tree.y[i]];
    if ((y0 > bottom && y1 > bottom) || (y0 + TALL < frame.y && y1 + TALL < frame.y)) continue;
    const dashed = isOff(tree, i) || scene.lifted?.sign === i;
    kinds[isActive(tree, i) && !dashed ? 2 : dashed ? 1 : 0][3].push(i);
  }
  for (const [colour, width, dash, signs] of kinds) {
    if (!signs.length) continue;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    for (const i of signs) {
      const above = tree.parent[i];
      line(pen, tree.x[above], tree.y[above], tree.x[i], tree.y[i]);
    }
    pen.stroke();
  }
  pen.setLineDash([]);
}
