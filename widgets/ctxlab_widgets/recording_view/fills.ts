// Fills of a canvas as the stylesheets draw them: a colour of a source and its pattern.

export interface Fills {
  of(sign: string): (CanvasPattern | string)[];
  ink: string;
  ink2: string;
  ground: string;
  line: string;
  track: string;
  grey: string;
  ok: string;
  err: string;
}

type Draw = (tile: CanvasRenderingContext2D) => void;

const lines =
  (...paths: [number, number, number, number][]): Draw =>
  (tile) => {
    tile.beginPath();
    for (const [x1, y1, x2, y2] of paths) {
      tile.moveTo(x1, y1);
      tile.lineTo(x2, y2);
    }
    tile.stroke();
  };

const TILES: Record<string, [size: number, draw: Draw]> = {
  profile: [4, lines([0, 3.5, 4, 3.5])],
  lore: [5, (tile) => tile.fillRect(1.2, 1.2, 1.8, 1.8)],
  knowledge: [6, lines([-1, -1, 7, 7], [-1, 5, 1, 7], [5, -1, 7, 1])],
  tools: [6, lines([-1, 7, 7, -1], [-1, -1, 7, 7])],
  attachment: [4, lines([3.5, 0, 3.5, 4])],
  summary: [7, lines([0, 2.5, 7, 2.5], [0, 6.5, 7, 6.5], [6.5, 0, 6.5, 7])],
  reserve: [8, lines([0.5, 0, 0.5, 8])],
};

export const areForced = (): MediaQueryList => matchMedia("(forced-colors: active)");

export function fillsOf(root: HTMLElement, scale: number): Fills {
  const style = getComputedStyle(root);
  const token = (name: string): string => style.getPropertyValue(`--cx-${name}`).trim();
  const system = systemColours(root);
  const pat = token("pat");
  const known = new Map<string, (CanvasPattern | string)[]>();
  const colour = (sign: string): string => (sign === "reserve" ? token("s2") : token(sign));
  const of = (sign: string) => {
    if (!known.has(sign)) {
      const hatch = pattern(sign, sign === "reserve" ? token("edge") : pat, scale);
      known.set(sign, hatch ? [colour(sign), hatch] : [colour(sign)]);
    }
    return known.get(sign)!;
  };
  return {
    of,
    ink: system?.text ?? token("ink"),
    ink2: system?.text ?? token("ink-2"),
    ground: system?.ground ?? token("s0"),
    line: system?.dim ?? token("line"),
    track: system?.ground ?? token("s2"),
    grey: system?.dim ?? token("history"),
    ok: system?.mark ?? token("ok"),
    err: system?.text ?? token("err"),
  };
}

function pattern(sign: string, colour: string, scale: number): CanvasPattern | null {
  const tile = TILES[sign];
  if (!tile) return null;
  const [size, draw] = tile;
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.max(1, Math.round(size * scale));
  const context = canvas.getContext("2d")!;
  context.scale(canvas.width / size, canvas.height / size);
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = 1;
  draw(context);
  const made = context.createPattern(canvas, "repeat");
  made?.setTransform(new DOMMatrix().scale(size / canvas.width));
  return made;
}

/** Where the system forces colours, those that it has; a canvas doesn't know their names, an element does. */
function systemColours(root: HTMLElement): { text: string; ground: string; dim: string; mark: string } | null {
  if (!areForced().matches) return null;
  const probe = document.createElement("i");
  root.append(probe);
  const read = (name: string): string => {
    probe.style.color = name;
    return getComputedStyle(probe).color;
  };
  const found = { text: read("CanvasText"), ground: read("Canvas"), dim: read("GrayText"), mark: read("Highlight") };
  probe.remove();
  return found;
}
