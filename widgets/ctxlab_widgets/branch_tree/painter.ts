// Draws the tree: boxes with words, from further away signs, from far away dots. Only what is in view.

import { grouped, many } from "../_shared/numbers";
import { LABELS, SIGNS, seen } from "./camera";
import { between, edges } from "./edges";
import { fittingLines } from "./label_text";
import type { Palette } from "./palette";
import { at, type Drag, grown, inView, isLifted, type Pen, type Scene } from "./scene";
import { outline, tag, trace } from "./shapes";
import { hasFiles, isBundle, isFolded, isHidden, isLeaf, isOff, isSummary, roleOf, type Tree } from "./tree_data";
import { drawDots, drawSigns } from "./zoomed_out";

/** Words in pixels of the screen at 100 %; from this size on they grow no more, and there are more of them. */
const TEXT = 11;
const LINE = 13.2;
const LARGEST = 1.1;
/** Room in a box beside its words, above and below them, and between them and the tokens. */
const BESIDE = 28;
const AROUND = 1.5;
const APART = 8;
/** Boxes show tokens when they are as wide as this on the screen. */
const TOKENS = 150;
const KNOWN = 4000;

interface Written {
  lines: string[];
  tokens: string;
}

export class Painter {
  private readonly fits = new Map<string, string[]>();
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
    edges(pen, scene, colours, between(tree.grid, tree.grid.layout === "tidy" ? 8 : 16), thin);
    for (const i of shown) halo(pen, scene, i, colours, thin);
    for (const i of shown) this.box(pen, scene, i, colours, thin);
    pen.restore();
  }

  private box(pen: Pen, scene: Scene, i: number, colours: Palette, thin: number): void {
    const { tree, camera } = scene;
    const { wide, tall } = tree.grid;
    const [x, y] = [tree.x[i], tree.y[i]];
    const [off, faint] = [isOff(tree, i), isHidden(tree, i)];
    const plain = isFolded(tree, i) || isSummary(tree, i);
    const chosen = scene.selected === i;
    const own = colours[roleOf(tree, i)];
    if (isFolded(tree, i)) {
      for (const by of [4, 2]) outline(pen, x + by, y + by, wide, tall, 2, colours.s0, colours.edge, thin);
    }
    pen.setLineDash(off || isLifted(scene, i) ? [3, 2] : []);
    const edge = chosen ? colours.chosen : plain || off || faint ? colours.edge : own;
    const fill = chosen ? colours.sel : off || faint ? colours.s1 : colours.s0;
    outline(pen, x, y, wide, tall, 2, fill, edge, chosen ? 2 * thin : thin);
    pen.setLineDash([]);
    if (!plain) {
      pen.globalAlpha = off || faint ? 0.5 : 1;
      pen.fillStyle = own;
      pen.fillRect(x, y, 3, tall);
    }
    pen.globalAlpha = faint ? 0.5 : 1;
    this.sign(pen, tree, i, x + 13, y + tall / 2, 4.6, colours);
    if (hasFiles(tree, i)) {
      pen.beginPath();
      trace(pen, "files", x + 13, y + Math.max(tall - 6, tall / 2 + 8), 3.2);
      pen.strokeStyle = colours.attachment;
      pen.lineWidth = 1.2;
      pen.stroke();
    }
    pen.globalAlpha = 1;
    this.words(pen, tree, i, camera.scale, off || faint ? colours.ink3 : colours.ink, colours);
    if (scene.picked.has(i)) tag(pen, x + wide - 10, y - 9, scene.picked.get(i)!, colours);
  }

  private words(pen: Pen, tree: Tree, i: number, scale: number, ink: string, colours: Palette): void {
    const { tall, wide } = tree.grid;
    const [x, y] = [tree.x[i] + 23, tree.y[i]];
    const size = Math.min(1, LARGEST / scale);
    const { lines, tokens } = this.written(pen, tree, i, scale, colours);
    pen.font = `${TEXT * size}px ${colours.font}`;
    pen.textBaseline = "alphabetic";
    pen.textAlign = "left";
    const top = y + (tall - lines.length * LINE * size) / 2;
    for (const [line, text] of lines.entries()) {
      const base = top + (line + 0.78) * LINE * size;
      pen.fillStyle = ink;
      pen.fillText(text, x, base);
      if (isOff(tree, i)) pen.fillRect(x, base - 3.7 * size, pen.measureText(text).width, size);
    }
    if (tokens) {
      pen.fillStyle = colours.ink3;
      pen.textAlign = "right";
      pen.fillText(tokens, tree.x[i] + wide - 5, top + (lines.length - 0.22) * LINE * size);
      pen.textAlign = "left";
    }
    const note = noteOf(tree, i, lines[0]);
    if (!note) return;
    pen.fillStyle = colours.ink3;
    pen.font = `${10 * size}px ${colours.font}`;
    pen.fillText(note, x - 20, y + tall + (isFolded(tree, i) ? 4 : 2) + 9 * size);
  }

  /** As many words as there is room for at this zoom, and the tokens where there is room for both. */
  private written(pen: Pen, tree: Tree, i: number, scale: number, colours: Palette): Written {
    const { wide, tall } = tree.grid;
    const size = Math.min(1, LARGEST / scale);
    pen.font = `${TEXT}px ${colours.font}`;
    const room = Math.round((wide - BESIDE) / size);
    if (isFolded(tree, i)) return { lines: [this.count(pen, tree, i, room)], tokens: "" };
    const most = Math.max(1, Math.floor((tall - 2 * AROUND) / (LINE * size)));
    const more = hasFiles(tree, i) ? "+" : ""; // its files are not counted
    const tokens = tree.tokens[i] > 0 && wide * scale >= TOKENS ? grouped(tree.tokens[i]) + more : "";
    const end = tokens ? Math.round(room - pen.measureText(tokens).width - APART) : room;
    return { lines: this.fitting(pen, tree.labels[i], room, end, most), tokens };
  }

  /** Of what is folded the number: half of its word says less than the number alone. */
  private count(pen: Pen, tree: Tree, i: number, room: number): string {
    const sign = isBundle(tree, i) ? "+" : "";
    const whole = `${sign}${many(tree.count[i], "message")}`;
    return pen.measureText(whole).width <= room ? whole : `${sign}${grouped(tree.count[i])}`;
  }

  private fitting(pen: Pen, label: string, room: number, end: number, most: number): string[] {
    const name = `${room} ${end} ${most} ${label}`;
    let known = this.fits.get(name);
    if (!known) {
      if (this.fits.size > KNOWN) this.fits.clear();
      known = fittingLines(label, room, end, most, (text) => pen.measureText(text).width);
      this.fits.set(name, known);
    }
    return known;
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
    const box = tree.grid;
    const [wide, tall] = [box.wide * scale, box.tall * scale];
    const [x, y] = [drag.x + 10, drag.y + 14];
    const colour = drag.refused ? colours.err : colours.ok;
    if (drag.onto !== null && !drag.refused) {
      const from = at(camera, tree.x[drag.onto] + box.wide, tree.y[drag.onto] + box.tall / 2);
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
    this.sign(pen, tree, drag.sign, 13, box.tall / 2, 4.6, colours);
    pen.font = `${TEXT}px ${colours.font}`;
    pen.fillStyle = colours.ink;
    const room = box.wide - BESIDE;
    const isOne = !isFolded(tree, drag.sign);
    const [words] = isOne
      ? this.fitting(pen, tree.labels[drag.sign], room, room, 1)
      : [this.count(pen, tree, drag.sign, room)];
    pen.fillText(words ?? "", 23, box.tall / 2 + 4);
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

/** A word below a box on what it is. */
function noteOf(tree: Tree, i: number, words: string): string {
  if (isOff(tree, i)) return "disabled";
  if (isBundle(tree, i)) return "";
  if (isFolded(tree, i)) return words.endsWith("s") ? "folded" : "messages, folded";
  return isSummary(tree, i) ? "compressed" : "";
}

/** What is around a box: found, allowed or refused as a place to hang on, the active leaf, the focus. */
function halo(pen: Pen, scene: Scene, i: number, colours: Palette, thin: number): void {
  const { tree, drag } = scene;
  const { wide, tall } = tree.grid;
  const around = (by: number, fill: string, edge: string, width: number, dash: number[] = []) => {
    pen.setLineDash(dash);
    outline(pen, tree.x[i] - by, tree.y[i] - by, wide + 2 * by, tall + 2 * by, 4, fill, edge, width);
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
