// The tree zoomed out: signs without words, and from further away dots. The middle of a box is its place.

import { LABELS, SIGNS, seen } from "./camera";
import { edges, type Line } from "./edges";
import type { Palette } from "./palette";
import { at, grown, inView, isLifted, type Pen, type Scene } from "./scene";
import { trace } from "./shapes";
import { isFolded, isHidden, isLeaf, isOff, isSummary, ROLES, roleOf } from "./tree_data";

export function drawSigns(pen: Pen, scene: Scene, colours: Palette): void {
  const { camera, tree } = scene;
  const r = 3 + ((camera.scale - SIGNS) / (LABELS - SIGNS)) * 2;
  const shown = inView(tree, grown(seen(camera, scene.size), 20 / camera.scale));
  const { wide, tall, layout } = tree.grid;
  const line: Line = (p, x0, y0, x1, y1) => {
    const [a, b] = [at(camera, x0 + wide / 2, y0 + tall / 2), at(camera, x1 + wide / 2, y1 + tall / 2)];
    const [dx, dy] = layout === "tidy" ? [(b.x - a.x) / 2, 0] : layout === "top-down" ? [0, (b.y - a.y) / 2] : [0, 0];
    p.moveTo(a.x, a.y);
    if (a.y === b.y || layout === "force") p.lineTo(b.x, b.y);
    else p.bezierCurveTo(a.x + dx, a.y + dy, b.x - dx, b.y - dy, b.x, b.y);
  };
  edges(pen, scene, colours, line, 1);
  const kinds = new Map<string, number[]>();
  for (const i of shown) {
    const kind = isFolded(tree, i) ? "chain" : isSummary(tree, i) ? "summary" : roleOf(tree, i);
    const name = `${kind} ${isOff(tree, i) || isLifted(scene, i) ? "off" : isHidden(tree, i) ? "faint" : ""}`;
    const same = kinds.get(name);
    if (same) same.push(i);
    else kinds.set(name, [i]);
  }
  for (const [name, same] of kinds) {
    const [kind, state] = name.split(" ");
    pen.beginPath();
    for (const i of same) {
      const { x, y } = at(camera, tree.x[i] + tree.grid.wide / 2, tree.y[i] + tree.grid.tall / 2);
      if (kind === "chain") pen.rect(x - 1.6 * r, y - 0.7 * r, 3.2 * r, 1.4 * r);
      else trace(pen, kind, x, y, r);
    }
    const colour = kind === "chain" ? colours.edge : colours[kind as "summary" | "root"];
    pen.fillStyle = state === "off" ? colours.s0 : colour;
    pen.globalAlpha = state === "faint" ? 0.5 : 1;
    pen.fill();
    pen.globalAlpha = 1;
    if (state !== "off") continue;
    pen.strokeStyle = colour;
    pen.lineWidth = 1;
    pen.stroke();
  }
  rings(pen, scene, shown, r, colours);
}

export function drawDots(pen: Pen, scene: Scene, colours: Palette): void {
  const { camera, tree } = scene;
  const shown = inView(tree, grown(seen(camera, scene.size), 4 / camera.scale));
  const { wide, tall } = tree.grid;
  const line: Line = (p, x0, y0, x1, y1) => {
    p.moveTo(camera.left + (x0 + wide / 2) * camera.scale, camera.top + (y0 + tall / 2) * camera.scale);
    p.lineTo(camera.left + (x1 + wide / 2) * camera.scale, camera.top + (y1 + tall / 2) * camera.scale);
  };
  edges(pen, scene, colours, line, 1);
  const size = camera.scale > 0.08 ? 3 : 2;
  for (const role of ROLES) {
    pen.fillStyle = colours[role];
    for (const i of shown) {
      if (roleOf(tree, i) !== role) continue;
      const { x, y } = at(camera, tree.x[i] + tree.grid.wide / 2, tree.y[i] + tree.grid.tall / 2);
      pen.fillRect(Math.round(x - size / 2), Math.round(y - size / 2), size, size);
    }
  }
  rings(pen, scene, shown, 2, colours);
}

/** What a box would have around it. */
function rings(pen: Pen, scene: Scene, shown: number[], r: number, colours: Palette): void {
  const { camera, tree, drag } = scene;
  const ring = (i: number, by: number, colour: string, width: number, dash: number[] = []) => {
    const { x, y } = at(camera, tree.x[i] + tree.grid.wide / 2, tree.y[i] + tree.grid.tall / 2);
    pen.setLineDash(dash);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.arc(x, y, r + by, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
  };
  for (const i of shown) {
    if (drag?.onto === i) ring(i, 6, drag.refused ? colours.err : colours.ok, 2, drag.refused ? [1, 3] : [4, 2]);
    else if (scene.landed === i) ring(i, 6, colours.ok, 2);
    else if (scene.hits.has(i) && scene.hitsAreDim) ring(i, 5, colours.edge, 1, [2, 2]);
    else if (scene.hits.has(i)) ring(i, 5, colours.focus, scene.hit === i ? 2 : 1);
    if (scene.focus === i) ring(i, 2.5, colours.focus, 2);
    else if (scene.selected === i) ring(i, 2.5, colours.chosen, 2);
    if (scene.fork === i) ring(i, 9, colours.ink, 2, [4, 3]);
    if (scene.picked.has(i)) ring(i, 8, colours.ink, 2);
    if (isLeaf(tree, i)) ring(i, 4, colours.ring, 2);
  }
}
