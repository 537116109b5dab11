"""Rows of a chat for the page that draws nothing but its list of messages."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from ctxlab_widgets._shared.html_page import page as page_of
from ctxlab_widgets._shared.json_values import as_json
from tests.gallery.kept_page import MOUNT, STOP, KeptPage
from tests.gallery.pages import PAINTED

BUNDLE = Path(__file__).parent / "static" / "chat_list_page.js"
ACTIONS = ["edit", "branch", "regenerate", "copy", "translate", "disable", "delete"]
Row = dict[str, Any]


def row(key: str, text: str = "", **more: Any) -> Row:
    """A message of the user where its key begins with `u`, else an answer."""
    role = "user" if key.startswith("u") else "assistant"
    who = "Ada" if role == "user" else "Signalman Wei"
    plain = {"kind": "message", "role": role, "who": who, "facts": [key], "state": "complete", "actions": ACTIONS}
    return {"key": key, **plain, "text": text or f"words of {key}", **more}


def many(count: int, *, seed: int = 1) -> list[Row]:
    """Messages of any height, from one line to a page."""
    dice = random.Random(seed)
    lines = ("He turns the lamp. ", "她把灯放在桌上。", "\n\n", "The night mail is nine minutes late. ")
    texts = ["".join(dice.choices(lines, k=int(dice.paretovariate(0.8)) % 90 + 1)).strip() or "…" for _ in range(count)]
    return [row(f"{'ua'[i % 2]}{i}", text) for i, text in enumerate(texts)]


def open_rows(opened: KeptPage, folder: Path, rows: Sequence[Row], **state: Any) -> Page:
    """The page with these rows."""
    values = {
        "rows": json.dumps(rows),
        "live": True,
        "models": [],
        "languages": [],
        "actions": [],
        "views": [],
        **state,
    }
    file = folder / "chat_rows.html"
    if opened.page.url == file.as_uri():
        opened.page.evaluate(STOP)
        opened.page.evaluate(MOUNT, as_json(values))
    else:
        file.write_text(page_of(BUNDLE, values, title="messages"), encoding="utf-8")
        opened.open(file)
    opened.painted()
    return opened.page


def put_rows(page: Page, rows: Sequence[Row]) -> None:
    """Give the page other rows, and wait until they are drawn."""
    page.evaluate("(rows) => window.ctxlabHost.model.put({ rows })", json.dumps(rows))
    page.evaluate(PAINTED)


def call(page: Page, name: str, *words: Any) -> Any:
    """Call a method of the list, and wait until what it does is drawn."""
    found = page.evaluate("([name, words]) => window.chatList[name](...words)", [name, list(words)])
    page.evaluate(PAINTED)
    return found


def running(key: str, text: str = "", **more: Any) -> Mapping[str, Any]:
    """A turn that writes an answer."""
    plain = {"number": 0, "parent": "", "verb": "send", "phase": "writing", "facts": ["writing"], "thought": ""}
    return {**plain, "key": key, "text": text, "calls": [], "queued": [], **more}


def pieces(number: int, key: str, text: str, **more: Any) -> Mapping[str, Any]:
    """What a turn has brought since."""
    plain = {"kind": "pieces", "number": number, "thought": "", "phase": "writing", "facts": ["writing"]}
    return {**plain, "key": key, "text": text, **more}
