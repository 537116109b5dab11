"""What the options for books, rules, variables and typed text bring into a build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlab.cli.inputs.files import beside
from ctxlab.cli.inputs.options import variables_from
from ctxlab.errors import WrongSetting


def test_files_of_the_wrong_kind_are_named(run, files) -> None:
    assert "tidy.json holds no book; --book takes" in run("build", files.chat, "--book", files.rules).err
    assert (
        "isle.json holds no set of rules; --rules takes a file with one"
        in run("build", files.chat, "--rules", files.book).err
    )
    assert "there is no book 'isel'" in run("build", files.chat, "--book", "isel").err


def test_what_is_typed_is_expanded_and_called_up_by(run, files) -> None:
    options = (
        "--pending",
        "{{user}}, is it salt at {{time}}?",
        "--timestamp",
        "2026-05-04T12:30:00Z",
        "--zone",
        "Asia/Tokyo",
    )

    messages = json.loads(run("build", *files.given(*options, "--format", "json")).out)
    out = run("explain", *files.given(*options, "--entry", "salt tax")).out

    assert messages[-1]["content"].endswith("User, is it salt at 9:30 PM?")
    assert "“salt” in pending, characters 12 to 16" in out


def test_problems_of_what_is_typed_are_told(run, files) -> None:
    assert (
        "pending: 1:1: macro 'usr' is not known and stays; did you mean 'user'?"
        in run("build", files.chat, "--pending", "{{usr}}").err
    )


def test_a_seed_decides_what_is_drawn(run, files) -> None:
    def drawn(seed: int) -> str:
        return run("build", files.chat, "--pending", "{{roll::1d1000}}", "--seed", seed, "--format", "json").out

    assert drawn(1) == drawn(1) != drawn(2)


def test_books_and_rules_that_lie_beside_a_session_are_read(run, files, dumped, tmp_path: Path) -> None:
    root = {"id": "r", "parentId": None, "role": "system", "content": ""}
    node = {"id": "u", "parentId": "r", "role": "user", "content": "*nods* the reef"}
    session = dumped(
        tmp_path / "isle.session.json",
        {"id": "s", "rootNodeId": "r", "activeLeafId": "u", "nodes": {"r": root, "u": node}},
    )
    files.book.rename(tmp_path / "isle.lore.json")
    files.rules.rename(tmp_path / "isle_rules.json")

    result = run("build", session)

    assert result.err == "ctxlab: also read isle.lore.json and isle_rules.json\n"
    assert "1 rule, 1 hit" in result.out
    assert "3 of 5 entries fired" in result.out
    assert beside(tmp_path / "chat.json", "lore") is None


def test_a_card_brings_its_book_and_its_rules(run, files, dumped, tmp_path: Path) -> None:
    script = {
        "id": "s",
        "scriptName": "Hush",
        "findRegex": "/\\*[^*]+\\*/g",
        "replaceString": "",
        "placement": [1, 2],
        "promptOnly": True,
    }
    book = {
        "name": "Hers",
        "entries": [
            {"keys": ["reef"], "content": "The reef is hers.", "enabled": True, "insertion_order": 1, "extensions": {}}
        ],
    }
    data = {
        "name": "Rill",
        "description": "A pilot.",
        "first_mes": "Ahoy.",
        "character_book": book,
        "extensions": {"regex_scripts": [script]},
    }
    card = dumped(tmp_path / "rill.card.json", {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})

    as_agent = run("build", files.chat, "--agent", card).out
    as_book = run("build", files.chat, "--book", card, "--rules", card).out

    assert "agent Rill" in as_agent
    for out in (as_agent, as_book):
        assert "1 rule, 2 hits" in out
        assert "1 of 1 entry fired" in out
    assert "A pilot." not in as_book


def test_compare_and_ledger_count_lore(run, files) -> None:
    assert "injection-assembler" in run("ledger", *files.given()).out
    assert (
        "lore:isle/1"
        in run("compare", *files.given("--budgets", "30,40", "--set", "token-limiter.marker=")).out + "lore:isle/1"
    )


@pytest.mark.parametrize(
    ("text", "value"), [("a=1", 1), ("a=1.5", 1.5), ("a=007", "007"), ("a=true", "true"), ("a=", ""), ("a=b=c", "b=c")]
)
def test_values_of_variables_are_numbers_where_they_look_like_it(text: str, value: object) -> None:
    assert variables_from([text]).session == {"a": value}


def test_a_variable_needs_a_name() -> None:
    with pytest.raises(WrongSetting, match="write NAME=VALUE"):
        variables_from(["=3"])


def test_a_book_that_came_with_the_agent_can_be_named(run, files, dumped, tmp_path: Path) -> None:
    entry = {"keys": ["reef"], "content": "The reef is hers.", "enabled": True, "insertion_order": 1, "extensions": {}}
    data = {"name": "Rill", "first_mes": "Ahoy.", "character_book": {"name": "Hers", "entries": [entry]}}
    card = dumped(tmp_path / "rill.card.json", {"spec": "chara_card_v2", "spec_version": "2.0", "data": data})

    assert "1 of 1 entry fired" in run("build", files.chat, "--agent", card, "--book", "Hers").out
    assert "there is no book 'Hrs'" in run("build", files.chat, "--agent", card, "--book", "Hrs").err
