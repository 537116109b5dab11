// Light or dark, as the page around the widget says; the system's wish only where the page says nothing.

export type Theme = "light" | "dark";

/** What the page says: JupyterLab, VS Code, a data-theme of its own. Null: nothing. */
export function themeOf(page: { body: Element | null; documentElement: Element }): Theme | null {
  const { body, documentElement: root } = page;
  const lab = body?.getAttribute("data-jp-theme-light");
  if (lab === "true" || lab === "false") return lab === "true" ? "light" : "dark";
  const code = body?.getAttribute("data-vscode-theme-kind");
  if (code) return code.includes("light") ? "light" : "dark";
  const own = root.getAttribute("data-theme") ?? body?.getAttribute("data-theme");
  return own === "light" || own === "dark" ? own : null;
}

/** Keeps the widget in the page's theme until the signal ends it. */
export function followTheme(root: HTMLElement, signal: AbortSignal): void {
  const wish = matchMedia("(prefers-color-scheme: dark)");
  const set = () => {
    root.dataset.theme = themeOf(document) ?? (wish.matches ? "dark" : "light");
  };
  const watch = new MutationObserver(set);
  const attributeFilter = ["data-theme", "data-jp-theme-light", "data-vscode-theme-kind"];
  for (const each of [document.documentElement, document.body])
    watch.observe(each, { attributes: true, attributeFilter });
  wish.addEventListener("change", set, { signal });
  signal.addEventListener("abort", () => watch.disconnect());
  set();
}
