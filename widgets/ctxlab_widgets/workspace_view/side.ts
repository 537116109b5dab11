// The side: one value, what can be done with it, its tree, and its hits one by one.

import { glyph, h, harmless } from "../_shared/dom";
import { commits } from "../_shared/number_field";
import { grouped } from "../_shared/numbers";
import { drawSnippet } from "./list_pane";
import { options } from "./options";
import { type Preview, VIEW_WORDS } from "./payload";
import { drawTree } from "./tree_drawing";

const HINT = "Space or a click shows a row here.";

export interface SideHost {
  live: boolean;
  signal: AbortSignal;
  send(command: object): void;
}

export class Side {
  readonly element = h("div", { class: "side", role: "group", "aria-label": "The chosen row" });
  private preview: Preview | null = null;
  private folders: string[] = [];
  private hit = 0;
  /** The format that was exported to last. */
  private format = "";

  constructor(private readonly host: SideHost) {}

  draw(preview: Preview | null, folders: string[]): void {
    const field = (document.activeElement as HTMLElement | null)?.closest<HTMLElement>("[data-own]");
    const own = field && this.element.contains(field) ? field.dataset.own : undefined;
    if (preview?.id !== this.preview?.id) this.hit = 0;
    Object.assign(this, { preview, folders });
    this.fill();
    if (own) this.element.querySelector<HTMLElement>(`[data-own="${own}"]`)?.focus();
  }

  private fill(): void {
    const { preview } = this;
    if (!preview) {
      this.element.replaceChildren(h("p", { class: "empty" }, HINT));
      return;
    }
    const parts = [
      this.about(preview),
      this.tree(preview),
      this.hits(preview),
      this.place(preview),
      this.disk(preview),
    ];
    this.element.replaceChildren(...parts.filter((part) => part !== null));
    this.showRing();
  }

  /** A tree may be wider than its place: the hit that is shown comes into sight. */
  private showRing(): void {
    const box = this.element.querySelector<HTMLElement>(".treebox");
    const ring = box?.querySelector(".ring.now");
    if (!box || !ring) return;
    const [outer, inner] = [box.getBoundingClientRect(), ring.getBoundingClientRect()];
    box.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  }

  private button(own: string, words: string, act: () => void, kind = ""): HTMLElement {
    const button = h("button", { type: "button", class: `btn ${kind}`, "data-own": own }, words);
    button.addEventListener("click", act, { signal: this.host.signal });
    return button;
  }

  private about(preview: Preview): HTMLElement {
    const { id } = preview;
    const begins =
      preview.kind === "agents"
        ? [this.button("begin", "New session", () => this.host.send({ command: "new_session", agent: id }))]
        : [];
    const node = preview.hits[this.hit]?.node ?? "";
    const opens = preview.opens.map((view, i) =>
      this.button(
        `open-${view}`,
        VIEW_WORDS[view] ?? view,
        () => this.host.send({ command: "open", id, view, node: this.preview?.hits[this.hit]?.node ?? node }),
        i ? "" : "pri",
      ),
    );
    return h(
      "section",
      {},
      h("h3", { title: harmless(preview.name) }, harmless(preview.name)),
      h("p", { class: "ink2" }, harmless(preview.facts)),
      preview.problem && h("p", { class: "bad" }, glyph("warning"), h("span", {}, harmless(preview.problem))),
      this.host.live && h("div", { class: "ways" }, preview.trash ? this.fromTrash(id) : [...opens, ...begins]),
      !preview.tree && preview.lines.map((line) => h("p", { class: "line" }, harmless(line))),
    );
  }

  private fromTrash(id: string): HTMLElement[] {
    const { send } = this.host;
    let sure = false;
    const empty = this.button("empty", "Empty the trash", () => {
      if (sure) send({ command: "empty_trash" });
      sure = true;
      empty.textContent = "Remove all for good";
      empty.classList.add("danger");
    });
    return [this.button("restore", "Restore", () => send({ command: "restore", id }), "pri"), empty];
  }

