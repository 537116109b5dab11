"""Steps that other packages bring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.cli import main
from ctxlab.display import views
from ctxlab.engines.macros import registry as macros
from ctxlab.pipeline import plugin_processors

MODULE = """
from ctxlab import Processor

class Shout(Processor):
    id = "shout"
    def __call__(self, ctx, services):
        return ctx.note("info", "shouted")

class Raises(Processor):
    id = "raises"
    def __init__(self, settings=None):
        raise RuntimeError("no licence\\nfound")

class Twice(Shout):
    pass

class Limiter(Shout):
    id = "token-limiter"

class Nameless(Shout):
    id = ""

class Late(Shout):
    id = "late"
    priority = "last"

class Other:
    pass

def whisper(ctx):
    return ctx

def nothing():
    return None

number = 7
"""

Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """`installed("a = module:Name", group=...)`: a package with these entry points, as an installer leaves it."""

    def install(*points: str, group: str = "ctxlab.processors") -> None:
        (tmp_path / "acme_steps.py").write_text(MODULE)
        (tmp_path / "acme_quits.py").write_text("raise SystemExit(3)")
        about = tmp_path / "acme_steps-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-steps\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget()

    def forget() -> None:
        plugin_processors.cache_clear()
        macros.plugins.cache_clear()
        views.view_for.cache_clear()

    yield install
    monkeypatch.undo()
    forget()


def chat() -> ctxlab.Session:
    messages = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    return ctxlab.read_data(messages).pick()


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("broken = nomodule:Nope", "ModuleNotFoundError: No module named 'nomodule'"),
        ("broken = acme_steps:Nope", "AttributeError: module 'acme_steps' has no attribute 'Nope'"),
        ("broken = acme_quits:Nope", "SystemExit: 3"),
        ("broken = acme_steps:Raises", "RuntimeError: no licence found"),
        ("broken = acme_steps:number", "it is int, not a Processor or a function of a context"),
        ("broken = acme_steps:Other", "it is the class Other, not a Processor or a function of a context"),
        ("broken = acme_steps", "it is module, not a Processor or a function of a context"),
        ("broken = acme_steps:nothing", "its function takes no context"),
        ("broken = acme_steps:Nameless", "Nameless has no id"),
        ("broken = acme_steps:Limiter", "there is a step 'token-limiter' already; ids are unique"),
        ("broken = acme_steps:Late", "its priority is 'last', not a whole number"),
    ],
)
def test_b8_a_broken_plugin_is_named_and_left_out_and_the_others_run(
    installed: Installed, point: str, why: str
) -> None:
    installed(point, "shout = acme_steps:Shout", "whisper = acme_steps:whisper")

    trace = ctxlab.build(chat())

    assert [m["content"] for m in trace.messages] == ["hi", "hello"]
    assert {"shout", "whisper"} < set(trace.pipeline.ids)
    note, shouted = trace.result.notes
    assert (note.level, note.text) == ("warning", f"plugin 'broken' of package 'acme-steps' is left out: {why}")
    assert shouted.text == "shouted"


def test_b8_the_second_of_two_plugins_with_one_id_is_left_out(installed: Installed) -> None:
    installed("a = acme_steps:Shout", "b = acme_steps:Twice")

    trace = ctxlab.build(chat())

    assert [note.text for note in trace.result.notes] == [
        "plugin 'b' of package 'acme-steps' is left out: there is a step 'shout' already; ids are unique",
        "shouted",
    ]


def test_b8_a_layout_keeps_what_is_said_of_plugins(installed: Installed) -> None:
    installed("broken = nomodule:Nope")

    pipeline = ctxlab.default_pipeline().with_layout([{"id": "ghost"}]).with_setting("merge-system.enabled", False)

    assert [note.text.partition(" ")[0] for note in ctxlab.build(chat(), pipeline=pipeline).result.notes] == [
        "plugin",
        "the",
    ]


@pytest.mark.parametrize("command", ["build", "tree", "ledger", "explain"])
def test_b8_no_command_is_taken_down(
    installed: Installed,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed("broken = nomodule:Nope")
    monkeypatch.setenv("COLUMNS", "300")
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([{"role": "user", "content": "hi"}]))

    code = main([command, str(file), *(["--text", "hi"] if command == "explain" else [])])
    out, err = capsys.readouterr()

    assert code == 0
    assert "Traceback" not in out + err
    if command == "build":
        assert "plugin 'broken' of package 'acme-steps' is left out: ModuleNotFoundError" in out + err


def test_b8_a_broken_macro_plugin_is_named_where_a_name_is_unknown(installed: Installed) -> None:
    installed("broken = nomodule:Nope", "wrong = acme_steps:number", group="ctxlab.macros")

    notes = [note.text for note in ctxlab.expand_input("{{zzz}} {{user}}", chat()).notes]

    package = "of package 'acme-steps' is left out:"
    assert f"pending: plugin 'broken' {package} ModuleNotFoundError: No module named 'nomodule'" in notes
    assert f"pending: plugin 'wrong' {package} it is int, not made by @macro" in notes


@pytest.mark.parametrize(
    ("point", "why"),
    [("moo = nomodule:Nope", "ModuleNotFoundError"), ("moo = acme_steps:number", "it is int, which can't be called")],
)
def test_b8_a_broken_view_earns_a_warning_and_the_value_shows_itself(
    installed: Installed, point: str, why: str
) -> None:
    installed(point, group="ctxlab.views")

    with pytest.warns(UserWarning, match=f"plugin 'moo' of package 'acme-steps' is left out: {why}"):
        assert views.shown_as("moo", object()) is None
