// A page for tests alone: one message after the other, drawn as a chat draws it.

import { h } from "../../ctxlab_widgets/_shared/dom";
import type { Asset } from "../../ctxlab_widgets/_shared/markdown/asset_urls";
import { lateCode } from "../../ctxlab_widgets/_shared/markdown/late_code";
import css from "../../ctxlab_widgets/_shared/markdown/markdown.css";
import { MarkdownView } from "../../ctxlab_widgets/_shared/markdown/markdown_view";
import { ThoughtsView } from "../../ctxlab_widgets/_shared/markdown/thoughts_view";
import { type Model, whenChanged, widget } from "../../ctxlab_widgets/_shared/mount";

export default widget("Message", css, (at) => {
  const { model, root } = at;
  const host = h("div");
  const code = lateCode(model);
  const options = {
    resolveAsset: async (address: string) => assetOf(model, address),
    onButton: (button: object) => model.send({ command: "button", ...button }),
    loadMaths: code.maths,
    loadMermaid: code.mermaid,
  };
  const view = new MarkdownView(host, options);
  const thoughts = new ThoughtsView(options);
  root.append(thoughts.element, host);
  const show = () => {
    view.update(String(model.get("text")), { open: model.get("open") === true });
    thoughts.update(String(model.get("thoughts") ?? ""), "Thought for 6.2 s");
  };
  whenChanged(at, ["text", "open", "thoughts"], show);
  at.signal.addEventListener("abort", () => view.destroy());
  Object.assign(globalThis, { markdownView: view });
  show();
});

function assetOf(model: Model, address: string): Asset | null {
  const found = (model.get("assets") as Record<string, { base64: string; type: string }>)?.[address];
  return found ? { bytes: Uint8Array.from(atob(found.base64), (c) => c.charCodeAt(0)), type: found.type } : null;
}
