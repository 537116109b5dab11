"""Every command with every kind of wrong file and wrong option: one line, exit code 2, and nothing is overwritten.

The commands and their options are those of the app, so that a new one is covered or has to be named here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main

from ctxlab.cli.app import app
from ctxlab.cli.commands.request import PROBLEMS_LEFT
from tests.cli.conftest import DATASETS

COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # pyright: ignore[reportAttributeAccessIssue]
OPENS_A_PROGRAM = {"lab", "serve-fake", "record", "mcp"}
"""Commands that start another program, or run until Ctrl+C, with a file that they don't read."""

READS_A_RECORDING = {"prefix"}
READS_COMMANDS = {"step", "chat"}
"""Commands that read from standard input what is typed."""
WRITES_A_CONVERSATION = {"compress", "chat"}

READS = ("file", "source")
WRITES = ("target", "out")
RECORDING = DATASETS / "tidebook_agent.ctxrec.jsonl"
SESSION = DATASETS / "harbour_roleplay.session.json"
BOOK = DATASETS / "harbour_lore.json"
RULES = DATASETS / "harbour_rules.json"
USER = DATASETS / "harbour_roleplay.user.json"


class Wrong(NamedTuple):
    """Content of a file, and whether a command may do something with it all the same."""

    content: bytes | None
    may_work: bool = False


BROKEN_TREE = {
    "id": "b",
    "rootNodeId": "nowhere",
    "activeLeafId": "c",
    "nodes": {
        "a": {"id": "a", "parentId": None, "role": "user", "content": "A"},
        "b": {"id": "b", "parentId": "c", "role": "assistant", "content": "B", "childrenIds": ["gone"]},
        "c": {"id": "c", "parentId": "b", "role": "user", "content": "C"},
    },
}
FILES = {
    "missing": Wrong(None),
    "empty": Wrong(b""),
    "blank": Wrong(b" \n\t "),
    "picture": Wrong(b"\xff\xd8\xff\xe0\x00\x10JFIF"),
    "binary": Wrong(bytes(range(256)) * 4),
    "png without a card": Wrong(b"\x89PNG\r\n\x1a\n" + b"\x00" * 40),
    "zip that is cut off": Wrong(b"PK\x03\x04" + b"\x00" * 40),
    "words": Wrong(b"Dear diary, today I went to the lighthouse."),
    "markdown": Wrong(b"# Conversation: Hi\n\n## User\n\nHi\n"),
    "html": Wrong(b"<!DOCTYPE html><html></html>"),
    "table": Wrong(b"role,content,at\nuser,Hi,1\n"),
    "cut off": Wrong(b'{"nodes": {"a": {"id": "a", "par'),
    "deep": Wrong(b"[" * 100_000),
    "deep and closed": Wrong(b'{"nodes":' * 20_000 + b"1" + b"}" * 20_000),
    "long number": Wrong(b'{"nodes": ' + b"9" * 5_000 + b"}"),
    "unknown": Wrong(b'{"recipe": "soup"}'),
    "book": Wrong(BOOK.read_bytes(), may_work=True),
    "rules": Wrong(RULES.read_bytes(), may_work=True),
    "user": Wrong(USER.read_bytes(), may_work=True),
    "several sessions": Wrong(b'{"messages":[{"role":"user","content":"a"}]}\n' * 2, may_work=True),
    "broken tree": Wrong(json.dumps(BROKEN_TREE).encode(), may_work=True),
    "no nodes": Wrong(b'{"id": "s", "nodes": {}, "rootNodeId": null}', may_work=True),
}
HOLDS_NO_SESSION = {"book", "rules", "user", "several sessions"}
READS_RECORDINGS = {"compressions": "several sessions"}
"""Commands that read requests in the place of a conversation, and the kind of file that is one to them."""

