// A view that is opened below the chat is brought into sight, which it would otherwise come outside of.

const SOON_MS = 20_000;

export class ViewBelow {
  private readonly watch = new MutationObserver(() => this.come() && this.stop());
  private late: ReturnType<typeof setTimeout> | undefined;
  private seen: HTMLElement | null = null;

  constructor(
    private readonly root: HTMLElement,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => this.stop());
  }

  /** A view was asked for: it is shown when it is there, at once where it is there already. */
  wanted(): void {
    this.stop();
    const page = this.root.closest(".ctxlab-page");
    if (!page) return;
    this.come(); // the same view may be asked for again
    this.watch.observe(page, { childList: true, subtree: true });
    this.late = setTimeout(() => this.stop(), SOON_MS);
  }

  /** Shows the view below; false where it is none, or the one that was there before. */
  private come(): boolean {
    const all = this.root.closest(".ctxlab-page")?.querySelectorAll<HTMLElement>(".ctxlab");
    const view = all?.[all.length - 1];
    if (!view || view === this.root || view === this.seen) return false;
    this.seen = view;
    requestAnimationFrame(() => {
      if (view.getBoundingClientRect().top > innerHeight * 0.6) view.scrollIntoView({ block: "start" });
    });
    return true;
  }

  private stop(): void {
    clearTimeout(this.late);
    this.watch.disconnect();
    this.seen = null;
  }
}