  private tree(preview: Preview): HTMLElement | null {
    if (!preview.tree) return null;
    const rings = preview.tree.hit.reduce((sum, hit) => sum + hit, 0);
    return h(
      "section",
      {},
      h("h3", {}, rings ? "Hits in the tree" : "Tree"),
      h(
        "div",
        { class: "treebox", tabindex: 0, role: "group", "aria-label": "Tree of the session" },
        drawTree(preview.tree, preview.hits[this.hit]?.node ?? ""),
      ),
      !preview.hits.length &&
        preview.lines.map((line, i) => h("p", { class: `line r-${preview.roles?.[i] ?? ""}` }, harmless(line))),
    );
  }

  private hits(preview: Preview): HTMLElement | null {
    const { hits, hit_count } = preview;
    if (!hits.length) return null;
    const to = (step: number) => {
      this.hit = (this.hit + step + hits.length) % hits.length;
      const own = step < 0 ? "before" : "next";
      this.fill();
      this.element.querySelector<HTMLElement>(`[data-own="${own}"]`)?.focus();
    };
    const before = this.button("before", "\u2039", () => to(-1));
    const next = this.button("next", "\u203a", () => to(1));
    before.setAttribute("aria-label", "hit before");
    next.setAttribute("aria-label", "next hit");
    return h(
      "section",
      {},
      h(
        "div",
        { class: "bar" },
        h("h3", { role: "status" }, `Hit ${this.hit + 1} of ${grouped(hit_count)}`),
        h("span", { class: "sp" }),
        hits.length > 1 && h("span", { class: "group" }, before, next),
      ),
      h("p", { class: "sn one" }, drawSnippet(hits[this.hit])),
    );
  }

  /** Where the value is in the lists, and the way to the trash. */
  private place(preview: Preview): HTMLElement | null {
    const { send, live } = this.host;
    if (!live || preview.trash) return null;
    const { id } = preview;
    const list = `cx-folders-${Math.random().toString(36).slice(2)}`;
    const folder = this.field("folder", "Folder", preview.folder, (typed) =>
      send({ command: "folder", id, folder: typed }),
    );
    folder.setAttribute("list", list);
    const tags = this.field("tags", "Tags, with commas between", preview.tags.join(", "), (typed) =>
      send({ command: "tags", id, tags: typed.split(/[,\uff0c]/) }),
    );
    const star = this.button("star", preview.favourite ? "\u2605 Favourite" : "\u2606 Favourite", () =>
      send({ command: "favour", id, favourite: !preview.favourite }),
    );
    star.setAttribute("aria-pressed", String(preview.favourite));
    return h(
      "section",
      {},
      h("h3", {}, "In the lists"),
      h("label", { class: "fld" }, h("span", {}, "Folder"), folder),
      h(
        "datalist",
        { id: list },
        this.folders.map((name) => h("option", { value: name })),
      ),
      h("label", { class: "fld" }, h("span", {}, "Tags"), tags),
      h(
        "div",
        { class: "ways" },
        star,
        this.button("delete", "To the trash", () => send({ command: "delete", id })),
      ),
    );
  }

  /** Its own file, and files of other formats that are made of it. */
  private disk({ id, disk, exports, trash }: Preview): HTMLElement | null {
    if (trash || !disk) return null;
    const formats = h("select", { "aria-label": "Format", "data-own": "format" });
    options(
      formats,
      (exports ?? []).map(([name]) => name),
      this.format,
      (name) => `${name} (${exports?.find((each) => each[0] === name)?.[1] ?? ""})`,
    );
    formats.addEventListener("change", () => (this.format = formats.value), { signal: this.host.signal });
    const save = this.button("export", "Export", () =>
      this.host.send({ command: "export", id, format: formats.value }),
    );
    return h(
      "section",
      {},
      h("h3", {}, "On disk"),
      h(
        "dl",
        { class: "kv" },
        disk.map(([name, words]) => [h("dt", {}, name), h("dd", {}, harmless(words))]),
      ),
      this.host.live && exports?.length ? h("div", { class: "ways" }, formats, save) : null,
    );
  }

  private field(own: string, label: string, value: string, commit: (typed: string) => void): HTMLInputElement {
    const field = h("input", { type: "text", class: "field", "aria-label": label, "data-own": own });
    field.value = value;
    commits(field, { commit, value: () => value, signal: this.host.signal });
    return field;
  }
}
