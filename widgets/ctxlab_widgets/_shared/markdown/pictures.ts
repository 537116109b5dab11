// A picture in a message: drawn where its bytes are at hand, else a chip with its words and address. Nothing is fetched.

import { glyph, h, harmless } from "../dom";
import { namesOwnFile, shortened } from "./addresses";
import type { AssetUrl, AssetUrls } from "./asset_urls";

export function picture(address: string, alt: string, assets: AssetUrls): HTMLElement {
  const shown = h("span", { class: "md-pic" }, chip(address, alt));
  if (!namesOwnFile(address)) return shown;
  shown.dataset.asset = address;
  void assets.get(address).then((found) => {
    if (found) shown.replaceChildren(player(found, alt, () => shown.replaceChildren(chip(address, alt))));
  });
  return shown;
}

function player({ url, kind }: AssetUrl, alt: string, failed: () => void): HTMLElement {
  const label = harmless(alt);
  const element =
    kind === "image"
      ? h("img", { alt: label, title: label, draggable: "false" })
      : h(kind, { controls: true, preload: "metadata", "aria-label": label });
  element.addEventListener("error", failed, { once: true });
  element.src = url;
  return element;
}

function chip(address: string, alt: string): HTMLElement {
  const inText = /^\s*data:/i.test(address);
  const place = inText ? "a picture written into the text" : harmless(shortened(address, 120));
  return h(
    "span",
    { class: "md-chip", role: "img", "aria-label": `Picture, not shown: ${harmless(alt)} ${place}` },
    glyph("attachment"),
    alt && h("b", {}, harmless(alt)),
    h("span", { class: "ink2", title: inText ? null : harmless(shortened(address, 2000)) }, place),
  );
}
