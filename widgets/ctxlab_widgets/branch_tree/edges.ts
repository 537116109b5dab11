// The lines from messages to those that answer them.

import { seen } from "./camera";
import type { Palette } from "./palette";
import type { Pen, Scene } from "./scene";
import { type Grid, isActive, isOff } from "./tree_data";

export type Line = (pen: Pen, x0: number, y0: number, x1: number, y1: number) => void;

/** From a box to one that hangs on it, by the layout; `pull` is how far it goes straight at both ends. */
export function between({ layout, wide, tall }: Grid, pull: number): Line {
  if (layout === "top-down")
    return (pen, x0, y0, x1, y1) => {
      const [a, b] = [x0 + wide / 2, x1 + wide / 2];
      pen.moveTo(a, y0 + tall);
      pen.bezierCurveTo(a, y0 + tall + pull, b, y1 - pull, b, y1);
    };
  if (layout === "force") return middles({ wide, tall });
  return (pen, x0, y0, x1, y1) => {
    pen.moveTo(x0 + wide, y0 + tall / 2);
    pen.bezierCurveTo(x0 + wide + pull, y0 + tall / 2, x1 - pull, y1 + tall / 2, x1, y1 + tall / 2);
  };
}

/** Straight from the middle of one box to the middle of the other. */
export function middles({ wide, tall }: Pick<Grid, "wide" | "tall">): Line {
  return (pen, x0, y0, x1, y1) => {
    pen.moveTo(x0 + wide / 2, y0 + tall / 2);
    pen.lineTo(x1 + wide / 2, y1 + tall / 2);
  };
}

/** Thin ones first, in one stroke a kind; the active path comes last and thick. */
export function edges(pen: Pen, scene: Scene, colours: Palette, line: Line, thin: number): void {
  const { tree } = scene;
  const frame = seen(scene.camera, scene.size);
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  const { wide, tall } = tree.grid;
  const kinds: [string, number, number[], number[]][] = [
    [colours.edge, thin, [], []],
    [colours.edge, thin, [3 * thin, 3 * thin], []],
    [colours.ink, 2 * thin, [], []],
  ];
  for (let i = 0; i < tree.n; i++) {
    const above = tree.parent[i];
    if (above < 0) continue;
    const [x0, x1, y0, y1] = [tree.x[above], tree.x[i], tree.y[above], tree.y[i]];
    if ((x0 > right && x1 > right) || (x0 + wide < frame.x && x1 + wide < frame.x)) continue;
    if ((y0 > bottom && y1 > bottom) || (y0 + tall < frame.y && y1 + tall < frame.y)) continue;
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
