"""Anchors that other packages bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.documents import Agent
from ctxlab.processors.injection.anchor_plugins import plugin_anchors

MODULE = """
from ctxlab.processors.injection.read_preset_placement import Anchor

weather = Anchor("weather", "Weather", has_template=True)
again = Anchor("weather")
history = Anchor("chat_history")
nameless = Anchor("")
number = 7
"""
Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """`installed("a = module:name")`: a package with these entry points, as an installer leaves it."""

    def install(*points: str) -> None:
        (tmp_path / "acme_anchors.py").write_text(MODULE)
        about = tmp_path / "acme_anchors-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-anchors\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.anchors]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        plugin_anchors.cache_clear()

    yield install
    monkeypatch.undo()
    plugin_anchors.cache_clear()


def run(target: str = "weather") -> ctxlab.Trace:
    """A placeholder with words of its own, and a preset that goes before it."""
    presets = [
        {"role": "system", "type": target, "content": "It rains."},
        {"role": "system", "content": "Look out:", "injectionStrategy": {"type": "anchor", "anchorTarget": target}},
    ]
    presets[1]["injectionStrategy"]["anchorPosition"] = "before"  # pyright: ignore[reportArgumentType, reportIndexIssue]
    session = ctxlab.Session(id="s").append("", role="system").append("hi")
    return ctxlab.build(session, Agent.model_validate({"id": "a", "presetMessages": presets}))


def test_an_anchor_of_another_package_shows_its_placeholders_words(installed: Installed) -> None:
    before = run()
    installed("weather = acme_anchors:weather")

    trace = run()

    assert [str(draft.text) for draft in before.result.drafts] == ["Look out:", "hi"]
    assert [str(draft.text) for draft in trace.result.drafts] == ["Look out:\n\n---\n\nIt rains.", "hi"]
    assert [note.text for note in trace.result.notes] == []


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("broken = nomodule:nope", "ModuleNotFoundError: No module named 'nomodule'"),
        ("number = acme_anchors:number", "it is int, not an Anchor"),
        ("history = acme_anchors:history", "there is an anchor 'chat_history' already; ids are unique"),
        ("nameless = acme_anchors:nameless", "its id is '', not a name"),
        ("z = acme_anchors:again", "there is an anchor 'weather' already; ids are unique"),
    ],
)
def test_a_broken_one_is_named_and_left_out(installed: Installed, point: str, why: str) -> None:
    installed("weather = acme_anchors:weather", point)

    trace = run()

    name = point.partition(" ")[0]
    assert "It rains." in str(trace.result.drafts[0].text)
    assert [note.text for note in trace.result.notes] == [
        f"plugin {name!r} of package 'acme-anchors' is left out: {why}"
    ]


def test_who_names_no_foreign_anchor_asks_no_package(installed: Installed) -> None:
    installed("broken = nomodule:nope")

    assert run("user_profile").result.notes == ()
