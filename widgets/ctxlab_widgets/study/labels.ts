// Places for names beside points: none on another, none on a point, none outside the plot.

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Named {
  x: number;
  y: number;
  /** Pixels of the name as it is drawn, and from its top to its base line. */
  width: number;
  height: number;
  ascent: number;
  /** Where its own mark, a point with whiskers, begins and ends. */
  top: number;
  bottom: number;
  /** Names with more weight take their places first. */
  weight: number;
}

export interface Place {
  /** Where the text begins, and its base line. */
  x: number;
  y: number;
  box: Box;
  /** A line from its own mark, where the name is not right beside it. */
  leader: string;
}

/** From a point to its name: the ring around one that is picked has room. */
const GAP = 11;

/** A place for each name, or null where there is none without touching something. */
export function placed(names: readonly Named[], taken: readonly Box[], within: Box): (Place | null)[] {
  const found: (Place | null)[] = names.map(() => null);
  const order = names.map((_, i) => i).sort((a, b) => names[b].weight - names[a].weight || a - b);
  const boxes = [...taken];
  for (const i of order) {
    const box = candidates(names[i]).find((each) => inside(each, within) && !boxes.some((other) => meet(each, other)));
    if (!box) continue;
    boxes.push(box);
    found[i] = { x: box.x, y: box.y + names[i].ascent, box, leader: leaderTo(names[i], box) };
  }
  return found;
}

/** From the nearer end of a mark to the name above or below it, or from its point to the name at its side. */
function leaderTo({ x, y, top, bottom }: Named, box: Box): string {
  const under = box.y + box.height;
  const isBeside = box.x >= x || box.x + box.width <= x;
  const far = isBeside ? Math.max(box.y - y, y - under) : Math.max(box.y - bottom, top - under);
  if (far < box.height) return "";
  const edge = under <= y ? under : box.y;
  const from = isBeside ? y : under <= y ? top : bottom;
  const to = Math.min(box.x + box.width, Math.max(box.x, x));
  return `M${x} ${from}L${to} ${edge}`;
}

function candidates({ x, y, width, height, top: above, bottom: below }: Named): Box[] {
  const box = (left: number, top: number): Box => ({ x: left, y: top, width, height });
  const right = x + GAP;
  const left = x - GAP - width;
  const middle = x - width / 2;
  const near = [-height / 2, -height - 2, 2, 2 - 2 * height, height - 2];
  return [
    ...near.flatMap((top) => [box(right, y + top), box(left, y + top)]),
    ...[0, 1, 2].flatMap((n) => {
      const far = 3 + n * (height + 2);
      return [middle, x - 12, x - width + 12].flatMap((at) => [box(at, above - height - far), box(at, below + far)]);
    }),
    ...[1, 2, 3].flatMap((n) => {
      const far = 10 + n * height;
      return [right, left].flatMap((at) => [box(at, y - far - height / 2), box(at, y + far - height / 2)]);
    }),
  ];
}

/** The room that a line of steps takes: to the right along each height, then up or down to the next. */
export function stepBoxes(places: readonly { x: number; y: number }[]): Box[] {
  return places.slice(1).flatMap(({ x, y }, i) => {
    const from = places[i];
    const top = Math.min(from.y, y);
    return [
      { x: from.x, y: from.y - 1, width: x - from.x, height: 2 },
      { x: x - 1, y: top, width: 2, height: Math.abs(y - from.y) },
    ];
  });
}

const meet = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

const inside = (a: Box, b: Box): boolean =>
  a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;

/** A name cut to so many signs. */
export function cutName(name: string, most = 28): string {
  const signs = [...name];
  return signs.length <= most ? name : `${signs.slice(0, most - 1).join("")}…`;
}
