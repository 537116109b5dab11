// Messages that come into sight are asked about: where their tokens end, and what would have kept those that were cut.

import type { DebuggerHost, State } from "./state";

const SOON = 40; // milliseconds in which questions are collected

export class MessagesInSight {
  private readonly sight = new IntersectionObserver((seen) => this.seen(seen));
  private readonly asked = new Set<number>();
  private wanted = new Set<number>();
  private readonly askedKeys = new Set<string>();
  private wantedKeys = new Set<string>();
  /** Messages that went for want of room. */
  private readonly cut = new Set<Element>();
  private soon = 0;

  constructor(
    private readonly state: State,
    private readonly host: DebuggerHost,
  ) {
    host.signal.addEventListener("abort", () => {
      this.sight.disconnect();
      clearTimeout(this.soon);
    });
  }

  /** These messages are in the page now, and no others. */
  watch(articles: HTMLElement[]): void {
    const { live, rows } = this.state;
    this.sight.disconnect();
    this.cut.clear();
    if (!live) return;
    const forRoom = causesOfRoom(this.state);
    const cut = new Set(rows.filter((row) => row.kind === "dropped" && forRoom.has(row.cause)).map((row) => row.draft));
    for (const article of articles) {
      if (cut.has(Number(article.dataset.draft))) this.cut.add(article);
      if (this.isSplit() || this.cut.has(article)) this.sight.observe(article);
    }
  }

  /** Another run: what would keep a message is another question; in another view messages have other numbers. */
  forget(isOtherView: boolean): void {
    this.askedKeys.clear();
    this.wantedKeys.clear();
    if (!isOtherView) return;
    this.asked.clear();
    this.wanted.clear();
  }

  private isSplit(): boolean {
    return this.state.colour === "token" && this.state.canSplitTokens;
  }

  private seen(found: IntersectionObserverEntry[]): void {
    const { ends, remedies, view } = this.state;
    for (const { isIntersecting, target } of found) {
      if (!isIntersecting) continue;
      const draft = Number((target as HTMLElement).dataset.draft);
      const key = view.drafts[draft]?.key;
      if (this.isSplit() && !this.asked.has(draft) && !ends.has(draft)) this.wanted.add(draft);
      if (this.cut.has(target) && key !== undefined && !this.askedKeys.has(key) && !remedies.has(key))
        this.wantedKeys.add(key);
    }
    if ((!this.wanted.size && !this.wantedKeys.size) || this.soon) return;
    this.soon = window.setTimeout(() => this.ask(), SOON);
  }

  private ask(): void {
    this.soon = 0;
    const [drafts, keys] = [[...this.wanted], [...this.wantedKeys]];
    this.wanted = new Set();
    this.wantedKeys = new Set();
    for (const draft of drafts) this.asked.add(draft);
    for (const key of keys) this.askedKeys.add(key);
    if (drafts.length) this.host.send({ command: "tokens", drafts });
    if (keys.length) this.host.send({ command: "remedies", keys });
  }
}

/** Causes of messages that were taken out because there was no room. */
const causesOfRoom = ({ view }: State): Set<number> =>
  new Set(
    view.steps.flatMap((step) => step.dropped.filter((group) => group.needed !== null).map(({ cause }) => cause)),
  );
