"""A chat in a page and its Python half, with what goes between them as through a kernel."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from playwright.sync_api import Locator, Page

from ctxlab import Library, Session
from ctxlab_widgets import ChatPanel
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import synced_state
from tests.gallery.kept_page import KeptPage

LONG = 20.0
"""Seconds after which a test that waits has failed."""
# What the page has saved and sent since it was last asked, bytes as base64.
TAKE = """() => {
  const { model } = window.ctxlabHost;
  const text = (buffer) => btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""));
  return {
    saved: model.saved.splice(0),
    sent: model.sent.splice(0),
    buffers: model.sentBuffers.splice(0).map((each) => each.map(text)),
  };
}"""
HEAR = """(messages) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0)).buffer);
  for (const [content, buffers] of messages) window.ctxlabHost.model.hear(content, buffers.map(bytes));
}"""
PUT = "(state) => window.ctxlabHost.model.put(JSON.parse(state))"


@dataclass
class ChatInPage:
    """`pump` brings what the page did to Python, and what Python then holds and sends to the page."""

    opened: KeptPage
    panel: ChatPanel
    page: Page
    commands: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    told: list[tuple[dict[str, Any], list[bytes]]] = field(default_factory=list[tuple[dict[str, Any], list[bytes]]])

    @property
    def field(self) -> Locator:
        return self.page.get_by_role("textbox", name="Your message")

    def tell(self, content: dict[str, Any], buffers: list[Any] | None = None) -> None:
        """What the panel sends waits here until it is pumped."""
        self.told.append((content, [bytes(each) for each in buffers or []]))

    def pump(self) -> list[dict[str, Any]]:
        """Both ways once; returns the commands of the page."""
        taken = self.page.evaluate(TAKE)
        for saved in taken["saved"]:
            self.panel.set_state(saved)
        for command, buffers in zip(taken["sent"], taken["buffers"], strict=True):
            self.panel._handle_custom_msg(command, [base64.b64decode(each) for each in buffers])
        self.commands += taken["sent"]
        self.panel.rest(LONG)
        told, self.told[:] = list(self.told), []
        self.page.evaluate(HEAR, [[content, [base64.b64encode(each).decode() for each in of]] for content, of in told])
        self.page.evaluate(PUT, as_json(synced_state(self.panel)))
        self.opened.painted()
        return taken["sent"]

    def type(self, text: str) -> None:
        """Type at the end of what is there, and let Python look at it."""
        self.field.focus()
        self.page.keyboard.insert_text(text)
        self.opened.rest()
        self.pump()

    def press(self, key: str) -> list[dict[str, Any]]:
        """A key in the field; returns what the page asked Python for."""
        self.field.press(key)
        return self.pump()

    def finish(self) -> Session:
        """Wait for the turn to end, and show it."""
        session = self.panel.wait(LONG)
        self.pump()
        return session

    def until(self, is_so: Callable[[], bool]) -> None:
        """Pump until something is so."""
        pause = Event()
        for _ in range(int(LONG / 0.02)):
            self.pump()
            if is_so():
                return
            pause.wait(0.02)
        raise AssertionError("it never came about")

    def row(self, key: str) -> Locator:
        return self.page.locator(f"article[data-key={json.dumps(key)}]")


def open_chat(opened: KeptPage, folder: Path, session: Session | Library, **options: Any) -> ChatInPage:
    """A chat on its page; `options` are those of ChatPanel."""
    panel = ChatPanel(session, draft_wait_seconds=0.0, **options)
    panel.rest(LONG)
    chat = ChatInPage(opened, panel, opened.show(panel, folder))
    panel.send = chat.tell
    return chat
