// The chat's head: who takes part, list or tree, words to find, and below them the one sentence of result.

import { glyph, h, harmless } from "../_shared/dom";
import type { Sign } from "../_shared/glyphs";
import { taken } from "../_shared/keyboard";
import type { Mounted } from "../_shared/mount";
import { grouped } from "../_shared/numbers";
import { type Radios, radios } from "../_shared/radios";
import { type KeyList, ViewHead } from "../_shared/view_head";
import { Menu, type MenuItem } from "./menu";
import type { Choice, Command, Head } from "./payload";

const DOWN: Sign = ["M2 4h8L6 8.5z"];
const FIND_MS = 150;
const KEYS: KeyList = [
  ["Enter", "sends, or queues while an answer is written; Shift+Enter begins a line"],
  ["Esc", "stops the answer"],
  ["Alt+1 to 9", "quick actions"],
  ["Ctrl+Space", "completes; once more, or with Shift, it asks the model"],
  ["Up, Down, Home, End", "from message to message"],
  ["E, B, R", "on a message: edit it, branch here, answer again"],
  ["Left, Right", "on a message: the sibling before, the next"],
  ["Ctrl+Z, Ctrl+Shift+Z", "take the last step back, do it again"],
  ["Enter, Shift+Enter", "in Find: the next place, the one before; Esc ends it"],
];
const PICKERS = [
  ["agent", "Agent", "assistant", "No agent", "No agent is at hand: agent= brings one, or library= several"],
  ["model", "Model", "", "No model", ""],
  ["user", "User profile", "user", "No user profile", "No user profile is at hand: user= brings one"],
] as const;

export interface HeadHost {
  send(command: Command): void;
  /** Shows the list or the tree. */
  shows(what: string): void;
  find(words: string): { at: number; count: number };
  findNext(by: 1 | -1): { at: number; count: number };
  /** The way to the words on other branches. */
  otherBranches: HTMLElement;
  /** The text in the field, which Python has when this returns. */
  text(): string;
  live: boolean;
}

type What = (typeof PICKERS)[number][0];

