// Files that are dropped, chosen or pasted go to Python as they are.

import { h } from "../_shared/dom";
import { taken } from "../_shared/keyboard";

const MOST_BYTES = 200_000_000;

export interface ImportHost {
  root: HTMLElement;
  signal: AbortSignal;
  file(name: string, data: ArrayBuffer): void;
  text(text: string): void;
  refuse(words: string): void;
}

export function importButton({ root, signal, file, text, refuse }: ImportHost): HTMLElement {
  const send = async (files: Iterable<File>) => {
    for (const each of files)
      if (each.size > MOST_BYTES) refuse(`${each.name} is larger than ${MOST_BYTES / 1e6} MB`);
      else file(each.name, await each.arrayBuffer());
  };
  const input = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    tabindex: -1,
    "aria-label": "Files to import",
  });
  const title = "Or drop files on this view, or paste text into the list";
  const button = h("button", { type: "button", class: "btn", title }, "Import\u2026");
  button.addEventListener("click", () => input.click(), { signal });
  input.addEventListener(
    "change",
    () => {
      void send([...(input.files ?? [])]);
      input.value = "";
    },
    { signal },
  );
  const over = (on: boolean) => root.classList.toggle("dropping", on);
  root.addEventListener(
    "dragover",
    (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      taken(event);
      over(true);
    },
    { signal },
  );
  root.addEventListener("dragleave", (event) => !root.contains(event.relatedTarget as Node) && over(false), { signal });
  root.addEventListener(
    "drop",
    (event) => {
      over(false);
      if (!event.dataTransfer?.files.length) return;
      taken(event);
      void send([...event.dataTransfer.files]);
    },
    { signal },
  );
  root.addEventListener(
    "paste",
    (event) => {
      const pasted = event.clipboardData?.getData("text/plain") ?? "";
      if ((event.target as HTMLElement).matches("input, textarea, select") || !pasted.trim()) return;
      taken(event);
      text(pasted);
    },
    { signal },
  );
  return h("span", {}, button, input);
}
