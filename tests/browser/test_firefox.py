"""Firefox draws the report and each live page, and its console complains of nothing."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

import pytest

pytest.importorskip("websocket")

import ctxlab
import ctxlab_widgets
from ctxlab import Session
from ctxlab_widgets import ChatPanel
from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import bundle_path, synced_state
from tests.gallery.chat_pages import HEAR, LONG
from tests.gallery.firefox import DRAWN, Firefox, firefox
from tests.gallery.pages import NoBrowser
from tests.gallery.samples import SAMPLES, harbour
from tests.widgets.chat_models import HeldModel, because
from tests.widgets.chat_models import chat as session_of_two

pytestmark = pytest.mark.slow

SHOWN = """() => {
  const frame = document.querySelector("main > section:not([hidden]) .ctxlab, main > .ctxlab");
  const { width, height } = frame.getBoundingClientRect();
  return { width, height, words: frame.innerText.trim().length };
}"""
TABS = """async () => {
  const out = {};
  for (const tab of document.querySelectorAll("[role=tab]")) {
    tab.click();
    const panel = document.getElementById(tab.getAttribute("aria-controls"));
    while (!panel.querySelector(".ctxlab .w")) await new Promise((done) => requestAnimationFrame(done));
    out[tab.dataset.view] = panel.querySelector(".ctxlab").getBoundingClientRect().height;
  }
  return out;
}"""


@pytest.fixture(scope="module")
def fox() -> Iterator[Firefox]:
    """Not required: a machine without Firefox has tested the same pages in another browser."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(firefox())
        except NoBrowser as missing:
            pytest.skip(str(missing))
        yield found


@pytest.fixture(autouse=True)
def nothing_went_wrong(fox: Firefox) -> Iterator[None]:
    fox.errors.clear()
    yield
    assert fox.errors == []


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_it_draws_each_live_page(fox: Firefox, name: str, tmp_path: Path) -> None:
    widget = SAMPLES[name]()
    file = tmp_path / "live.html"
    file.write_text(page_of(bundle_path(type(widget)), synced_state(widget), title=name), encoding="utf-8")

    fox.open(file)

    shown: dict[str, Any] = fox.run(SHOWN)
    assert shown["width"] > 600
    assert shown["height"] > 100
    assert shown["words"] > 100


def test_it_draws_each_page_of_a_report(fox: Firefox, tmp_path: Path) -> None:
    fox.open(ctxlab_widgets.report(harbour(), tmp_path / "page.html"))

    heights: dict[str, float] = fox.run(TABS)

    assert list(heights) == ["sent", "steps", "budget", "injections", "lore", "rules", "tree"]
    assert min(heights.values()) > 100


# --- a chat

