// Texts that lie over one another, that end at an edge where nothing says so, and what makes the page scroll sideways.
() => {
  const SLACK = 1.5; // pixels: what antialiasing and rounding take
  const root = document.querySelector(".ctxlab");
  const short = (text) => JSON.stringify(text.trim().slice(0, 40));
  const style = (element) => getComputedStyle(element);

  /** Shown to readers of screens alone. */
  const isForReaders = (element) => {
    for (let at = element; at && at !== root; at = at.parentElement) if (style(at).clipPath === "inset(50%)") return true;
    return false;
  };

  /** What is left of a box inside all that clips it, and whether it was cut where nobody can scroll and no dots say so. */
  const clipped = (element, box) => {
    let { left, right, top, bottom } = box;
    let isCut = false;
    // A blank that ends a line hangs over the edge where blanks are kept.
    const slack = style(element).whiteSpace === "pre-wrap" ? SLACK + 10 : SLACK;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp, position } = style(at);
      if (overflowX !== "visible" || overflowY !== "visible") {
        const edge = at.getBoundingClientRect();
        if (overflowX !== "visible") {
          const scrolls = overflowX === "auto" || overflowX === "scroll";
          const says = textOverflow === "ellipsis" || webkitLineClamp !== "none";
          if (!scrolls && !says && (right > edge.right + slack || left < edge.left - SLACK)) isCut = true;
          [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
        }
        if (overflowY !== "visible") [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
      }
      if (position === "fixed") break;
    }
    return { box: { left, right, top, bottom }, isCut, isSeen: right - left > SLACK && bottom - top > SLACK };
  };

  const texts = [];
  const cut = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    if (element.closest("title, style, option") || isForReaders(element)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      if (rect.width < SLACK || rect.height < SLACK) continue;
      const found = clipped(element, rect);
      if (found.isCut) cut.push(`${element.tagName.toLowerCase()}.${element.className?.baseVal ?? element.className}: ${short(node.data)}`);
      if (found.isSeen) texts.push({ node, element, ...found.box });
    }
  }

  const isOver = (element) => { // what is laid over others on purpose has a ground of its own, which hides them
    for (let at = element; at && at !== root; at = at.parentElement) {
      const { position, zIndex } = style(at);
      if (position === "absolute" && zIndex !== "auto" || position === "fixed" || position === "sticky") return true;
    }
    return false;
  };
  const over = [];
  const inSight = texts.filter((each) => !isOver(each.element)).sort((a, b) => a.top - b.top);
  for (let i = 0; i < inSight.length; i++)
    for (let j = i + 1; j < inSight.length && inSight[j].top < inSight[i].bottom; j++) {
      const [a, b] = [inSight[i], inSight[j]];
      if (a.node === b.node || a.element.contains(b.element) || b.element.contains(a.element)) continue;
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const line = Math.min(a.bottom - a.top, b.bottom - b.top);
      if (wide > SLACK && high > line * 0.35) over.push(`${short(a.node.data)} and ${short(b.node.data)}`);
    }
  const page = document.documentElement;
  const sideways = page.scrollWidth > page.clientWidth ? [`${page.scrollWidth} of ${page.clientWidth} pixels`] : [];
  return { texts: texts.length, over: [...new Set(over)], cut: [...new Set(cut)], sideways };
}
