// Draws the tree: boxes with words, from further away signs, from far away dots. Only what is in view.

import { grouped, many } from "../_shared/numbers";
import { LABELS, SIGNS, seen } from "./camera";
import { edges, type Line } from "./edges";
import type { Palette } from "./palette";
import { at, type Drag, grown, HALF, inView, isLifted, type Pen, type Scene } from "./scene";
import { outline, tag, trace } from "./shapes";
import { BOX, isFolded, isHidden, isLeaf, isOff, isSummary, roleOf, TALL, type Tree } from "./tree_data";
import { drawDots, drawSigns } from "./zoomed_out";

export class Painter {
  private readonly fits = new Map<string, string>();
  private font = "";

  draw(pen: Pen, scene: Scene, colours: Palette): void {
    const { camera, tree, size } = scene;
    pen.fillStyle = colours.s0;
    pen.fillRect(0, 0, size.width, size.height);
    if (!tree.n) return;
    pen.lineJoin = "round";
    if (camera.scale < SIGNS) drawDots(pen, scene, colours);
    else if (camera.scale < LABELS) drawSigns(pen, scene, colours);
    else this.boxes(pen, scene, colours);
    if (scene.drag) this.held(pen, scene, scene.drag, colours);
  }

  // --- boxes, in the tree's own pixels

  private boxes(pen: Pen, scene: Scene, colours: Palette): void {
    const { camera, tree } = scene;
    if (this.font !== colours.font) this.fits.clear();
    this.font = colours.font;
    pen.save();
    pen.translate(camera.left, camera.top);
    pen.scale(camera.scale, camera.scale);
    const thin = Math.max(1, camera.scale) / camera.scale;
    const shown = inView(tree, grown(seen(camera, scene.size), 40));
    edges(pen, scene, colours, curve, thin);
    for (const i of shown) halo(pen, scene, i, colours, thin);
    for (const i of shown) this.box(pen, scene, i, colours, thin);
    pen.restore();
  }

  private box(pen: Pen, scene: Scene, i: number, colours: Palette, thin: number): void {
    const { tree } = scene;
    const [x, y] = [tree.x[i], tree.y[i]];
    const [off, faint] = [isOff(tree, i), isHidden(tree, i)];
    const plain = isFolded(tree, i) || isSummary(tree, i);
    const chosen = scene.selected === i;
    const own = colours[roleOf(tree, i)];
    if (isFolded(tree, i)) {
      for (const by of [4, 2]) outline(pen, x + by, y + by, BOX, TALL, 2, colours.s0, colours.edge, thin);
    }
    pen.setLineDash(off || isLifted(scene, i) ? [3, 2] : []);
    const edge = chosen ? colours.chosen : plain || off || faint ? colours.edge : own;
    const fill = chosen ? colours.sel : off || faint ? colours.s1 : colours.s0;
    outline(pen, x, y, BOX, TALL, 2, fill, edge, chosen ? 2 * thin : thin);
    pen.setLineDash([]);
    if (!plain) {
      pen.globalAlpha = off || faint ? 0.5 : 1;
      pen.fillStyle = own;
      pen.fillRect(x, y, 3, TALL);
    }
    if (faint) pen.globalAlpha = 0.5;
    else pen.globalAlpha = 1;
    this.sign(pen, tree, i, x + 13, y + HALF, 4.6, colours);
    pen.globalAlpha = 1;
    this.words(pen, tree, i, x + 23, y, off || faint ? colours.ink3 : colours.ink, colours);
    if (scene.picked.has(i)) tag(pen, x + BOX - 10, y - 9, scene.picked.get(i)!, colours);
  }

  private words(pen: Pen, tree: Tree, i: number, x: number, y: number, ink: string, colours: Palette): void {
    pen.font = `11px ${colours.font}`;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    pen.fillStyle = ink;
    const folded = isFolded(tree, i);
    const whole = folded ? many(tree.count[i], "message") : tree.labels[i];
    const fits = this.fitting(pen, whole);
    const text = folded && fits !== whole ? grouped(tree.count[i]) : fits; // half a number's word says less than the number
    pen.fillText(text, x, y + 16);
    if (isOff(tree, i)) pen.fillRect(x, y + HALF, pen.measureText(text).width, 1);
    const note = isOff(tree, i)
      ? "disabled"
      : folded
        ? text === whole
          ? "folded"
          : "messages, folded"
        : isSummary(tree, i)
          ? "compressed"
          : "";
    if (!note) return;
    pen.fillStyle = colours.ink3;
    pen.font = `10px ${colours.font}`;
    pen.fillText(note, x - 20, y + TALL + (folded ? 13 : 11));
  }