FILE_OPTIONS = {"--agent", "--user", "--book", "--rules"}
WRONG: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(FILE_OPTIONS, ("nowhere.json", "nobody", "", str(SESSION.parent / "no" / "x.json"))),
    "--assets": ("nowhere", str(SESSION)),
    "--knowledge": ("nowhere.json", "", "-", str(SESSION.parent / "no" / "x.json")),
    "--note": ("no depth", "", "@4", " @4", "x@", "x@-1", "x@1.5", "x@four", "x@" + "9" * 5_000),
    "--piece": ("nothing of it", ""),
    "--above": ("u99", ""),
    "--before": ("nowhere.json", "", str(SESSION), str(SESSION.parent / "no" / "x.json")),
    "--below": ("u99", ""),
    "--protect": ("x", "-1"),
    "--pick": ("nobody", "99", "-99"),
    "--fail-on": ("loud", ""),
    "--as": ("a book", ""),
    "--sillytavern": ("nowhere", "", str(SESSION)),
    "--chat": ("nobody", ""),
    "--kind": ("loud", "swipe"),
    "--level": ("loud", ""),
    "--ignore": ("no-such-rule", ""),
    "--budget": ("x", "0", "-5", "1.5", "1"),
    "--tokenizer": ("o200k_bas", "", "no/such/folder", str(SESSION)),
    "--template": ("nowhere.jinja", "", str(SESSION)),
    "--budgets": ("x", "0", "1000,x", "-5", "1", "9" * 5_000),
    "--strategies": ("slidng", "sliding,nonsense"),
    "--leaf": ("u99", ""),
    "--until": ("token-limitr", "convert-system", ""),
    "--key": ("u99", ""),
    "--engine": ("vllm", ""),
    "--server": ("lm-studio", "", "Ollama"),
    "--template-name": ("no_such_template", ""),
    "--why": ("",),
    "--context": ("x", "0", "-5", "1.5", "900"),
    "--answer": ("x", "-1", "1.5", "5"),
    "--entry": ("nothing of it",),
    "--rule": ("nothing of it",),
    "--set": ("nonsense", "token-limitr.retain=each", "token-limiter.retan=each", "token-limiter.retain=all", "=", "."),
    "--var": ("nonsense", "=3"),
    "--seed": ("x", "1.5"),
    "--format": ("yaml", ""),
    "--frozen": ("clocks", ""),
    "--keeps": ("", "re:(", "no such words", "u5", "node:u99"),
    "--only": ("steps", "step,nonsense"),
    "--request": ("x", "0", "-1", "99"),
    "--width": ("x", "1", "-5"),
    "--base-url": ("", "nowhere", "ftp://here", "http://me:secret@localhost", "http://localhost/?key=1"),
    "--log": ("no/such/folder.jsonl", ".", "-", str(SESSION)),
    "--provider": ("antropic", "", "gpt-4o"),
    "--out": ("no/such/folder.html", ".", "-"),
}
"""Values that an option can't take."""
BECOMES_A_PROMPT = {("step", "--budget", "1")}
"""A budget that is too small shows when the limiter's turn comes, and can be changed there."""
ANYTHING = {"--text", "--model", "--timestamp", "--zone", "--pending", "--folder", "--must-keep"}
"""Options that take any text."""


def options_of(name: str) -> dict[str, Any]:
    return {param.opts[0]: param for param in COMMANDS[name].params if param.opts[0].startswith("--")}


def reading(name: str) -> str | None:
    return next((param.name for param in COMMANDS[name].params if param.name in READS), None)


def call(name: str, file: str | Path, out: Path, *, without: str = "") -> list[str]:
    """The command with a file to read, and where to write what it writes."""
    typed = [name]
    for param in COMMANDS[name].params:
        if param.name in READS:
            typed.append(str(file))
        elif param.name == "target":
            typed.append(str(out))
        elif param.name == "out" and without != "--out":
            typed += [
                "--out",
                str(out.with_suffix(".md") if name in WRITES_A_CONVERSATION and out.suffix == ".html" else out),
            ]
        elif param.name == "provider" and param.required and without != "--provider":
            typed += ["--provider", "openai"]
        elif param.name == "template" and without != "--template":
            typed += ["--template", str(DATASETS / "chatml.jinja")]
        elif param.name == "keeps" and without != "--keeps":
            typed += ["--keeps", "re:."]
        elif param.name == "only" and without != "--only":
            typed += ["--only", "rule"]
    return typed


