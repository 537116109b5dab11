// Finding words in the messages: which place one is at, and the marks in what is drawn.

import { findWords, type Hit, markWords } from "./find_words";
import type { Row } from "./payload";

export interface Found {
  /** From 1; 0 where there is none. */
  at: number;
  count: number;
}

export class ListFind {
  private words = "";
  private hits: Hit[] = [];
  private at = -1;

  /** Looks for other words. */
  begin(rows: Row[], words: string): void {
    this.words = words;
    this.at = -1;
    this.look(rows);
  }

  /** The messages are others. */
  look(rows: Row[]): void {
    this.hits = findWords(rows, this.words);
  }

  /** The next place, or with -1 the one before; from the last on again at the first. With a key the first place in it. */
  step(by: 1 | -1, key = ""): { hit: Hit | null; found: Found } {
    const count = this.hits.length;
    const first = key ? this.hits.findIndex((hit) => hit.key === key) : 0;
    if (!count || first < 0) return { hit: null, found: { at: 0, count } };
    this.at = key ? first : this.at < 0 && by < 0 ? count - 1 : (this.at + by + count) % count;
    return { hit: this.hits[this.at], found: { at: this.at + 1, count } };
  }

  mark(row: HTMLElement): void {
    for (const text of row.querySelectorAll<HTMLElement>(".ct")) markWords(text, this.words);
  }

  /** Makes the mark of a place the current one, and gives it; where fewer are drawn, the last. */
  current(list: HTMLElement, row: HTMLElement | undefined, nth: number): HTMLElement | null {
    for (const mark of list.querySelectorAll("mark.current")) mark.classList.remove("current");
    const marks = row?.querySelectorAll<HTMLElement>("mark.hit") ?? [];
    const mark = marks[Math.min(nth, marks.length - 1)] ?? null;
    mark?.classList.add("current");
    return mark;
  }

  get isOn(): boolean {
    return this.words.trim() !== "";
  }
}
