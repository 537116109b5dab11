// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { HostModel } from "../ctxlab_widgets/_shared/host_model";
import { SILENT_MS, Silence } from "../ctxlab_widgets/_shared/silence";

describe("what was asked of Python and not answered", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const shown = (state: Record<string, unknown> = { received: 0 }) => {
    const given = new HostModel(state);
    const ending = new AbortController();
    const silence = new Silence(given, ending.signal);
    const said: boolean[] = [];
    silence.changed = (isSilent) => said.push(isSilent);
    return { given, ending, silence, said, send: (command: string) => silence.model.send({ command }) };
  };

  test("is told once, until Python counts what it got", () => {
    const { given, silence, said, send } = shown();
    send("undo");
    vi.advanceTimersByTime(SILENT_MS - 1);
    expect(silence.element.hidden).toBe(true);

    vi.advanceTimersByTime(1);
    send("redo");
    vi.advanceTimersByTime(2 * SILENT_MS);
    expect([said, silence.element.textContent?.startsWith("Python doesn't answer")]).toEqual([[true], true]);

    given.put({ received: 1 });
    expect([said, silence.element.hidden]).toEqual([[true, false], true]);
  });

  test.each([
    "undo",
    "late_code",
  ])("is told of nobody who has answered, nor of what a page asks by itself: %s", (name) => {
    const { given, said, send } = shown();
    send(name);
    if (name === "undo") given.put({ received: 1 });

    vi.advanceTimersByTime(2 * SILENT_MS);

    expect(said).toEqual([]);
  });

  test.each([{}, { received: 3, live: false }])("is waited for where there is a kernel, not with %o", (state) => {
    const { said, send } = shown(state);
    send("undo");

    vi.advanceTimersByTime(2 * SILENT_MS);

    expect(said).toEqual([]);
  });

  test("is told at once where the connection is closed, and nothing of the view breaks", () => {
    const { given, said, send } = shown();
    given.send = () => {
      throw new Error("Cannot send");
    };

    send("undo");

    expect(said).toEqual([true]);
  });

  test("is told to nobody whose view is closed", () => {
    const { ending, said, send } = shown();
    send("undo");
    ending.abort();

    vi.advanceTimersByTime(2 * SILENT_MS);

    expect(said).toEqual([]);
  });
});
