// MathML from a text, copied element by element: what isn't known is left out, whoever wrote it.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  (
    "math mrow mi mn mo ms mspace mtext mfrac msqrt mroot mstyle mpadded mphantom menclose " +
    "msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd"
  ).split(" "),
);
const ATTRIBUTES = new Set(
  (
    "display mathvariant stretchy fence separator lspace rspace minsize maxsize movablelimits accent accentunder " +
    "linethickness columnalign rowalign columnspacing rowspacing columnlines rowlines width height depth voffset " +
    "scriptlevel displaystyle notation symmetric largeop form mathcolor mathbackground"
  ).split(" "),
);
const VALUE = /^[\w .%#+-]{0,64}$/;
const DEEPEST = 120;

/** The formula as nodes of this document; null where the text holds none. */
export function mathNodes(text: string): Element | null {
  const root = new DOMParser().parseFromString(text, "application/xml").getElementsByTagNameNS(SPACE, "math")[0];
  return root ? copyOf(root, 0) : null;
}

function copyOf(from: Element, depth: number): Element {
  const made = document.createElementNS(SPACE, from.localName);
  for (const { name, value } of from.attributes)
    if (ATTRIBUTES.has(name) && VALUE.test(value)) made.setAttribute(name, value);
  fill(made, from, depth);
  return made;
}

function fill(into: Element, from: Element, depth: number): void {
  for (const child of from.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) into.append(child.textContent ?? "");
    if (!(child instanceof Element) || depth > DEEPEST) continue;
    // The second child of `semantics` is the source again.
    if (child.localName === "semantics") {
      const shown = child.firstElementChild;
      if (shown && known(shown)) into.append(copyOf(shown, depth + 1));
    } else if (known(child)) into.append(copyOf(child, depth + 1));
  }
}

const known = ({ namespaceURI, localName }: Element): boolean => namespaceURI === SPACE && ELEMENTS.has(localName);
