// Rows of a long list that Python holds: those that were sent are kept, those that come into sight are asked for.

export interface Page<T> {
  start: number;
  rows: T[];
}

export class PagedRows<T> {
  private readonly rows = new Map<number, T>();
  private asked = -1;

  constructor(private readonly ask: (start: number) => void) {}

  /** Other rows: none is known. */
  reset(): void {
    this.rows.clear();
    this.asked = -1;
  }

  take({ start, rows }: Page<T>): void {
    for (const [i, row] of rows.entries()) this.rows.set(start + i, row);
    this.asked = -1;
  }

  at(row: number): T | undefined {
    return this.rows.get(row);
  }

  /** The place of the first row that is known and fits; -1 where there is none. */
  find(fits: (row: T) => boolean): number {
    for (const [i, row] of this.rows) if (fits(row)) return i;
    return -1;
  }

  /** Asks for the first row of a range that isn't known, once at a time: what comes then is looked at again. */
  want(first: number, end: number): void {
    if (this.asked >= first && this.asked < end) return;
    for (let row = first; row < end; row++)
      if (!this.rows.has(row)) {
        this.asked = row;
        this.ask(row);
        return;
      }
  }
}
