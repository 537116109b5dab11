// The rules in running order: neighbours that did nothing are folded, the arrow keys walk from rule to rule.

import { h, harmless } from "../_shared/dom";
import { onlyStop, taken } from "../_shared/keyboard";
import { RuleRow, type RuleRowHost } from "./rule_row";
import { groups, type Rule, reasons } from "./rules";

const LONG = 60; // rules from which only those near what is seen are laid out

/** A row of one stop, or of two: a switch and a line. */
interface Line {
  key: string;
  stops: HTMLElement[];
}

export class RuleList {
  readonly element = h("div", { class: "rules", role: "list", "aria-label": "Rules in running order" });
  private readonly rows = new Map<string, RuleRow>();
  private readonly folds = new Map<string, HTMLElement>();
  private readonly unfolded = new Set<string>();
  /** Rules that were opened or switched here: they stay where they are. */
  private readonly touched = new Set<string>();
  private lines: Line[] = [];
  private at = { key: "", column: 1 };
  private last: [rules: Rule[], opened: Set<string>, folds: boolean] = [[], new Set(), false];

  constructor(private readonly host: RuleRowHost) {
    const listening = { signal: host.signal };
    this.element.addEventListener("keydown", (event) => this.walk(event), listening);
    this.element.addEventListener("focusin", (event) => this.came(event), listening);
  }

  /** A rule that somebody works on is not folded away. */
  touch(key: string): void {
    this.touched.add(key);
  }

  draw(rules: Rule[], opened: Set<string>, folds: boolean): void {
    this.last = [rules, opened, folds];
    const kept = new Set(rules.map((rule) => rule.key));
    for (const [key, row] of this.rows) {
      if (kept.has(key)) continue;
      row.element.remove();
      this.rows.delete(key);
    }
    const apart = new Set([...this.touched, ...opened]);
    const numbers = new Map(rules.map((rule, i) => [rule.key, i + 1]));
    const order: HTMLElement[] = [];
    this.lines = [];
    for (const group of folds ? groups(rules, apart) : rules.map((rule) => [rule])) {
      const id = group[0].key;
      if (group.length > 1) {
        const fold = this.fold(id, group);
        order.push(fold);
        this.lines.push({ key: `fold ${id}`, stops: [fold.firstElementChild as HTMLElement] });
        if (!this.unfolded.has(id)) continue;
      }
      for (const rule of group) {
        const row = this.row(rule);
        row.draw(rule, numbers.get(rule.key)!, opened.has(rule.key));
        order.push(row.element);
        this.lines.push({ key: rule.key, stops: [row.toggle, row.opener] });
      }
    }
    if (!order.length) order.push(h("p", { class: "empty" }, "There are no rules here."));
    const before = [...this.element.children];
    if (order.length !== before.length || order.some((each, i) => each !== before[i]))
      this.element.replaceChildren(...order);
    this.element.classList.toggle("long", order.length > LONG);
    this.markStop();
  }

  private row(rule: Rule): RuleRow {
    let row = this.rows.get(rule.key);
    if (!row) {
      row = new RuleRow(rule, this.host);
      this.rows.set(rule.key, row);
    }
    return row;
  }

  private fold(id: string, rules: Rule[]): HTMLElement {
    let element = this.folds.get(id);
    if (!element) {
      const button = h("button", { type: "button", class: "unfold" });
      button.addEventListener("click", () => this.turn(id), { signal: this.host.signal });
      element = h("div", { class: "fold", role: "listitem" }, button);
      this.folds.set(id, element);
    }
    const button = element.firstElementChild as HTMLElement;
    button.setAttribute("aria-expanded", String(this.unfolded.has(id)));
    button.title = harmless(rules.map((rule) => rule.name).join("\n"));
    button.replaceChildren(
      h("span", { class: "strong" }, `${rules.length} rules changed nothing here`),
      h("span", { class: "muted" }, harmless(reasons(rules))),
    );
    return element;
  }

  private turn(id: string): void {
    if (!this.unfolded.delete(id)) this.unfolded.add(id);
    this.draw(...this.last);
    this.folds.get(id)?.querySelector("button")?.focus();
  }

  // --- keys: up and down from line to line, left and right between a rule's switch and its line

  private markStop(): void {
    const all = this.lines.flatMap((line) => line.stops);
    const line = this.lines.find((each) => each.key === this.at.key) ?? this.lines[0];
    if (line) onlyStop(all, all.indexOf(stopOf(line, this.at.column)));
  }

  private came(event: FocusEvent): void {
    const line = this.lines.find(({ stops }) => stops.includes(event.target as HTMLElement));
    if (!line) return;
    this.at = { key: line.key, column: line.stops.length > 1 ? line.stops.indexOf(event.target as HTMLElement) : 1 };
    this.markStop();
  }

  private walk(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    const place = this.lines.findIndex(({ stops }) => stops.includes(target));
    if (place < 0) {
      if (event.key !== "Escape" || !target.closest(".rb")) return;
      taken(event);
      this.rows.get(target.closest<HTMLElement>(".rule")?.dataset.key ?? "")?.opener.focus();
      return;
    }
    const { key, stops } = this.lines[place];
    if (event.key.toLowerCase() === "o") {
      taken(event);
      this.rows.get(key)?.flip();
      return;
    }
    const { column } = this.at;
    const last = this.lines.length - 1;
    const ways: Record<string, [line: number, column: number]> = {
      ArrowUp: [place - 1, column],
      ArrowDown: [place + 1, column],
      ArrowLeft: [place, 0],
      ArrowRight: [place, 1],
      Home: [0, column],
      End: [last, column],
    };
    const way = ways[event.key];
    if (!way || (stops.length === 1 && way[0] === place)) return;
    taken(event);
    const to = this.lines[way[0]];
    if (to) stopOf(to, way[1]).focus();
  }
}

const stopOf = (line: Line, column: number): HTMLElement => line.stops[Math.min(column, line.stops.length - 1)];
