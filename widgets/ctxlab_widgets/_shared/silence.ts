// A line in a view that says that Python doesn't answer: whatever was asked, it is said in one place, and once.

import { h } from "./dom";
import type { Model } from "./mount";

/** Milliseconds without a sign of Python after which a view says so. */
export const SILENT_MS = 3000;
const WORDS =
  "Python doesn't answer, and what you typed is kept: a cell may be running, or the kernel was stopped or restarted.";
/** What a page asks by itself. */
const BY_ITSELF = /^(late_code|asset|resend)$/;

export class Silence {
  readonly element = h("div", { class: "silent", role: "status", hidden: true });
  /** Through it a view speaks to Python. */
  readonly model: Model;
  /** Hears that Python is silent, and that it no longer is. */
  changed: (isSilent: boolean) => void = () => {};
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Python counts in `received` what it gets; where it doesn't, as in a report, nobody is waited for. */
  constructor(given: Model, signal: AbortSignal) {
    const heard = () => this.waited(false);
    for (const event of ["change:received", "msg:custom"]) {
      given.on(event, heard);
      signal.addEventListener("abort", () => given.off(event, heard));
    }
    signal.addEventListener("abort", () => clearTimeout(this.timer));
    const tried = (act: () => void) => {
      try {
        act();
      } catch {
        this.waited(true); // a connection that is closed refuses what is sent
      }
    };
    this.model = {
      get: (name) => given.get(name),
      set: (name, value) => given.set(name, value),
      on: (event, listener) => given.on(event, listener),
      off: (event, listener) => given.off(event, listener),
      save_changes: () => tried(() => given.save_changes()),
      send: (content, ...more) => {
        const isAnswered = given.get("received") !== undefined && given.get("live") !== false;
        if (isAnswered && !BY_ITSELF.test((content as { command: string }).command))
          this.timer ??= setTimeout(() => this.waited(true), SILENT_MS);
        tried(() => given.send(content, ...more));
      },
    };
  }

  private waited(inVain: boolean): void {
    if (!inVain) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    if (this.element.hidden !== inVain) return;
    this.element.hidden = !inVain;
    this.element.textContent = inVain ? WORDS : "";
    this.changed(inVain);
  }
}
