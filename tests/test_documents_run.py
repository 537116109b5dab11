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


PAGES = [
    "README.md",
    "README.zh.md",
    "llms.txt",
    "docs/around_a_chat.md",
    "docs/asking_a_build.md",
    "docs/attachments.md",
    "docs/branches.md",
    "docs/compressing.md",
    "docs/conversation_trees.md",
    "docs/fake_vendor.md",
    "docs/full_text_search.md",
    "docs/instruct_presets.md",
    "docs/knowledge.md",
    "docs/lore_rules_and_macros.md",
    "docs/pipeline.md",
    "docs/prompts_under_test.md",
    "docs/quick_actions.md",
    "docs/reading_and_writing.md",
    "docs/requests.md",
    "docs/send_a_notebook.md",
    "docs/sending.md",
    "docs/studies.md",
    "docs/talking_to_a_model.md",
    "docs/values.md",
    "docs/what_if.md",
    "docs/workspaces.md",
]
STARTS = [
    f"docs/{language}start/{page}.md"
    for language in ("", "zh/")
    for page in ("sillytavern", "chatgpt", "claude_code", "openai_messages", "folder")
]


@pytest.mark.parametrize("name", PAGES)
def test_every_line_of_python_runs(name: str, files: Path) -> None:
    before = sorted(files.iterdir())

    ran = runs(name, blocks(name))

    assert ran >= 1
    assert name not in WRITES_NOTHING or sorted(files.iterdir()) == before


@pytest.mark.parametrize("name", STARTS)
def test_a_page_to_start_with_runs_from_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    values: dict[str, Any] = {}
    kinds: list[str] = []

    for kind, code in of_the_site(name):
        kinds.append(kind)
        if kind == "live":
            exec(compile(code, name, "exec", dont_inherit=True), values)
        else:
            for command in code.strip().replace("\\\n", "").split("\n"):
                assert main(shlex.split(command)[1:]) == 0, capsys.readouterr().err

    assert kinds.count("live") >= 5 and kinds.count("command") >= 3
    assert isinstance(values["trace"], ctxlab.Trace)


def test_the_page_of_views_shows_a_page_with_two_runs_and_writes_its_report(files: Path) -> None:
    values: dict[str, Any] = {}

    for _, code in of_the_site("docs/widgets/index.md"):
        exec(compile(code, "docs/widgets/index.md", "exec", dont_inherit=True), values)

    assert len(values["page"].runs) == 2
    assert (files / "harbour.html").stat().st_size > 100_000


def test_the_page_of_what_is_sent_shows_a_text_with_what_its_template_drops(files: Path) -> None:
    values: dict[str, Any] = {}

    for _, code in of_the_site("docs/widgets/sent_view.md"):
        exec(compile(code, "docs/widgets/sent_view.md", "exec", dont_inherit=True), values)

    kinds = {effect.kind for effect in values["text"].rendered.effects}
    assert kinds == {"dropped"}
    assert values["text"].model_text


def of_the_site(name: str) -> list[tuple[str, str]]:
    """Code and commands that the build of the site runs too, in their order and without their options."""
    text = (ROOT / name).read_text(encoding="utf-8")
    found = re.findall(r"^```\{(live|command)\}\n((?::\w+:[^\n]*\n)*)(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(kind, code) for kind, _, code in found]


def runs(name: str, found: list[str]) -> int:
    """How many blocks ran, with the names of those before them."""
    values: dict[str, Any] = {}
    for code in found:
        exec(compile(code, name, "exec", dont_inherit=True), values)
    return len(found)


def test_the_page_on_handing_a_study_on_runs_from_folder_to_comparison(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/hand_a_study_on.md").read_text(encoding="utf-8")
    values: dict[str, Any] = {}
    steps = re.findall(r"^```(python|sh)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)

    for language, code in steps:
        if language == "python":
            exec(compile(code, "docs/hand_a_study_on.md", "exec", dont_inherit=True), values)
        for command in COMMAND.findall(code) if language == "sh" else ():
            assert main(shlex.split(command)) == 0, capsys.readouterr().err

    cells = [(files / folder / "cells.parquet").read_bytes() for folder in ("handed-on/cells", "rerun")]
    assert cells[0] == cells[1]
    assert values["made"][0] == values["made"][1]
    assert "head_share=0.5" in capsys.readouterr().out


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


def test_what_the_page_of_writing_writes_is_there_and_can_be_read_again(files: Path) -> None:
    values: dict[str, Any] = {}
    for code in blocks("docs/reading_and_writing.md"):
        exec(compile(code, "docs/reading_and_writing.md", "exec"), values)

    assert ctxlab.load("chat.json") == values["session"]
    assert ctxlab.read("guide.card.json").agents
    assert ctxlab.read("harbour.lorebook.json").book().entries.keys() == values["harbour"].book().entries.keys()
    assert ctxlab.read("chat.openai.json").format == "openai"


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("README.md", 2),
        ("README.zh.md", 2),
        ("docs/on_the_command_line.md", 16),
        ("docs/studies.md", 1),
        ("docs/talking_to_a_model.md", 1),
        ("docs/what_if.md", 2),
    ],
)
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


@pytest.mark.parametrize("page", [*ROOT.glob("README*.md"), *(ROOT / "docs").rglob("*.md")], ids=lambda page: page.name)
def test_every_link_and_picture_of_a_page_is_there(page: Path) -> None:
    text = re.sub(r"^```(?!\{).*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)

    linked = re.findall(r"\]\(([^)\s#:]+)(?:#[^)]*)?\)", text) + re.findall(r'(?:src|srcset)="([^"]+)"', text)

    made = ROOT / "docs" / "reference"
    paths = [(page.parent / each).resolve() for each in linked]
    assert [path for path in paths if not path.exists() and made not in path.parents] == []


def test_llms_txt_names_every_step_and_strategy_and_files_that_are_there() -> None:
    from ctxlab.engines.truncation.registry import STRATEGIES

    text = (ROOT / "llms.txt").read_text(encoding="utf-8")

    assert all(f"`{id}`" in text for id in (*ctxlab.default_pipeline().ids, *(each.name for each in STRATEGIES)))
    paths = re.findall(r"([\w/]+(?:\.md|/|/\w+)):", text.partition("## Files")[2])
    assert len(paths) > 8
    assert [path for path in paths if not (ROOT / path).exists()] == []
