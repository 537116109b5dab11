// Files that go with the next message: dropped, pasted or chosen; each with what the model gets of it.

import { glyph, h, harmless } from "../_shared/dom";
import { many } from "../_shared/numbers";
import { fileChip } from "./file_chip";
import type { Command, FileChip } from "./payload";

export const MOST_BYTES = 50_000_000;
const MOST_TOGETHER = 100_000_000;

/** "1.2 MB", "186 kB", "90 bytes". */
export function sizeWords(bytes: number): string {
  const as = (n: number) => n.toLocaleString("en-US", { maximumFractionDigits: n < 10 ? 1 : 0 });
  if (bytes >= 999_500) return `${as(bytes / 1e6)} MB`;
  return bytes >= 1000 ? `${as(bytes / 1e3)} kB` : many(bytes, "byte");
}

/** Why files can't be read here, in a sentence; empty where they can. */
export function refusal(files: { name: string; size: number }[]): string {
  const large = files.find(({ size }) => size > MOST_BYTES);
  if (large)
    return `${large.name} has ${sizeWords(large.size)}, more than the ${sizeWords(MOST_BYTES)} of an attachment.`;
  const all = files.reduce((sum, { size }) => sum + size, 0);
  return all > MOST_TOGETHER
    ? `These files have ${sizeWords(all)}, more than ${sizeWords(MOST_TOGETHER)} at once.`
    : "";
}

export interface FileHost {
  send(command: Command, buffers?: ArrayBuffer[]): void;
  /** Tells why files were not taken; an empty sentence takes that back. */
  refuse(sentence: string): void;
  live: boolean;
  signal: AbortSignal;
}

export class FileDrop {
  readonly element = h("div", { class: "waiting", hidden: true });
  readonly button = h("button", { type: "button", class: "btn" }, glyph("attachment"), "Attach");
  private readonly ground = h("div", { class: "drop", hidden: true, role: "status" });
  private readonly grid = h("div", { class: "files" });
  private readonly picker = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    "aria-hidden": "true",
    tabindex: -1,
  });
  private readonly held = new Set<FileChip>();
  private given: FileChip[] = [];

  constructor(private readonly host: FileHost) {
    this.button.classList.add("src-attachment");
    this.element.append(this.ground, this.grid, this.picker);
    const { signal } = host;
    this.button.addEventListener("click", () => this.picker.click(), { signal });
    const chosen = () => {
      void this.take([...(this.picker.files ?? [])]);
      this.picker.value = "";
    };
    this.picker.addEventListener("change", chosen, { signal });
    this.button.hidden = !host.live;
  }

  /** Files that are dropped anywhere in `frame`, or pasted into `area`, are attached. */
  listen(frame: HTMLElement, area: HTMLElement): void {
    const { signal, live } = this.host;
    if (!live) return;
    frame.addEventListener("dragover", (event) => this.over(event), { signal });
    frame.addEventListener("dragleave", (event) => this.left(event, frame), { signal });
    frame.addEventListener("drop", (event) => this.dropped(event), { signal });
    area.addEventListener("paste", (event) => this.pasted(event), { signal });
  }

  /** The files as Python has them; what was read for it is among them now, or was refused. */
  set(files: FileChip[]): void {
    this.given = files;
    this.held.clear();
    this.draw();
  }

  private over(event: DragEvent): void {
    const { dataTransfer: dragged } = event;
    if (!dragged?.types.includes("Files")) return;
    event.preventDefault();
    event.stopPropagation();
    dragged.dropEffect = "copy";
    const types = [...dragged.items].filter(({ kind }) => kind === "file").map(({ type }) => type || "file");
    this.ground.replaceChildren(
      glyph("attachment"),
      h("b", {}, `Drop to attach ${types.length === 1 ? "1 file" : `${types.length || ""} files`.trim()}`),
      h("span", { class: "ink2" }, harmless([...new Set(types)].join(", "))),
    );
    this.ground.hidden = false;
    this.draw();
  }

  private left(event: DragEvent, frame: HTMLElement): void {
    if (event.relatedTarget instanceof Node && frame.contains(event.relatedTarget)) return;
    this.ground.hidden = true;
    this.draw();
  }

  private dropped(event: DragEvent): void {
    this.ground.hidden = true;
    this.draw();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    event.stopPropagation();
    void this.take(files);
  }

  private pasted(event: ClipboardEvent): void {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    event.stopPropagation();
    void this.take(files);
  }

  private async take(files: File[]): Promise<void> {
    if (!files.length) return;
    const sentence = refusal(files);
    this.host.refuse(sentence);
    if (sentence) return;
    const held = files.map(({ name, type, size }, i): FileChip => {
      const facts = [sizeWords(size), type, "is being read"].filter(Boolean).join(", ");
      return { id: `reading ${i}`, name, facts, kind: "other", state: "waiting" };
    });
    for (const chip of held) this.held.add(chip);
    this.draw();
    const bytes = await Promise.all(files.map((file) => file.arrayBuffer())).catch(() => null);
    if (this.host.signal.aborted) return;
    if (bytes) this.host.send({ command: "attach", files: files.map(({ name, type }) => ({ name, type })) }, bytes);
    else {
      for (const chip of held) this.held.delete(chip);
      this.host.refuse("The files could not be read: they may have been moved.");
      this.draw();
    }
  }

  private draw(): void {
    const chips = this.given.map((file) => fileChip(file, this.host.live ? [this.removal(file)] : []));
    this.grid.replaceChildren(...chips, ...[...this.held].map((file) => fileChip(file)));
    this.grid.hidden = !this.grid.childElementCount;
    this.element.hidden = this.grid.hidden && this.ground.hidden;
  }

  private removal({ id, name }: FileChip): HTMLElement {
    const label = `Take ${harmless(name)} off`;
    const button = h(
      "button",
      { type: "button", class: "btn small off", "aria-label": label, title: label },
      glyph("failed"),
    );
    button.addEventListener("click", () => this.host.send({ command: "detach", id }));
    return button;
  }
}
