"""Code of formulas and diagrams is sent when a page asks for it, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab_widgets import SentView
from ctxlab_widgets._shared.late_code import NAMES, UnknownLateCode, late_code


@pytest.fixture
def view() -> SentView:
    return SentView(ctxlab.build([{"role": "user", "content": "hi"}], budget_tokens=100))


def asked(view: SentView, name: object, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, Any]]:
    sent: list[tuple[Any, Any]] = []
    monkeypatch.setattr(view, "send", lambda content, buffers=None: sent.append((content, buffers)))
    view._handle_custom_msg({"command": "late_code", "name": name}, [])
    return sent


@pytest.mark.parametrize("name", NAMES)
def test_a_page_gets_the_bundle_that_it_asks_for(view: SentView, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    [(content, [code])] = asked(view, name, monkeypatch)

    assert content == {"late_code": name}
    assert code == late_code(name)
    assert len(code) > 100_000
    assert view.error == ""


@pytest.mark.parametrize("name", ["../host", "host", "", "maths.js", 7])
def test_no_other_file_is_sent(view: SentView, name: object, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(view, name, monkeypatch) == []
    assert view.error


def test_an_unknown_name_is_refused_by_a_sentence() -> None:
    with pytest.raises(UnknownLateCode, match="there is maths and mermaid"):
        late_code("katex")
