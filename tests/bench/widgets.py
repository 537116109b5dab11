"""What the widgets cost in a browser: first pictures, frames while panning, from a click to what it leads to."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from playwright.sync_api import Browser, Page

import ctxlab
from ctxlab.engines.tokens.boundaries import token_ends
from ctxlab.testing import generated_session
from ctxlab_widgets import BranchTree, StepDebugger, TokenBudget, TokenView, lab
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget, synced_state
from tests.bench.timing import ENCODING
from tests.gallery.chat_rows import many, open_rows, running
from tests.gallery.kept_page import KeptPage
from tests.gallery.pages import NoBrowser, browsing, open_widget

NODES = ((100, 10), (1_000, 10), (10_000, 10), (10_000, 2))
"""Messages, and how many of them lie between two branches; long chains fold, in the last hardly any does."""
ROUNDS = 5
PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))"

FIRST_DRAW = f"""async () => {{
  const el = document.body.appendChild(document.createElement('div'));
  const {{ widget, model }} = window.ctxlabHost;
  await {PAINTED};
  const began = performance.now();
  const stop = widget.render({{ model, el }});
  const painted = await {PAINTED};
  stop();
  el.remove();
  return painted - began;
}}"""

# Frames are counted where they are drawn: while the pointer drags the picture about.
FRAMES = """() => {
  const times = [];
  let last = performance.now();
  const next = (now) => { times.push(now - last); last = now; window.frames_ = times; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""

# A kernel near by: what the page sends goes to Python, and what Python then holds comes back.
WIRED = """() => {
  const { model } = window.ctxlabHost;
  model.send = (content) => window.toPython(JSON.stringify(content)).then((state) => {
    model.put(JSON.parse(state));
    window.answered?.();
  });
}"""

CLICKED = f"""async (work) => {{
  const answered = new Promise(done => {{ window.answered = done; }});
  const began = performance.now();
  (0, eval)(work);
  await answered;
  return (await {PAINTED}) - began;
}}"""


PUT_TIMED = f"""async (state) => {{
  const began = performance.now();
  window.ctxlabHost.model.put(JSON.parse(state));
  return (await {PAINTED}) - began;
}}"""


# From the pieces of an answer to the frame that shows them.
PIECES = """async () => {
  const drawn = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const times = [];
  for (let number = 1; number <= 150; number++) {
    const began = performance.now();
    const text = number % 40 ? ` word${number}` : "\\n\\n";
    window.chatList.pieces({ kind: "pieces", number, key: "last", text, thought: "", phase: "writing", facts: [] });
    await drawn();
    times.push(performance.now() - began);
  }
  return times;
}"""


@contextmanager
def shown(browser: Browser, widget: Widget) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    with TemporaryDirectory() as folder:
        page = open_widget(context.new_page(), widget, Path(folder))
        page.wait_for_timeout(200)
        yield page
    context.close()


def tree_of(nodes: int, apart: int) -> ctxlab.Session:
    """A conversation of short messages in which every so many an earlier one is answered anew."""
    dice = random.Random(1)
    session = ctxlab.read_data([{"role": "user", "content": "How does it begin?"}]).pick()
    ends = [session.active_leaf_id]
    for i in range(nodes - len(session.nodes)):
        at = dice.choice(ends) if i % apart == 0 else ends[-1]
        session = session.append(f"Message {i} about the harbour", role=("user", "assistant")[i % 2], parent=at)
        ends.append(session.active_leaf_id)
    return session


def first_draw(page: Page) -> float:
    """Milliseconds until a widget begun anew is painted, the median of five."""
    return median(page.evaluate(FIRST_DRAW) for _ in range(ROUNDS))


def panning(page: Page) -> float:
    """Milliseconds within which 95 % of frames come while the tree is dragged about."""
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] - 30
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(FRAMES)
    for i in range(120):
        page.mouse.move(x - 3 * i % 400, y - i % 60)
    times: list[float] = sorted(page.evaluate("() => window.frames_"))
    page.mouse.up()
    return times[int(len(times) * 0.95)]


def scrolling(page: Page) -> float:
    """Milliseconds within which 95 % of frames come while the outline, all unfolded, is scrolled by the wheel."""
    box = page.locator(".outline").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate("() => { document.querySelector('.outline').scrollTop = 0; }")
    page.evaluate(FRAMES)
    for _ in range(120):
        page.mouse.wheel(0, 240)
    times: list[float] = sorted(page.evaluate("() => window.frames_"))
    return times[int(len(times) * 0.95)]


def outline_row(browser: Browser) -> tuple[str, str]:
    session = tree_of(10_000, 10)
    widget = BranchTree(session.switched(session.root_node_id))
    with shown(browser, widget) as page:
        page.locator(".outline .fold").first.click()  # all that hangs on the root
        painted, times = first_draw(page), scrolling(page)
    return "BranchTree, 10,000 nodes as an outline: first picture, 95 % of frames while scrolling", (
        f"{painted:.0f} ms, {times:.0f} ms"
    )


def tree_rows(browser: Browser) -> Iterator[tuple[str, str]]:
    yield outline_row(browser)
    for nodes, apart in NODES:
        widget = BranchTree(tree_of(nodes, apart))
        widget.mode = "tree"
        with shown(browser, widget) as page:
            painted = first_draw(page)
            near = panning(page)
            page.get_by_role("button", name="All", exact=True).click()
            page.wait_for_timeout(200)
            far = panning(page)
        name = f"BranchTree, {nodes:,} nodes, a branch every {apart}"
        yield f"{name}: first picture", f"{painted:.0f} ms"
        yield f"{name}: 95 % of frames while panning, near, all of it", f"{near:.0f} ms, {far:.0f} ms"


def token_rows(browser: Browser) -> Iterator[tuple[str, str]]:
    session = ctxlab.read_data(generated_session(1_000, seed=1)).pick()
    text = "\n".join(node.content for node in session.path())
    text = text[: len(text) * 50_000 // len(token_ends(text, ENCODING))]
    TokenView("both encodings are loaded once")
    started = perf_counter()
    view = TokenView(text)
    made = (perf_counter() - started) * 1e3
    with shown(browser, view) as page:
        painted = first_draw(page)
    count = len(view.bounds[0].ends)
    yield f"TokenView, {count:,} tokens, two tokenizers: in Python", f"{made:.0f} ms"
    yield f"TokenView, {count:,} tokens, two tokenizers: first picture", f"{painted:.0f} ms"


def chat_rows(browser: Browser) -> Iterator[tuple[str, str]]:
    context = browser.new_context(viewport={"width": 1100, "height": 900})
    with TemporaryDirectory() as folder:
        page = open_rows(KeptPage(context.new_page()), Path(folder), many(10_000))
        page.mouse.move(400, 400)
        page.evaluate(FRAMES)
        for _ in range(150):
            page.mouse.wheel(0, -400)
        frames: list[float] = sorted(page.evaluate("() => window.frames_"))
        page.evaluate(
            "(turn) => { chatList.reveal('a9999'); chatList.running(turn); }", running("last", parent="a9999")
        )
        times: list[float] = sorted(page.evaluate(PIECES))
    context.close()
    name = "A chat, 10,000 messages of any height"
    yield f"{name}: 95 % of frames while scrolling", f"{frames[int(len(frames) * 0.95)]:.0f} ms"
    yield f"{name}: from a piece of an answer to its frame, median, 95 %", f"{times[75]:.0f} ms, {times[142]:.0f} ms"


def page_rows(browser: Browser) -> Iterator[tuple[str, str]]:
    """From the run that is there to the answer on the screen, and from a change to its chip."""
    session = ctxlab.read_data(generated_session(1_000, seed=1)).pick()
    run = ctxlab.build(session, budget_tokens=60_000)
    others = [run.rerun({"token-limiter.budget_tokens": 60_000 + 500 * n}) for n in range(1, ROUNDS + 1)]
    made: list[float] = []
    for _ in range(ROUNDS):
        started = perf_counter()
        page_of_views = lab(run)
        made.append((perf_counter() - started) * 1e3)
    head = page_of_views.head
    with shown(browser, head) as page:
        painted = first_draw(page)
        chips: list[float] = []
        for other in others:
            started = perf_counter()
            page_of_views.trace = other
            in_python = (perf_counter() - started) * 1e3
            chips.append(in_python + page.evaluate(PUT_TIMED, as_json(synced_state(head))))
    yield "lab, 1,000 messages: the answer, in Python and in the page", f"{median(made):.0f} ms + {painted:.0f} ms"
    yield "lab, 1,000 messages: from a change to its chip", f"{median(chips):.0f} ms"


def click_rows(browser: Browser) -> Iterator[tuple[str, str]]:
    session = ctxlab.read_data(generated_session(1_000, seed=1)).pick()
    trace = ctxlab.build(session, budget_tokens=60_000)
    stepping = StepDebugger(ctxlab.debug(session, budget_tokens=60_000))
    step, back = (
        f"[...document.querySelectorAll('.ctxlab button')].find(one => one.textContent === '{name}').click()"
        for name in ("Step", "Back")
    )
    first = clicks(browser, stepping, [step] * 6 + [back] * 6, rounds=1)
    yield "StepDebugger, 1,000 messages: from click to picture, each step for the first time", first
    yield "StepDebugger, 1,000 messages: from click to picture, known steps", clicks(browser, stepping, [step, back])
    moves = [
        "(() => { const s = document.querySelector('.ctxlab input[type=range]');"
        f" s.value = {n}; s.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()"
        for n in (40_000, 50_000, 30_000, 45_000)
    ]
    yield "TokenBudget, 1,000 messages: from slider to picture", clicks(browser, TokenBudget(trace), moves)


def clicks(browser: Browser, widget: Widget, works: list[str], *, rounds: int = ROUNDS) -> str:
    known = synced_state(widget)

    def to_python(content: str) -> str:
        """What a kernel would send back: the traits that changed."""
        widget._handle_custom_msg(json.loads(content), [])
        now = synced_state(widget)
        changed = {name: value for name, value in now.items() if value != known[name]}
        known.update(changed)
        return as_json(changed)

    times: list[float] = []
    with shown(browser, widget) as page:
        page.expose_function("toPython", to_python)
        page.evaluate(WIRED)
        for _ in range(rounds):
            times += [page.evaluate(CLICKED, work) for work in works]
    return f"{median(times):.0f} ms, at most {max(times):.0f} ms"


def rows() -> Iterator[tuple[str, str]]:
    try:
        with browsing() as browser:
            yield from tree_rows(browser)
            yield from token_rows(browser)
            yield from chat_rows(browser)
            yield from page_rows(browser)
            yield from click_rows(browser)
    except NoBrowser as missing:
        yield "widgets", str(missing)


def main() -> None:
    print("\n| widgets in a headless browser, wall time | |\n|---|--:|")
    for work, cost in rows():
        print(f"| {work} | {cost} |", flush=True)


if __name__ == "__main__":
    main()
