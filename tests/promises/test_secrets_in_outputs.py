"""A key in any place of a file, a request, a reply or the environment is in no output of any command, nor a piece of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import typer

import ctxlab
from ctxlab.cli import main
from ctxlab.cli.app import app
from tests.planted_keys import AROUND, keys, pieces_of, surrounded

ONE, OTHER = keys("one"), keys("other")
PLANTED = ("openai project", "github", "aws", "anthropic", "private", "token")


class Planter:
    """Puts another key in other surroundings into each text that it is given."""

    def __init__(self, made: dict[str, str] = ONE) -> None:
        self._made, self.number, self.keys = made, 0, list[str]()

    def __call__(self, words: str = "") -> str:
        key = self._made[PLANTED[self.number % len(PLANTED)]]
        around = AROUND[(7 * self.number) % len(AROUND)]
        self.number += 1
        self.keys.append(key)
        return f"{words} {surrounded(key, around)} {words}".strip()

    def everywhere(self, value: Any, keep: tuple[str, ...] = ()) -> Any:
        """JSON with a key in each of its texts but those of fields that a format goes by."""
        if isinstance(value, str):
            return self(value)
        if isinstance(value, list):
            return [self.everywhere(each, keep) for each in value]
        if isinstance(value, dict):
            return {name: each if name in keep else self.everywhere(each, keep) for name, each in value.items()}
        return value


def assert_no_piece(text: str, found: Any = None) -> None:
    for made in (ONE, OTHER):
        for vendor in PLANTED:
            pieces = [*pieces_of(made[vendor], text)]
            at = text.find(pieces[0]) if pieces else 0
            assert not pieces, (vendor, found, text[max(0, at - 200) : at + 80])


# --- commands

FILLER = "the harbour light burned through the night and the keeper wrote it down "
PAGES = ("page.html", "recording.html", "figure.html")


def write_files(folder: Path, made: dict[str, str]) -> None:
    plant = Planter(made)
    session = ctxlab.Session(id="s-1", name=plant("harbour"))
    for turn in range(6):
        session = session.append(plant("lantern " + FILLER * turn), role="user", id=f"u{turn}", name=plant("who"))
        session = session.append(plant("answer " + FILLER), role="assistant", id=f"a{turn}")
    (folder / "chat.session.json").write_text(json.dumps(session.to_data()), encoding="utf-8")
    entry = {"keys": ["lantern", plant()], "content": plant("lore"), "extensions": {}, "enabled": True}
    entry |= {"insertion_order": 1, "name": plant("entry"), "comment": plant("entry")}
    data = {name: plant(name) for name in ("description", "personality", "scenario", "first_mes", "system_prompt")}
    data |= {"name": "Ann", "character_book": {"name": "book", "entries": [entry], "extensions": {}}}
    card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    (folder / "ann.card.json").write_text(json.dumps(card), encoding="utf-8")
    (folder / "log.jsonl").write_text("\n".join(map(json.dumps, _log(plant))), encoding="utf-8")


def _log(plant: Planter) -> Iterator[dict[str, Any]]:
    """A log of Claude Code, whose keys nobody masked."""
    above: str | None = None
    for turn in range(4):
        use = {"type": "tool_use", "id": f"t{turn}", "name": "Bash", "input": {"command": plant("curl")}}
        result = {"type": "tool_result", "tool_use_id": f"t{turn}", "content": plant(FILLER), "is_error": turn == 2}
        usage = {"input_tokens": 900, "output_tokens": 9, "cache_creation_input_tokens": 90}
        answer = {"content": [{"type": "text", "text": plant("a")}, use], "id": f"m{turn}", "usage": usage}
        for kind, message in (
            ("user", {"content": plant("question")}),
            ("assistant", {"model": "claude-sonnet-4-5", "type": "message", **answer}),
            ("user", {"content": [result]}),
        ):
            id = f"{kind}-{turn}-{'content' in message and isinstance(message['content'], list)}"
            row = {"uuid": id, "parentUuid": above, "type": kind, "message": {"role": kind, **message}}
            yield {**row, "sessionId": "z", "timestamp": f"2026-01-01T00:0{turn}:00Z", "version": "2"}
            above = id


CALLS: dict[str, tuple[str, ...]] = {
    "build": ("chat.session.json --budget 300", "chat.session.json --agent ann.card.json", "{key}.json"),
    "explain": (
        *("chat.session.json --budget 300", "chat.session.json --budget 300 --key u1", "chat.session.json --key {key}"),
        *("chat.session.json --text lantern", "chat.session.json --text lantern --format json"),
        "chat.session.json --agent ann.card.json --entry lantern",
    ),
    "tree": ("chat.session.json",),
    "report": (
        "chat.session.json --budget 300 --agent ann.card.json --out page.html",
        "log.jsonl --as recording --out recording.html",
    ),
    "ledger": ("chat.session.json --budget 300",),
    "compress": ("chat.session.json",),
    "compare": ("chat.session.json --budgets 300,500 --strategies sliding,bm25",),
    "lore": tuple(f"chat.session.json --agent ann.card.json {form}" for form in ("", "--json", "--csv")),
    "convert": ("chat.session.json copy.md", "{key} copy.md"),
    "request": ("chat.session.json --provider openai --agent ann.card.json",),
    "assets": ("ann.card.json", "ann.card.json --format json"),
    "minimise": ("chat.session.json --budget 300 --keeps node:u5",),
    "ablate": ("chat.session.json --budget 300 --only step", "chat.session.json --only step --format json"),
    "study": ("{key}.toml",),
    "survey": ("chat.session.json --budgets 300",),
    "check": tuple(
        f"{file} --format {form}" for file in ("chat.session.json", "log.jsonl") for form in ("text", "json", "sarif")
    ),
    "prefix": tuple(f"log.jsonl --format {form}" for form in ("text", "json", "csv")),
    "compressions": ("log.jsonl", "log.jsonl --format json"),
    "workspace": ("create ws", "import ws chat.session.json", "list ws", "list ws --json", "check ws"),
    "search": ("ws lantern", "ws lantern --format json"),
    "review": ("--base {key}",),
}
"""Calls of each command."""
ELSEWHERE = {
    "step": "it goes on with a run that `build` prints in the same words, line by line as it is asked",
    "chat": "what it prints of a turn goes through the same screen",
    "demo": "it has no input",
    "mcp": "its answers are tried in their own test below",
    "record": "the recorder is tried below",
    "serve-fake": "it prints the lines of requests, of which it keeps no header",
    "lab": "it starts a program",
}
AS_IT_IS = "messages that go on from here: build and request --format json, convert, compress --out, backups"


def _commands() -> set[str]:
    return set(cast("Any", typer.main.get_command(app)).commands)


def test_every_command_is_tried() -> None:
    assert _commands() == set(CALLS) | set(ELSEWHERE)


@pytest.mark.parametrize("command", CALLS)
def test_no_command_shows_a_piece_of_a_key(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, ONE)
    if command == "search":
        main(["workspace", "create", "ws"])
        main(["workspace", "import", "ws", "chat.session.json"])
    for call in CALLS[command]:
        words = [command, *(word.format(key=ONE["openai project"]) for word in call.split())]
        code = main(words)
        shown = b"\n".join(capfdbinary.readouterr()).decode()
        for page in PAGES:
            shown += (tmp_path / page).read_text() if (tmp_path / page).is_file() else ""

        assert ("{key}" in call) or code in (0, 1, 3), (call, shown[-300:])
        assert shown.strip()
        assert_no_piece(shown, call)