def refused(result: Any) -> None:
    """One line on standard error that a user of the command line can read, nothing on standard output."""
    assert (result.code, result.out) == (2, ""), result
    line(result.err)


def line(err: str) -> None:
    assert err.startswith("ctxlab: ") and err.endswith("\n") and err.count("\n") == 1, err
    assert not re.search(r"Traceback|Errno|Value error|Input should|NoneType|\b\w+=(?:$|[ ;,)])|repaired\(", err), err


def readers() -> list[str]:
    return [name for name in COMMANDS if reading(name) and name not in OPENS_A_PROGRAM]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("name", readers())
def test_a_wrong_file_is_one_line(run, tmp_path: Path, name: str, kind: str) -> None:
    file, out, wrong = tmp_path / "in.json", tmp_path / "out.html", FILES[kind]
    if name == "convert":
        out = out.with_suffix(".md")
    if wrong.content is not None:
        file.write_bytes(wrong.content)

    result = run(*call(name, file, out))

    may_work = kind == READS_RECORDINGS[name] if name in READS_RECORDINGS else kind not in HOLDS_NO_SESSION
    if result.code in (0, PROBLEMS_LEFT) and wrong.may_work and may_work:
        assert "Traceback" not in result.err
    else:
        refused(result)
        assert not out.exists()
    assert (file.read_bytes() if file.exists() else None) == wrong.content


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in readers() for option in sorted(FILE_OPTIONS & {*options_of(name)})]
)
def test_a_wrong_file_for_an_option_is_one_line(run, tmp_path: Path, name: str, option: str, kind: str) -> None:
    file, wrong = tmp_path / "more.json", FILES[kind]
    if wrong.content is not None:
        file.write_bytes(wrong.content)

    book = ["--book", BOOK] if name == "lore" and option != "--book" else []
    result = run(*call(name, SESSION, tmp_path / "out.html"), option, file, *book)

    if not {"--book": kind == "book", "--rules": kind == "rules", "--user": kind == "user"}.get(option):
        refused(result)
        assert not (tmp_path / "out.html").exists()
    else:
        assert result.code == 0, result


def wrong_values() -> Iterator[tuple[str, str, str]]:
    for name in readers():
        for option in options_of(name):
            for value in WRONG.get(option, ()):
                yield name, option, value


@pytest.mark.parametrize(("name", "option", "value"), [*wrong_values()])
def test_a_wrong_value_is_one_line(run, tmp_path: Path, name: str, option: str, value: str) -> None:
    out = tmp_path / "out.openai.json"

    result = run(*call(name, SESSION, out, without=option), option, value)

    if (name, option, value) in BECOMES_A_PROMPT:
        assert (result.code, result.err.count("Traceback")) == (0, 0)
        return
    refused(result)
    assert not out.exists()


def test_every_option_has_wrong_values_here() -> None:
    taking = {option: param for name in readers() for option, param in options_of(name).items() if not param.is_flag}

    assert {*taking} - WRONG.keys() - ANYTHING == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_misspelt_option_is_one_line(run, tmp_path: Path, name: str) -> None:
    for option in (*options_of(name), "--colour"):
        result = run(*call(name, SESSION, tmp_path / "out.md"), f"{option}s")

        refused(result)
        assert f"{option}s" in result.err
    assert not (tmp_path / "out.md").exists()


@pytest.mark.parametrize("name", [name for name in COMMANDS if any(p.required for p in COMMANDS[name].params)])
def test_what_is_missing_is_named(run, name: str) -> None:
    refused(run(name))


