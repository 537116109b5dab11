// What the summariser is told and what is looked for afterwards: guidance and items to keep as fields, what is protected.

import { h, harmless } from "../_shared/dom";
import { commits } from "../_shared/number_field";
import type { Payload } from "./payload";

interface Host {
  live: boolean;
  signal: AbortSignal;
  guide(text: string): void;
  keep(text: string): void;
  noLongerKeep(number: number): void;
  protect(number: number): void;
}

export class WishFields {
  private readonly guidance = field("Guidance for the summariser", "e.g. keep rules, times and file names");
  private readonly item = field("One more item to keep", "a text, or re: and a pattern");
  private readonly items = h("ul", { class: "items" });
  private readonly more = h("p", { class: "muted" });
  private readonly newest = h("input", {
    type: "number",
    class: "field newest",
    "aria-label": "Newest messages that stay as they are",
    min: 0,
    step: 1,
  });
  private readonly rest = h("span", {});
  readonly element = h(
    "dl",
    { class: "wishes" },
    h("dt", {}, "Guidance"),
    h("dd", {}, this.guidance, this.more),
    h("dt", {}, "Must keep"),
    h("dd", {}, this.items, this.item),
    h("dt", {}, "Protected"),
    h("dd", {}, this.newest, this.rest),
  );
  private given = "";
  private protect = 0;

  constructor(private readonly host: Host) {
    const { signal } = host;
    commits(this.guidance, { commit: (text) => host.guide(text), value: () => this.given, signal });
    commits(this.item, { commit: (text) => this.add(text), value: () => "", signal });
    const number = () => String(this.protect);
    commits(this.newest, { commit: (text) => this.setProtected(text), value: number, signal });
    this.items.addEventListener("click", (event) => this.clicked(event), { signal });
  }

  draw({ wishes, protected: rest, protect, can_choose }: Payload): void {
    const free = this.host.live && can_choose;
    this.given = wishes.guidance;
    const isTyping = document.activeElement === this.guidance && this.guidance.value.trim() !== wishes.guidance;
    if (!isTyping) this.guidance.value = wishes.guidance;
    this.guidance.readOnly = !free;
    this.item.hidden = !free;
    this.more.textContent = wishes.settings_guidance && `From the settings: ${harmless(wishes.settings_guidance)}`;
    this.more.hidden = !wishes.settings_guidance;
    this.items.replaceChildren(
      ...wishes.settings_items.map((words) => item(words, "by the settings")),
      ...wishes.items.map((words, number) =>
        item(words, free && button("Remove", harmless(words), { "data-number": number })),
      ),
    );
    this.items.hidden = !this.items.childElementCount;
    this.rest.textContent = harmless(rest);
    this.protect = protect;
    this.newest.hidden = !free;
    if (document.activeElement !== this.newest) this.newest.value = String(protect);
  }

  private setProtected(text: string): void {
    const number = Number(text);
    if (text.trim() && Number.isInteger(number) && number >= 0) this.host.protect(number);
    else this.newest.value = String(this.protect);
  }

  private add(text: string): void {
    if (!text.trim()) return;
    this.item.value = "";
    this.host.keep(text);
  }

  private clicked(event: Event): void {
    const pressed = (event.target as Element).closest<HTMLElement>("[data-number]");
    if (!pressed) return;
    this.item.focus();
    this.host.noLongerKeep(Number(pressed.dataset.number));
  }
}

const field = (label: string, placeholder: string): HTMLInputElement =>
  h("input", { type: "text", class: "field", "aria-label": label, placeholder, spellcheck: "false" });

const button = (words: string, of: string, attributes: Record<string, number>): HTMLElement =>
  h("button", { type: "button", class: "btn small", "aria-label": `${words}: ${of}`, ...attributes }, words);

function item(words: string, beside: HTMLElement | string | false): HTMLElement {
  const end = typeof beside === "string" ? h("span", { class: "muted" }, beside) : beside;
  return h("li", {}, h("span", { class: "words" }, harmless(words)), end);
}
