// Every run as a chip: in order, a fork below the run that it was made from.

import { glyph, h, harmless } from "../_shared/dom";
import { onlyStop, roving, taken } from "../_shared/keyboard";
import { grouped } from "../_shared/numbers";
import { price } from "../_shared/remedy_button";
import { forksFirst, type HeadHost, type HeadView, isFork, type RunChip } from "./payload";

export class Chips {
  readonly element = h("div", { class: "runs", role: "group", "aria-label": "Runs" });

  constructor(private readonly host: HeadHost) {
    const { signal } = host;
    roving(this.element, () => this.all(), { signal, onmove: (to) => host.show(this.all()[to].dataset.run!) });
    this.element.addEventListener("click", (event) => this.clicked(event), { signal });
    this.element.addEventListener("keydown", (event) => this.pressed(event), { signal });
    for (const name of ["pointerover", "focusin"] as const)
      this.element.addEventListener(name, (event) => this.over(event), { signal });
    const sizes = new ResizeObserver(() => this.reveal());
    sizes.observe(this.element);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  draw(view: HeadView, picked: string[]): void {
    const focused = this.all().find((each) => each === document.activeElement)?.dataset.run;
    const chips = view.runs.map((run) => this.chip(view, run, picked));
    const below = forksFirst(view.runs);
    view.runs.forEach((run, i) => {
      chips[i].style.order = String(below.indexOf(run));
    });
    this.element.replaceChildren(...chips);
    const at = chips.findIndex((each) => each.dataset.run === (focused ?? view.current));
    onlyStop(chips, Math.max(at, 0));
    if (focused !== undefined) chips[Math.max(at, 0)].focus({ preventScroll: true });
    this.reveal();
  }

  /** Marks the chip whose card is shown. */
  mark(name: string | null): void {
    for (const each of this.all()) each.classList.toggle("carded", each.dataset.run === name);
  }

  /** Middle of a chip from the left edge of the row as it is seen, in pixels. */
  middle(name: string): number {
    const chip = this.all()
      .find((each) => each.dataset.run === name)
      ?.getBoundingClientRect();
    return chip ? chip.left + chip.width / 2 - this.element.getBoundingClientRect().left : 24;
  }

  private chip(view: HeadView, run: RunChip, picked: string[]): HTMLElement {
    const is = run.name === view.current;
    const pick = picked.indexOf(run.name);
    const parent = view.runs.find((each) => each.name === run.parent);
    const fork = isFork(view.runs, run);
    const change = run.failed ? "nothing is sent" : run.effect ? price(run.effect.tokens) : run.sub;
    const of = run.failed ? "" : run.of === null ? grouped(run.tokens) : `${grouped(run.tokens)} of ${grouped(run.of)}`;
    const share = run.of ? Math.min(100, (run.tokens / run.of) * 100) : 100;
    const level = h("i", {});
    level.style.width = `${share}%`;
    const chip = h(
      "button",
      {
        type: "button",
        class: `run${fork ? " fork" : ""}${run.parent === null ? " first" : ""}${run.failed ? " failed" : ""}`,
        "aria-current": is ? "true" : null,
        title: harmless(run.failed || run.effect?.text || run.sub),
        "data-run": run.name,
      },
      h(
        "span",
        { class: "l1" },
        run.failed ? glyph("failed") : fork ? glyph("fork") : null,
        h("span", { class: "lb" }, harmless(run.name)),
        pick >= 0 && h("b", { class: "pick" }, String(pick + 1)),
      ),
      h(
        "span",
        { class: "l2" },
        h("span", {}, change),
        h("span", { class: "sp" }),
        h("span", {}, of, h("span", { class: "vh" }, " tokens")),
      ),
      h("span", { class: "lv", "aria-hidden": "true" }, level),
    );
    chip.style.gridColumn = String(run.column + 1);
    chip.style.gridRow = String(run.row + 1);
    if (fork && parent) chip.style.setProperty("--up", String(run.row - parent.row));
    return chip;
  }

  private all(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>(".run")];
  }

  private named(event: Event): string | undefined {
    return (event.target as Element).closest<HTMLElement>(".run")?.dataset.run;
  }

  private clicked(event: MouseEvent): void {
    const name = this.named(event);
    if (name === undefined) return;
    if (event.shiftKey) this.host.pick(name);
    else this.host.send({ command: "go_to", name });
  }

  private pressed(event: KeyboardEvent): void {
    const name = this.named(event);
    if (name === undefined || event.key !== " ") return;
    taken(event);
    this.host.pick(name);
  }

  private over(event: Event): void {
    const name = this.named(event);
    if (name !== undefined) this.host.show(name);
  }

  /** Brings the current run into sight, of the row alone. */
  private reveal(): void {
    const { element } = this;
    const chip = element.querySelector('[aria-current="true"]');
    if (!chip) return;
    if (element.scrollWidth <= element.clientWidth && element.scrollHeight <= element.clientHeight) return;
    const [own, row] = [chip.getBoundingClientRect(), element.getBoundingClientRect()];
    if (own.right > row.right) element.scrollLeft += own.right - row.right + 16;
    else if (own.left < row.left) element.scrollLeft -= row.left - own.left + 16;
    if (own.bottom > row.bottom) element.scrollTop += own.bottom - row.bottom;
    else if (own.top < row.top) element.scrollTop -= row.top - own.top;
  }
}
