// What of a page can't be told apart: texts below 4.5:1, fills, signs and edges of controls below 3:1, each with its ratio.
() => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  const read = (colour) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = "rgba(0,0,0,0)";
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const light = ([r, g, b]) => {
    const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  };
  const ratio = (a, b) => {
    const [more, less] = [light(a), light(b)].sort((x, y) => y - x);
    return (more + 0.05) / (less + 0.05);
  };
  const chain = (element) => {
    const all = [];
    for (let at = element; at; at = at.parentElement) all.push(at);
    return all.reverse();
  };
  const faded = (element) => chain(element).reduce((n, each) => n * Number(getComputedStyle(each).opacity), 1);
  // A hatch stands behind a text in each of its colours.
  const grounds = (element) => {
    let found = [[255, 255, 255, 1]];
    for (const each of chain(element)) {
      const style = getComputedStyle(each);
      found = found.map((ground) => over(read(style.backgroundColor), ground));
      const hatch = style.backgroundImage.match(/(rgba?|color|oklab|oklch)\([^()]*\)/g) ?? [];
      const solid = hatch.map(read).filter((colour) => colour[3] > 0);
      if (solid.length) found = found.flatMap((ground) => [ground, ...solid.map((colour) => over(colour, ground))]);
    }
    return found;
  };
  const worst = (colour, element) =>
    Math.min(
      ...grounds(element).map((ground) => {
        const [r, g, b, a] = colour;
        return ratio(over([r, g, b, a * faded(element)], ground), ground);
      }),
    );
  const seen = (element) => {
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    const drawn = style.visibility === "visible" && faded(element) > 0; // what appears under the pointer is not there yet
    return box.width > 1 && box.height > 1 && drawn && !element.closest(".vh");
  };
  // What stands behind a field only underlines the words that the field draws.
  const underlines = (element) =>
    read(getComputedStyle(element).color)[3] === 0 && element.closest("[aria-hidden=true]") !== null;
  const name = (element) => `${element.tagName.toLowerCase()}.${[...element.classList].join(".")}`;
  const wrong = new Set();
  const hold = (kind, element, found, least, words = "") => {
    if (found < least) wrong.add(`${kind} ${found.toFixed(2)} ${name(element)} ${words}`.trim());
  };
  const root = document.querySelector(".ctxlab");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const words = node.textContent.trim();
    if (!words || element.closest("style, option") || !seen(element) || underlines(element)) continue;
    texts += 1;
    hold("text", element, worst(read(getComputedStyle(element).color), element), 4.5, words.slice(0, 30));
  }
  const around = (element) => element.parentElement ?? element;
  const best = (element, colours) =>
    Math.max(...colours.map((colour) => worst(read(colour), around(element))).filter((n) => Number.isFinite(n)));
  let shapes = 0;
  for (const element of root.querySelectorAll(".fill")) {
    if (!seen(element)) continue;
    shapes += 1;
    const style = getComputedStyle(element);
    const outline = style.outlineStyle === "none" ? [] : [style.outlineColor];
    hold("fill", element, best(element, [style.backgroundColor, ...outline]), 3);
  }
  for (const element of root.querySelectorAll("svg.g")) {
    if (!seen(element)) continue;
    shapes += 1;
    const beside = around(element).textContent.trim().slice(0, 30);
    hold("sign", element, worst(read(getComputedStyle(element).color), element), 3, beside);
  }
  for (const element of root.querySelectorAll("button, select, input, textarea")) {
    if (!seen(element) || element.type === "range") continue;
    const style = getComputedStyle(element);
    const edge = read(style.borderTopColor);
    if (style.borderTopStyle === "none" || edge[3] === 0 || style.borderTopWidth === "0px") continue;
    if (!element.matches(".btn, select, input, textarea")) continue;
    shapes += 1;
    hold("edge", element, worst(edge, around(element)), 3);
  }
  return { texts, shapes, wrong: [...wrong] };
}
