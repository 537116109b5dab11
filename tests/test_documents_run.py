"""The code in the README, in llms.txt and in docs runs, in its order, with the files that it names."""

from __future__ import annotations

import io
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import formats
from ctxlab.cli import main

ROOT = Path(__file__).parents[1]
COMMAND = re.compile(r"^\.venv/bin/ctxlab (.+?)(?:  +#.*)?$", re.MULTILINE)

WRITES_NOTHING = {"docs/full_text_search.md", "docs/knowledge.md"}
"""Pages whose examples leave the current folder as it is."""


def blocks(name: str, language: str = "python") -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the examples name."""
    harbour = ctxlab.example("harbour")
    (tmp_path / "chats").mkdir()
    monkeypatch.chdir(tmp_path)
    ctxlab.write(harbour.session(), "chats/one.session.json")
    ctxlab.write(ctxlab.example("coding").session(), "chats/two.openai.json")
    card = harbour.agent().with_(worldbook_ids=(harbour.book().book_id,))
    ctxlab.write(ctxlab.Library(agents=(card,), books=harbour.books), "card.png")
    ctxlab.write(harbour.agent().with_(id="guide", name="Guide", profile_name="Guide"), "agents.json")
    ctxlab.write(harbour.book(), "lore.json", format="lorebook")
    Path("preset.json").write_bytes(formats.preset_json(harbour.agent()).as_bytes().data)
    Path("chat.json").write_text(json.dumps([{"role": "user", "content": "Is it flaky?"}]))
    for name in ("chat.jsonl", "conversations.json"):
        Path(name).write_bytes(Path("chats/two.openai.json").read_bytes())
    Path("datasets").symlink_to(ROOT / "datasets")
    Path("docs").symlink_to(ROOT / "docs")
    return tmp_path


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "llms.txt",
        "docs/what_if.md",
        "docs/sending.md",
        "docs/quick_actions.md",
        "docs/around_a_chat.md",
        "docs/full_text_search.md",
        "docs/knowledge.md",
    ],
)
def test_every_line_of_python_runs(name: str, files: Path) -> None:
    found = blocks(name)
    values: dict[str, Any] = {}
    before = sorted(files.iterdir())

    for code in found:
        exec(compile(code, name, "exec", dont_inherit=True), values)

    assert len(found) >= 2
    assert isinstance(values["trace"], ctxlab.Trace)
    assert name not in WRITES_NOTHING or sorted(files.iterdir()) == before


def test_the_page_of_the_recorder_records_what_its_example_sends(files: Path) -> None:
    (code,) = blocks("docs/recorder.md")
    values: dict[str, Any] = {}

    exec(compile(code, "docs/recorder.md", "exec", dont_inherit=True), values)

    assert (values["exchange"].ended, values["exchange"].body["model"]) == ("unreachable", "gpt-4o")


def test_the_page_of_the_compression_report_says_what_its_example_gives() -> None:
    values: dict[str, Any] = {}

    for code in blocks("docs/compression_report.md"):
        exec(compile(code, "docs/compression_report.md", "exec"), values)

    report = values["report"]
    assert [(each.kind, each.text) for each in report.lost if each.kind != "rule"] == [
        ("must-keep", "Postgres"),
        ("number", "3"),
        ("name", "Postgres"),
    ]
    assert [(each.kind, each.reason) for each in report.weakened if each.kind != "decision"] == [
        ("date", "without its year"),
        ("name", "Ada alone"),
        ("path", "without its folder"),
    ]


def test_what_the_readme_writes_is_there_and_can_be_read_again(files: Path) -> None:
    values: dict[str, Any] = {}
    for code in blocks("README.md")[:2]:
        exec(compile(code, "README.md", "exec"), values)

    assert ctxlab.load("chat.json") == values["session"]
    assert ctxlab.read("guide.card.json").agents
    assert ctxlab.read("harbour.lorebook.json").book().entries.keys() == values["harbour"].book().entries.keys()
    assert ctxlab.read("chat.openai.json").format == "openai"


@pytest.mark.parametrize(("name", "least"), [("README.md", 11), ("docs/what_if.md", 2)])
def test_every_command_runs(
    name: str, least: int, files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = COMMAND.findall((ROOT / name).read_text(encoding="utf-8"))

    codes = {}
    for command in commands:
        monkeypatch.setattr("sys.stdin", io.StringIO("q\n"))
        codes[command] = main(shlex.split(command))

    assert len(codes) >= least
    assert codes == dict.fromkeys(codes, 0), capsys.readouterr().err


def test_llms_txt_names_every_step_and_strategy_and_files_that_are_there() -> None:
    from ctxlab.engines.truncation.registry import STRATEGIES

    text = (ROOT / "llms.txt").read_text(encoding="utf-8")

    assert all(f"`{id}`" in text for id in (*ctxlab.default_pipeline().ids, *(each.name for each in STRATEGIES)))
    paths = re.findall(r"([\w/]+(?:\.md|/|/\w+)):", text.partition("## Files")[2])
    assert len(paths) > 8
    assert [path for path in paths if not (ROOT / path).exists()] == []
