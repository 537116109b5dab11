// Which part of the tree is seen, and how large.

export interface Camera {
  /** Pixels on the screen for one pixel at 100 %. */
  scale: number;
  /** Where the tree's own zero lies on the screen. */
  left: number;
  top: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Frame extends Size {
  x: number;
  y: number;
}

const MOST = 2;
const LEAST = 0.0005;
/** Room that is left between the tree and an edge. */
export const PAD = 8;
/** Labels are drawn from here on, below it only signs, and below the other only dots. */
export const LABELS = 0.6;
export const SIGNS = 0.2;

export const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);

/** Zoomed by a factor, with the point of the screen staying where it is. */
export function zoomed(camera: Camera, factor: number, x: number, y: number, least: number): Camera {
  const scale = within(camera.scale * factor, Math.min(least, SIGNS), MOST);
  const by = scale / camera.scale;
  return { scale, left: x - (x - camera.left) * by, top: y - (y - camera.top) * by };
}

/** The whole tree in view, never larger than it is. */
export function fitted(tree: Size, screen: Size): Camera {
  const room = { width: Math.max(screen.width - 2 * PAD, 1), height: Math.max(screen.height - 2 * PAD, 1) };
  const scale = within(Math.min(room.width / (tree.width || 1), room.height / (tree.height || 1)), LEAST, 1);
  return {
    scale,
    left: Math.round((screen.width - tree.width * scale) / 2),
    top: Math.round((screen.height - tree.height * scale) / 2),
  };
}

/** What is seen, in the tree's own pixels. */
export const seen = (camera: Camera, screen: Size): Frame => ({
  x: -camera.left / camera.scale,
  y: -camera.top / camera.scale,
  width: screen.width / camera.scale,
  height: screen.height / camera.scale,
});

/** With a place in the middle. */
export const centred = (camera: Camera, screen: Size, x: number, y: number): Camera => ({
  scale: camera.scale,
  left: Math.round(screen.width / 2 - x * camera.scale),
  top: Math.round(screen.height / 2 - y * camera.scale),
});

/** Moved no further than it takes to have a place in view with some room around it. */
export function showing(camera: Camera, screen: Size, place: Frame): Camera {
  const left = nudge(camera.left + place.x * camera.scale, place.width * camera.scale, screen.width);
  const top = nudge(camera.top + place.y * camera.scale, place.height * camera.scale, screen.height);
  return left || top ? { ...camera, left: camera.left + left, top: camera.top + top } : camera;
}

function nudge(from: number, length: number, room: number): number {
  const pad = Math.min(4 * PAD, Math.max((room - length) / 2, 0));
  if (from < pad) return Math.round(pad - from);
  return from + length > room - pad ? Math.round(Math.max(room - pad - length, pad) - from) : 0;
}

/** Some of the tree always stays on the screen. */
export function kept(camera: Camera, tree: Size, screen: Size): Camera {
  const room = (size: number, of: number) => [Math.min(60, of / 3) - size * camera.scale, of - Math.min(60, of / 3)];
  const [leftmost, rightmost] = room(tree.width, screen.width);
  const [topmost, lowest] = room(tree.height, screen.height);
  return {
    scale: camera.scale,
    left: within(camera.left, Math.min(leftmost, rightmost), rightmost),
    top: within(camera.top, Math.min(topmost, lowest), lowest),
  };
}

/** Moved up (-1) or down so that a place isn't under something that lies on the screen. */
export function aside(camera: Camera, place: Frame, over: Frame, way: 1 | -1): Camera {
  const [x, y] = [camera.left + place.x * camera.scale, camera.top + place.y * camera.scale];
  const [width, height] = [place.width * camera.scale, place.height * camera.scale];
  const apart = x > over.x + over.width || x + width < over.x || y > over.y + over.height || y + height < over.y;
  if (apart) return camera;
  const by = way > 0 ? over.y + over.height - y : over.y - y - height;
  return { ...camera, top: Math.round(camera.top + by) };
}