  /** A label cut to the box, with an ellipsis. */
  private fitting(pen: Pen, label: string): string {
    const known = this.fits.get(label);
    if (known !== undefined) return known;
    const room = BOX - 28;
    let text = label;
    if (pen.measureText(label).width > room) {
      const whole = [...new Intl.Segmenter().segment(label.replace(/…$/u, ""))].map((each) => each.segment);
      while (whole.length && pen.measureText(`${whole.join("").trimEnd()}…`).width > room) whole.pop();
      text = `${whole.join("").trimEnd()}…`;
    }
    this.fits.set(label, text);
    return text;
  }

  private sign(pen: Pen, tree: Tree, i: number, x: number, y: number, r: number, colours: Palette): void {
    if (isFolded(tree, i)) {
      pen.fillStyle = colours.ink2;
      for (const by of [-3, 0, 3]) pen.fillRect(x - 4, y + by - 0.5, 8, 1);
      return;
    }
    const colour = isSummary(tree, i) ? colours.summary : colours[roleOf(tree, i)];
    pen.beginPath();
    trace(pen, isSummary(tree, i) ? "summary" : roleOf(tree, i), x, y, r);
    if (isOff(tree, i)) {
      pen.strokeStyle = colour;
      pen.lineWidth = 1;
      pen.stroke();
    } else {
      pen.fillStyle = colour;
      pen.fill();
    }
  }

  // --- what is dragged, on the screen

  private held(pen: Pen, scene: Scene, drag: Drag, colours: Palette): void {
    const { camera, tree, size } = scene;
    const scale = Math.max(camera.scale, LABELS);
    const [wide, tall] = [BOX * scale, TALL * scale];
    const [x, y] = [drag.x + 10, drag.y + 14];
    const colour = drag.refused ? colours.err : colours.ok;
    if (drag.onto !== null && !drag.refused) {
      const from = at(camera, tree.x[drag.onto] + BOX, tree.y[drag.onto] + HALF);
      pen.strokeStyle = colour;
      pen.lineWidth = 1;
      pen.setLineDash([3, 3]);
      pen.beginPath();
      pen.moveTo(from.x, from.y);
      pen.lineTo(x, y + tall / 2);
      pen.stroke();
    }
    pen.setLineDash([3, 2]);
    outline(pen, x, y, wide, tall, 2, colours.s0, colours.ink, 1);
    pen.setLineDash([]);
    pen.save();
    pen.translate(x, y);
    pen.scale(scale, scale);
    this.sign(pen, tree, drag.sign, 13, HALF, 4.6, colours);
    pen.font = `11px ${colours.font}`;
    pen.fillStyle = colours.ink;
    const folded = isFolded(tree, drag.sign);
    pen.fillText(this.fitting(pen, folded ? many(tree.count[drag.sign], "message") : tree.labels[drag.sign]), 23, 16);
    pen.restore();
    if (!drag.words) return;
    pen.font = `600 11px ${colours.font}`;
    const width = pen.measureText(drag.words).width;
    const left = Math.max(4, Math.min(x, size.width - width - 8));
    const base = y + tall + 16 < size.height ? y + tall + 14 : y - 6;
    pen.fillStyle = colours.s0;
    pen.fillRect(left - 3, base - 11, width + 6, 15);
    pen.fillStyle = colour;
    pen.fillText(drag.words, left, base);
  }
}

const curve: Line = (pen, x0, y0, x1, y1) => {
  pen.moveTo(x0 + BOX, y0 + HALF);
  pen.bezierCurveTo(x0 + BOX + 8, y0 + HALF, x1 - 8, y1 + HALF, x1, y1 + HALF);
};

/** What is around a box: found, allowed or refused as a place to hang on, the active leaf, the focus. */
function halo(pen: Pen, scene: Scene, i: number, colours: Palette, thin: number): void {
  const { tree, drag } = scene;
  const around = (by: number, fill: string, edge: string, width: number, dash: number[] = []) => {
    pen.setLineDash(dash);
    outline(pen, tree.x[i] - by, tree.y[i] - by, BOX + 2 * by, TALL + 2 * by, 4, fill, edge, width);
    pen.setLineDash([]);
  };
  if (drag?.onto === i) {
    if (drag.refused) around(5, colours.errTint, colours.err, 2 * thin, [1, 3]);
    else around(5, colours.okTint, colours.ok, 2 * thin, [4, 2]);
  } else if (scene.landed === i) around(5, colours.okTint, colours.ok, 2 * thin);
  else if (scene.hits.has(i) && scene.hitsAreDim) around(5, "", colours.edge, thin, [2, 2]);
  else if (scene.hits.has(i)) around(5, colours.sel, colours.focus, scene.hit === i ? 2 * thin : thin);
  else if (scene.focus === i) around(6, "", colours.focus, 2 * thin);
  if (scene.fork === i) around(8, "", colours.ink, 2 * thin, [5, 3]);
  if (isLeaf(tree, i)) around(3, "", colours.ring, 2 * thin);
}