@pytest.mark.parametrize("name", readers())
def test_a_file_that_cannot_be_read_is_one_line(
    run, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def denied(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "in.json").write_text("{}")
    run(*call(name, tmp_path / "in.json", tmp_path / "out.md"))  # pytest reads modules that are imported, too
    monkeypatch.setattr(Path, "read_bytes", denied)

    result = run(*call(name, tmp_path / "in.json", tmp_path / "out.md"))

    refused(result)
    assert "in.json can't be read: Permission denied" in result.err


@pytest.mark.parametrize("name", readers())
def test_an_empty_folder_is_one_line(run, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()

    refused(run(*call(name, tmp_path / "empty", tmp_path / "out.md")))


@pytest.mark.parametrize("name", readers())
def test_two_pipes_are_one_too_many(run, tmp_path: Path, name: str) -> None:
    for option in sorted(FILE_OPTIONS & {*options_of(name)}):
        refused(run(*call(name, "-", tmp_path / "out.html"), option, "-", stdin=SESSION.read_text("utf-8")))


WRITERS = [name for name in readers() if any(param.name in WRITES for param in COMMANDS[name].params)]


@pytest.mark.parametrize("place", ["no/such/folder.md", ".", "-", "in.json"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_place_that_cannot_be_written_is_one_line(run, tmp_path: Path, name: str, place: str) -> None:
    before = SESSION.read_bytes()
    (tmp_path / "in.json").write_bytes(before)

    refused(run(*call(name, "in.json", Path(place))))

    assert [path.name for path in tmp_path.iterdir()] == ["in.json"]
    assert (tmp_path / "in.json").read_bytes() == before


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_is_replaced_is_said_so(run, name: str) -> None:
    out = Path("out.html" if name == "report" else "out.md")
    first = run(*call(name, SESSION, out))
    again = run(*call(name, SESSION, out))

    assert (first.code, again.code) == (0, 0)
    assert "replaced" not in first.out
    assert "replaced" in again.out


@pytest.mark.parametrize("name", readers())
def test_a_pipe_gives_what_the_file_gives(run, tmp_path: Path, name: str) -> None:
    if name in READS_COMMANDS:
        assert "reads its commands from standard input" in run(name, "-").err
        return
    if name in READS_RECORDINGS:
        assert "a recording is read from a file" in run(name, "-").err
        return
    options = ["--book", BOOK] if name == "lore" else []
    ending = "html" if name == "report" else "md"
    content = (RECORDING if name in READS_A_RECORDING else SESSION).read_text("utf-8")
    (tmp_path / "stdin.json").write_text(content, "utf-8")

    from_file = run(*call(name, "stdin.json", tmp_path / f"one.{ending}"), *options)
    piped = run(*call(name, "-", tmp_path / f"two.{ending}"), *options, stdin=content)

    assert piped.code == from_file.code == 0
    assert len(piped.out.splitlines()) == len(from_file.out.splitlines())


def test_a_new_line_in_a_name_stays_one_line(run) -> None:
    refused(run("build", "no\nsuch\x1b[31m.json"))


@pytest.mark.parametrize("kind", FILES)
def test_a_wrong_file_for_knowledge_is_one_line_or_its_text(run, tmp_path: Path, kind: str) -> None:
    file, wrong = tmp_path / "more.json", FILES[kind]
    if wrong.content is not None:
        file.write_bytes(wrong.content)

    result = run("build", SESSION, "--knowledge", file)

    if result.code != 0:
        refused(result)
    else:
        assert kind not in {"missing", "empty", "blank", "picture", "binary", "png without a card"}
        assert "Traceback" not in result.err


SUBCOMMANDS: dict[str, Any] = COMMANDS["workspace"].commands
NEEDED = {"import": [SESSION], "backup": ["out.zip"], "restore": ["--id", "x"]}
"""Arguments that a subcommand of `workspace` needs besides the folder."""


@pytest.mark.parametrize("name", [*SUBCOMMANDS, "search"])
@pytest.mark.parametrize("place", ["a file", "a folder of other things", "nowhere", "below a file"])
def test_a_folder_that_is_no_workspace_is_one_line(run, tmp_path: Path, name: str, place: str) -> None:
    (tmp_path / "chats.txt").write_text("Dear diary")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "diary.txt").write_text("Dear diary")
    folder = {"a file": "chats.txt", "a folder of other things": "other", "below a file": "chats.txt/w"}.get(place, "w")
    if place == "nowhere" and name in {"create", "import"}:
        return  # they begin one
    typed = ["search", folder, "lamp"] if name == "search" else ["workspace", name, folder, *NEEDED.get(name, ())]

    refused(run(*typed))

    assert sorted(path.name for path in tmp_path.rglob("*")) == ["chats.txt", "diary.txt", "other"]


WRONG_IN_A_WORKSPACE = [
    *[("search", "my-chats", "lamp", "--mode", value) for value in ("nand", "")],
    *[("search", "my-chats", "lamp", "--order", value) for value in ("oldest", "")],
    *[("search", "my-chats", "lamp", "--kind", value) for value in ("lamps", "")],
    *[("search", "my-chats", "lamp", "--limit", value) for value in ("0", "-1", "x", "1.5", "9" * 40)],
    *[
        ("search", "my-chats", "lamp", option, value)
        for option in ("--since", "--until")
        for value in ("yesterday", "", "2026-13-01", "9" * 40)
    ],
    ("search", "my-chats"),
    ("search",),
    *[("workspace", "list", "my-chats", "--kind", value) for value in ("lamps", "")],
    ("workspace", "import", "my-chats", "nowhere.json"),
    ("workspace", "import", "my-chats"),
    ("workspace", "import", "my-chats", SESSION, "--on-duplicate", "burn"),
    ("workspace", "import", "my-chats", SESSION, "--knowledge", " "),
    ("workspace", "import", "my-chats", "nowhere.pdf", "--knowledge", "Papers"),
    ("workspace", "backup", "my-chats", "."),
    ("workspace", "backup", "my-chats", "no/such/folder.zip"),
    ("workspace", "restore", "my-chats"),
    ("workspace", "restore", "my-chats", "--id", "nobody"),
    ("workspace", "restore", "my-chats", "--id", ""),
    ("workspace", "restore", "my-chats", "--backup", "nowhere.zip"),
    ("workspace", "restore", "my-chats", "--backup", SESSION),
    ("workspace", "restore", "my-chats", "--backup", "nowhere.zip", "--id", "x"),
    ("workspace", "trash", "my-chats", "--older-than", "2026-01-01"),
    ("workspace", "trash", "my-chats", "--empty", "--older-than", "yesterday"),
    ("workspace", "chek", "my-chats"),
]


@pytest.mark.parametrize("typed", WRONG_IN_A_WORKSPACE, ids=lambda typed: " ".join(map(str, typed))[:60])
def test_a_wrong_value_for_a_workspace_is_one_line(run, tmp_path: Path, typed: tuple[Any, ...]) -> None:
    assert run("workspace", "create", "my-chats").code == 0
    before = sorted(path for path in tmp_path.rglob("*") if path.suffix == ".json")

    refused(run(*typed))

    assert sorted(path for path in tmp_path.rglob("*") if path.suffix == ".json") == before


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_a_misspelt_option_of_a_workspace_is_one_line(run, name: str) -> None:
    for option in [param.opts[0] for param in SUBCOMMANDS[name].params if param.opts[0].startswith("--")]:
        refused(run("workspace", name, "my-chats", f"{option}s"))
    refused(run("workspace", name))


@pytest.mark.parametrize(
    "typed",
    [
        *(("--port", value) for value in ("x", "-1", "65536", "1.5", "")),
        *(("--script", value) for value in ("nowhere.json", "", "no/such/file.json", ".")),
    ],
)
def test_a_wrong_value_for_the_fake_server_is_one_line(run, typed: tuple[str, str]) -> None:
    refused(run("serve-fake", *typed))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"words",
        b"{}",
        b"[]",
        b"[3]",
        b"[" * 100_000,
        b'[{"txt": "a"}]',
        b'[{"text": 3}]',
        b'[{"status": true}]',
        b'[{"status": 9}]',
        b'[{"status": 600}]',
        b'[{"finish": "soon"}]',
        b'[{"calls": [{"arguments": {}}]}]',
        b'[{"calls": [{"name": "a", "arguments": "{}"}]}]',
        b'[{"piece_characters": 0}]',
        b'[{"delay_seconds": -1}]',
    ],
)
def test_a_wrong_script_for_the_fake_server_is_one_line(run, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "script.json").write_bytes(content)

    result = run("serve-fake", "--script", "script.json")

    refused(result)
    assert "script.json" in result.err
