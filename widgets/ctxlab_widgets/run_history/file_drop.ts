// A file that is dropped on the page, or chosen, goes to Python as it is.

import { h } from "../_shared/dom";

const MOST_BYTES = 200_000_000;

export function fileDrop(
  root: HTMLElement,
  take: (name: string, data: ArrayBuffer) => void,
  refuse: (words: string) => void,
  signal: AbortSignal,
): HTMLElement {
  const send = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > MOST_BYTES) refuse(`${file.name} is larger than ${MOST_BYTES / 1e6} MB`);
    else take(file.name, await file.arrayBuffer());
  };
  const input = h("input", { type: "file", hidden: true, tabindex: -1 });
  const button = h(
    "button",
    { type: "button", class: "btn", title: "Or drop a file anywhere on this page" },
    "Open\u2026",
  );
  button.addEventListener("click", () => input.click(), { signal });
  input.addEventListener(
    "change",
    () => {
      void send(input.files?.[0]);
      input.value = "";
    },
    { signal },
  );
  // The page's other views are beside this one, and their box is known when all are there.
  requestAnimationFrame(() => {
    if (signal.aborted) return;
    const page = root.closest<HTMLElement>(".ctxlab-page") ?? root;
    const isFile = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (on: boolean) => root.classList.toggle("dropping", on);
    page.addEventListener(
      "dragover",
      (event) => {
        if (!isFile(event)) return;
        event.preventDefault();
        event.stopPropagation();
        over(true);
      },
      { signal },
    );
    page.addEventListener("dragleave", (event) => !page.contains(event.relatedTarget as Node) && over(false), {
      signal,
    });
    page.addEventListener(
      "drop",
      (event) => {
        over(false);
        if (!isFile(event)) return;
        event.preventDefault();
        event.stopPropagation();
        void send(event.dataTransfer?.files[0]);
      },
      { signal },
    );
  });
  return h("span", {}, button, input);
}
