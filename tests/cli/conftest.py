"""The command line as a function: what was typed in, what came out."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer

from ctxlab import api
from ctxlab.cli import main
from ctxlab.pipeline import Trace

DATASETS = Path(__file__).parents[2] / "datasets"
NAMES = ("coding_chat", "harbour_roleplay", "research_tree")


class Result(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Result]
Written = Callable[..., Path]
Dumped = Callable[[Path, Any], Path]


@pytest.fixture(scope="session")
def commands_made_once() -> Iterator[None]:
    """All options of all commands are made at each start: once in a process, and thousands of times in these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("typer.main.get_command", cache(typer.main.get_command))
        yield


@pytest.fixture
def run(commands_made_once: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("build", file, "--budget", 1500)`; `stdin` is what is typed while it runs."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")

    def typed(*args: Any, stdin: str = "") -> Result:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(arg) for arg in args])
        return Result(code, *capsys.readouterr())

    return typed


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """A file of the messages given, or of any JSON value."""

    def write(*messages: tuple[str, str] | Any, name: str = "chat.json") -> Path:
        pairs = [{"role": m[0], "content": m[1]} if isinstance(m, tuple) else m for m in messages]
        path = tmp_path / name
        path.write_text(json.dumps({"messages": pairs}), encoding="utf-8")
        return path

    return write


@pytest.fixture
def harbour() -> Path:
    return DATASETS / "harbour_roleplay.session.json"


@pytest.fixture
def built() -> Callable[..., Trace]:
    """What Python gives for a bundled conversation with the agent and the user that lie beside it."""

    def build(name: str = "harbour_roleplay", **options: Any) -> Trace:
        user = DATASETS / f"{name}.user.json"
        return api.build(
            api.load(DATASETS / f"{name}.session.json"),
            api.load_agent(DATASETS / f"{name}.agent.json"),
            user=api.load_user(user) if user.is_file() else None,
            **options,
        )

    return build


class Files(NamedTuple):
    """A conversation about a reef, a book with an entry for every outcome, and two rules."""

    chat: Path
    book: Path
    rules: Path

    def given(self, *more: Any) -> tuple[Any, ...]:
        return (self.chat, "--book", self.book, "--rules", self.rules, *more)


def entry(uid: int, title: str, *keys: str, **fields: Any) -> dict[str, Any]:
    return {"uid": uid, "key": list(keys), "comment": title, "content": f"{title}.", "constant": False, **fields}


ENTRIES = (
    entry(1, "The reef", "reef", content="The reef fears {{user}} and the pilot.", position=4, depth=1),
    entry(2, "老领航员 · The pilot", "pilot", position=1),
    entry(3, "Ferry", "ferry", useProbability=True, probability=0),
    entry(4, "Salt tax", "salt"),
    entry(5, "Bell", constant=True, position=7, outletName="bell"),
)
RULES = (
    {"id": "asides", "name": "No asides", "regex": r"\*[^*]+\* ?", "replacement": "", "flags": "g"},
    {"id": "ship", "name": "Ship", "regex": "Halcyon", "replacement": "«$&»", "targetRoles": ["assistant"]},
    {"id": "broken", "name": "Broken", "regex": "(a", "replacement": ""},
    {"id": "off", "name": "Off", "enabled": False, "regex": "a", "replacement": ""},
)


@pytest.fixture
def dumped() -> Dumped:
    """A value written to a path as JSON."""

    def dump(path: Path, value: Any) -> Path:
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        return path

    return dump


@pytest.fixture
def files(tmp_path: Path, dumped: Dumped) -> Files:
    messages = [
        ("user", "*waves* Where is the Halcyon?"),
        ("assistant", "The ferry is *sighs* late."),
        ("user", "礁石 reef!"),
    ]
    chat = dumped(tmp_path / "chat.json", {"messages": [{"role": r, "content": c} for r, c in messages]})
    rules = [{"applyTo": {"render": False, "request": True}, **rule} for rule in RULES]
    return Files(
        chat,
        dumped(tmp_path / "isle.json", {"name": "Isle", "entries": {str(each["uid"]): each for each in ENTRIES}}),
        dumped(tmp_path / "tidy.json", {"id": "tidy", "name": "Tidy", "rules": rules}),
    )
