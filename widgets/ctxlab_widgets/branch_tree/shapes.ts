// The signs of the roles and the boxes, as paths of a canvas.

import type { Palette } from "./palette";
import type { Pen } from "./scene";

export function outline(
  pen: Pen,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
  fill: string,
  edge: string,
  line: number,
): void {
  const by = line % 2 === 1 ? 0.5 : 0;
  pen.beginPath();
  pen.roundRect(x + by, y + by, width - 2 * by, height - 2 * by, radius);
  if (fill) {
    pen.fillStyle = fill;
    pen.fill();
  }
  pen.strokeStyle = edge;
  pen.lineWidth = line;
  pen.stroke();
}

export function tag(pen: Pen, x: number, y: number, text: string, colours: Palette): void {
  pen.fillStyle = colours.ink;
  pen.beginPath();
  pen.roundRect(x, y, 17, 16, 2);
  pen.fill();
  pen.fillStyle = colours.s0;
  pen.font = `600 12px ${colours.font}`;
  pen.textAlign = "center";
  pen.fillText(text, x + 8.5, y + 12.5);
  pen.textAlign = "left";
}

export function trace(pen: Pen, kind: string, x: number, y: number, r: number): void {
  if (kind === "user") {
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 2 * Math.PI);
  } else if (kind === "assistant") corners(pen, x, y, [0, -1.15, 1.15, 0, 0, 1.15, -1.15, 0], r);
  else if (kind === "files") corners(pen, x, y, [-0.5, -0.87, 0.5, -0.87, 1, 0, 0.5, 0.87, -0.5, 0.87, -1, 0], r);
  else if (kind === "tool") corners(pen, x, y, CROSS, r);
  else if (kind === "summary") corners(pen, x, y, [-0.9, -1.1, 0.9, -1.1, 0.2, 0, 0.9, 1.1, -0.9, 1.1, -0.2, 0], r);
  else pen.rect(x - 0.87 * r, y - 0.87 * r, 1.74 * r, 1.74 * r);
}

const CROSS = [-0.35, -1.1, 0.35, -1.1, 0.35, -0.35, 1.1, -0.35, 1.1, 0.35, 0.35, 0.35].concat([
  0.35, 1.1, -0.35, 1.1, -0.35, 0.35, -1.1, 0.35, -1.1, -0.35, -0.35, -0.35,
]);

function corners(pen: Pen, x: number, y: number, points: number[], r: number): void {
  for (let k = 0; k < points.length; k += 2) {
    if (k) pen.lineTo(x + points[k] * r, y + points[k + 1] * r);
    else pen.moveTo(x + points[k] * r, y + points[k + 1] * r);
  }
  pen.closePath();
}
