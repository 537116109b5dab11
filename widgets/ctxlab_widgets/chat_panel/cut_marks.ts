// Which messages the next request leaves out, why, and from which one on everything is sent.

import { grouped } from "../_shared/numbers";
import type { Draft, Row, Unsent } from "./payload";

export type Cut = Draft["cut"][number];

export class CutMarks {
  /** Of those that go because of the draft, with what keeps them; and of all others. */
  private byDraft = new Map<string, Cut>();
  private others = new Map<string, Cut>();
  private line = { key: "", words: "" };

  set(cut: Cut[], groups: Unsent[]): void {
    this.byDraft = new Map(cut.map((each) => [each.key, each]));
    this.others = new Map(groups.flatMap(({ cause, keys }) => keys.map((key) => [key, { key, cause }])));
  }

  of(key: string): Cut | undefined {
    return this.byDraft.get(key) ?? this.others.get(key);
  }

  /** What stands above a message; empty but for the first behind all that aren't sent. */
  lineOf(key: string): string {
    return key === this.line.key ? this.line.words : "";
  }

  /** Finds the line among the rows that are shown; true where it is another one. */
  lay(rows: Row[]): boolean {
    const before = this.line;
    const isCut = ({ key }: Row) => this.of(key) !== undefined;
    const last = this.byDraft.size + this.others.size ? rows.findLastIndex(isCut) : -1;
    const count = last < 0 ? 0 : rows.filter(isCut).length;
    const words = `Sent from here on; of the messages above ${count === 1 ? "1 is" : `${grouped(count)} are`} not sent.`;
    this.line = last < 0 || last + 1 >= rows.length ? { key: "", words: "" } : { key: rows[last + 1].key, words };
    return before.key !== this.line.key || before.words !== this.line.words;
  }
}