RICH = """## 灯塔

A **lamp** and $x^2$:

$$\\int_0^1 x\\,dx$$

| a | b |
|---|---|
| 1 | 2 |

```python
print("lit")
```

```mermaid
graph TD; A-->B
```
"""
# What the page has saved and sent since it was last asked.
TAKE = """() => {
  const { model } = window.ctxlabHost;
  model.sentBuffers.splice(0);
  return { saved: model.saved.splice(0), sent: model.sent.splice(0) };
}"""
SCROLLED = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const log = document.querySelector(".ctxlab .log");
  const seen = [];
  for (const share of [0, 0.3, 0.7, 1]) {
    log.scrollTop = share * log.scrollHeight;
    await frame();
    await frame();
    const box = log.getBoundingClientRect();
    const rows = [...log.querySelectorAll("article")].filter((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > box.top && top < box.bottom;
    });
    seen.push([rows.length, Number(rows[0]?.getAttribute("aria-posinset"))]);
  }
  return { seen, drawn: log.querySelectorAll("article").length };
}"""


class FoxChat:
    """A chat in Firefox and its Python half, with what goes between them as through a kernel."""

    def __init__(self, fox: Firefox, folder: Path, panel: ChatPanel) -> None:
        self.fox, self.panel = fox, panel
        self.told: list[tuple[Any, list[str]]] = []
        panel.rest(LONG)
        file = folder / "chat.html"
        file.write_text(page_of(bundle_path(ChatPanel), synced_state(panel), title="chat"), encoding="utf-8")
        fox.open(file)
        panel.send = lambda content, buffers=None: self.told.append(
            (content, [base64.b64encode(each).decode() for each in buffers or []])
        )

    def pump(self) -> None:
        """Both ways once."""
        taken = self.fox.run(TAKE)
        for saved in taken["saved"]:
            self.panel.set_state(saved)
        for command in taken["sent"]:
            self.panel._handle_custom_msg(command, [])
        self.panel.rest(LONG)
        told, self.told[:] = list(self.told), []
        self.fox.run(f"() => ({HEAR})({as_json(told)})")
        self.fox.run(f"() => window.ctxlabHost.model.put({as_json(synced_state(self.panel))})")
        self.fox.run(DRAWN)

    def until(self, function: str) -> Any:
        """Pump until a JavaScript function gives something true, and get that."""
        pause = Event()
        for _ in range(int(LONG / 0.05)):
            self.pump()
            if found := self.fox.run(function):
                return found
            pause.wait(0.05)
        raise AssertionError(f"it never came about: {function}")

    def finish(self) -> Session:
        session = self.panel.wait(LONG)
        self.pump()
        return session

    def say(self, text: str) -> None:
        self.fox.run("() => document.querySelector('.ctxlab .inp textarea').focus()")
        self.fox.type(text)

    def press(self, key: str, label: str) -> None:
        """Press a button of a row, by its words or its name, as soon as it is there."""
        row = f"document.querySelector('article[data-key={json.dumps(key)}]')"
        self.fox.run(f"() => {row}.focus()")
        self.until(
            f"""() => {{
              const found = [...{row}.querySelectorAll("button")].find((each) =>
                [each.textContent, each.getAttribute("aria-label")].includes({json.dumps(label)}));
              found?.click();
              return Boolean(found);
            }}"""
        )

    def words(self, key: str) -> str:
        found: str = self.fox.run(
            f"() => document.querySelector('article[data-key={json.dumps(key)}] .ct').innerText.trim()"
        )
        return found


@pytest.fixture
def fox_chat(fox: Firefox, tmp_path: Path) -> Iterator[Callable[..., FoxChat]]:
    panels: list[ChatPanel] = []

    def open(given: Session, **options: Any) -> FoxChat:
        panels.append(ChatPanel(given, draft_wait_seconds=0.0, **options))
        return FoxChat(fox, tmp_path, panels[-1])

    yield open
    for each in panels:
        each.close()


def test_a_chat_is_typed_streamed_edited_and_branched(fox_chat: Callable[..., FoxChat]) -> None:
    model = HeldModel("He **tur", "ns** round")
    chat = fox_chat(session_of_two(), model=model)

    chat.say("Who, 灯塔?\ue007")
    assert chat.until("() => document.querySelector('.ctxlab .ct strong')?.textContent") == "tur"
    model.go_on.set()
    question, answer = chat.finish().path()[-2:]
    assert (chat.words(question.id), chat.words(answer.id)) == ("Who, 灯塔?", "He turns round")

    chat.press(answer.id, "Edit")
    area = f"document.querySelector('article[data-key={json.dumps(answer.id)}] textarea')"
    chat.fox.run(f"() => {area}.select()")
    chat.fox.type("He stays")
    chat.press(answer.id, "Save")
    chat.pump()
    assert chat.panel.session[answer.id].content == chat.words(answer.id) == "He stays"

    chat.press(answer.id, "Again")
    chat.until("() => window.ctxlabHost.model.get('running') !== '' || document.querySelector('.sib')")
    newest = chat.finish().path()[-1].id
    assert chat.until("() => document.querySelector('.ctxlab .sib')?.textContent") == "\u20392/2\u203a"
    chat.press(newest, "previous version")
    chat.pump()
    assert chat.panel.session.leaf_node is not None
    assert chat.panel.session.leaf_node.id == answer.id


def test_a_chat_draws_markdown_formulas_and_diagrams(fox_chat: Callable[..., FoxChat]) -> None:
    chat = fox_chat(session_of_two().append("Draw it.").append(RICH, role="assistant"), model=because)

    key = chat.panel.session.path()[-1].id
    chat.until("() => document.querySelectorAll('.ctxlab math').length === 2")
    chat.press(key, "Draw")
    box = chat.until(
        """() => {
          const { width, height } = document.querySelector(".md-diagram iframe")?.getBoundingClientRect() ?? {};
          return height > 40 && { width, height };
        }"""
    )

    assert box["width"] > 100
    heights = "() => [...document.querySelectorAll('.ctxlab math')].map((each) => each.getBoundingClientRect().height)"
    assert all(height > 8 for height in chat.fox.run(heights))
    parts = "() => ['.md-h2', 'td', 'pre', 'strong'].map((at) => document.querySelectorAll(`.ct ${at}`).length)"
    assert all(chat.fox.run(parts))


def test_a_chat_of_ten_thousand_messages_scrolls(fox_chat: Callable[..., FoxChat]) -> None:
    many = [{"role": ("user", "assistant")[n % 2], "content": f"Message {n}. " * (n % 40 + 1)} for n in range(10_000)]
    chat = fox_chat(ctxlab.read_data(many).pick(), model=because)

    scrolled = chat.fox.run(SCROLLED)

    assert all(count > 0 for count, _ in scrolled["seen"])
    places = [place for _, place in scrolled["seen"]]
    assert places == sorted(places)
    assert places[0] == 1
    assert places[-1] > 9_900
    assert scrolled["drawn"] < 100


def test_it_says_what_went_wrong(fox: Firefox, tmp_path: Path) -> None:
    fox.open(ctxlab_widgets.report(harbour(), tmp_path / "page.html"))

    fox.run("() => console.error('a complaint')")

    assert fox.errors == ["a complaint"]
    fox.errors.clear()