export class ChatHead {
  readonly element: HTMLElement;
  private readonly view: ViewHead;
  private readonly menu: Menu;
  private readonly pickers = new Map<What, HTMLButtonElement>();
  private readonly shown: Radios;
  private readonly field = h("input", { type: "search", class: "find", placeholder: "Find", "aria-label": "Find" });
  private readonly count = h("span", { class: "muted count", role: "status" });
  private readonly more = h("button", {
    type: "button",
    class: "btn",
    "aria-haspopup": "menu",
    "aria-expanded": "false",
  });
  private head: Head | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    at: Mounted,
    frame: HTMLElement,
    private readonly host: HeadHost,
  ) {
    const { signal } = at;
    this.menu = new Menu(frame, signal);
    for (const [what] of PICKERS) {
      const button = h("button", {
        type: "button",
        class: "btn pick",
        "aria-haspopup": "listbox",
        "aria-expanded": "false",
      });
      button.addEventListener("click", () => this.pick(what, button), { signal });
      this.pickers.set(what, button);
    }
    this.shown = radios("View", { list: "List", tree: "Tree" }, (what) => host.shows(what), signal);
    this.shown.element.hidden = !host.live;
    this.more.append("More", glyph(DOWN));
    this.more.hidden = !host.live;
    this.more.addEventListener("click", () => this.menu.open(this.more, "More", this.items()), { signal });
    const tools = [
      ...this.pickers.values(),
      this.shown.element,
      h("span", { class: "sp" }),
      this.count,
      host.otherBranches,
      this.field,
      this.more,
    ];
    this.view = new ViewHead("Chat", tools, KEYS, at);
    this.element = this.view.element;
    this.field.addEventListener("input", () => this.typed(), { signal });
    this.field.addEventListener("keydown", (event) => this.pressed(event), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.timer));
  }

  set(head: Head): void {
    this.head = head;
    const echo = head.isEcho && h("span", { class: "ink2" }, " The model is an echo: it says back what it gets.");
    this.view.answer([harmless(head.sentence), echo || null]);
    for (const [what, label, sign, none] of PICKERS) {
      const button = this.pickers.get(what)!;
      const { now, choices } = head[what];
      const name = choices.find(({ id }) => id === now)?.label || now || none;
      const canOpen = this.canOpen(what);
      button.className = `btn pick${sign && ` r-${sign}`}`;
      const bound = what === "user" && head.boundTo ? `bound to the agent ${harmless(head.boundTo)}` : "";
      button.setAttribute("aria-label", [`${label}: ${harmless(name)}`, bound].filter(Boolean).join(", "));
      button.title = bound && `${bound[0].toUpperCase()}${bound.slice(1)}: that counts more than a choice here`;
      button.setAttribute("aria-disabled", String(!canOpen));
      button.setAttribute("aria-haspopup", this.canEdit(what) ? "menu" : "listbox");
      const mark = h("span", { class: "role" }, sign ? glyph(sign) : null);
      const words = h("span", { class: "name" }, harmless(name));
      const tied = bound && h("span", { class: "muted tied" }, "bound to the agent");
      button.replaceChildren(
        ...(sign ? [mark] : []),
        words,
        ...(tied ? [tied] : []),
        ...(canOpen ? [glyph(DOWN)] : []),
      );
    }
  }

  shows(what: string): void {
    this.shown.set(what === "tree" ? "tree" : "list");
  }

  private canChoose(what: What): boolean {
    const { now, choices } = this.head![what];
    return this.host.live && choices.some(({ id }) => id !== now);
  }

  /** An agent and a user have forms of their own. */
  private canEdit(what: What): boolean {
    return this.host.live && what !== "model" && this.head![what].now !== "";
  }

  private canOpen(what: What): boolean {
    return this.canChoose(what) || this.canEdit(what) || this.hasNone(what);
  }

  /** Nothing takes part and nothing can: opened, it says how something comes. */
  private hasNone(what: What): boolean {
    return this.host.live && what !== "model" && this.head![what].now === "" && !this.canChoose(what);
  }

  private pick(what: What, button: HTMLElement): void {
    if (!this.head || !this.canOpen(what)) return;
    const { now, choices } = this.head[what];
    const item = ({ id, label, hint }: Choice): MenuItem => ({
      label: label || id,
      ...(hint ? { hint } : {}),
      chosen: id === now,
      act: () => {
        if (id !== now) this.host.send({ command: "choose", what, id });
      },
    });
    const items = choices.map(item);
    const [, title, , , missing] = PICKERS.find(([each]) => each === what)!;
    if (this.hasNone(what)) items.splice(0, items.length, { label: missing, act: () => {} });
    if (what !== "model" && this.canEdit(what)) {
      const name = choices.find(({ id }) => id === now)?.label || now;
      const act = () => this.host.send({ command: "open", view: what, key: "" });
      items.push({ label: `Edit ${name}\u2026`, act });
    }
    this.menu.open(button, title, items);
  }

  private items(): MenuItem[] {
    const { head, host } = this;
    const { send } = host;
    const text = host.text();
    const items: (MenuItem | false)[] = [
      { label: "Name the topic", act: () => send({ command: "name_topic" }) },
      {
        label: text.trim() ? "Let the model write on for you" : "Let the model write for you",
        act: () => send({ command: "relay", text: host.text() }),
      },
      ...(text.trim() ? (head?.languages ?? []) : []).map(({ id, label }) => ({
        label: `Translate what you typed: ${label}`,
        act: () => send({ command: "translate", key: "", to: id }),
      })),
      { label: "Compress\u2026", act: () => send({ command: "open", view: "compression", key: "" }) },
      { label: "Next request as it is sent", act: () => send({ command: "open", view: "request", key: "" }) },
      { label: "Steps of the next request", act: () => send({ command: "open", view: "steps", key: "" }) },
      { label: "Save as JSON, all branches", act: () => send({ command: "export", format: "json" }) },
      { label: "Save as Markdown, what is shown", act: () => send({ command: "export", format: "md" }) },
      { label: "Settings\u2026", act: () => send({ command: "open", view: "settings", key: "" }) },
      Boolean(head?.canUndo) && {
        label: "Undo",
        hint: head!.canUndo,
        act: () => send({ command: "undo" }),
      },
      Boolean(head?.canRedo) && { label: "Redo", hint: head!.canRedo, act: () => send({ command: "redo" }) },
    ];
    return items.filter((item) => item !== false);
  }

  // --- finding

  private typed(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.tell(this.host.find(this.field.value)), FIND_MS);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      taken(event);
      clearTimeout(this.timer);
      const by = event.shiftKey ? -1 : 1;
      const isNew = this.field.value !== this.field.dataset.found;
      this.tell(isNew ? this.host.find(this.field.value) : this.host.findNext(by));
    } else if (event.key === "Escape" && this.field.value) {
      taken(event);
      clearTimeout(this.timer);
      this.field.value = "";
      this.tell(this.host.find(""));
    }
  }

  /** The words that are looked for. */
  get words(): string {
    return this.field.value;
  }

  /** Says at which place one is; `where` is where that is, in words. */
  tell({ at, count }: { at: number; count: number }, where = ""): void {
    const { value } = this.field;
    this.field.dataset.found = value;
    this.count.textContent = !value ? "" : `${count ? `${grouped(at)} of ${grouped(count)}` : "none found"}${where}`;
  }
}
