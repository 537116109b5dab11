"""Words typed nearly right: the line that says so names the next step, and that step works."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from ctxlab import api
from ctxlab.errors import WrongArgument
from tests.cli.conftest import DATASETS, Run, Written, entry

LORE = DATASETS / "harbour_lore.json"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--timestamp", "yesterday", "such as 2026-05-04T12:30:00Z, not 'yesterday'"),
        ("--timestamp", "2026-02-30", "such as 2026-05-04T12:30:00Z, not '2026-02-30'"),
        ("--zone", "Shangai", "not 'Shangai'; did you mean Asia/Shanghai?"),
        ("--zone", "Europe/Berln", "did you mean Europe/Berlin?"),
        ("--zone", "9" * 500, "names are like Asia/Shanghai"),
    ],
)
@pytest.mark.parametrize("command", ["build", "lore"])
def test_a_wrong_time_is_refused_before_a_file_is_read(
    run: Run, command: str, option: str, value: str, words: str
) -> None:
    result = run(command, "missing.json", option, value)

    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert f"{option} takes" in result.err
    assert words in result.err


def test_a_wrong_time_is_refused_in_python_too() -> None:
    session = api.load(DATASETS / "coding_chat.session.json")

    with pytest.raises(WrongArgument, match="timestamp takes a time in ISO 8601"):
        api.build(session, timestamp="yesterday")
    with pytest.raises(WrongArgument, match="did you mean Asia/Tokyo"):
        api.expand_input("{{time}}", zone="Asia/Tokio")
    assert api.build(session, timestamp="2026-05-04", zone="Asia/Tokyo").messages


def test_a_card_without_a_time_names_the_option_that_gives_it(run: Run, tmp_path: Path) -> None:
    card = tmp_path / "card.json"
    data = {"name": "Ann", "description": "It is {{time}}.", "first_mes": "Hi"}
    card.write_text(json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": data}), encoding="utf-8")

    out = run("build", card).out
    named = re.search(r"(--timestamp \S+) gives one", " ".join(out.split()))

    assert named is not None
    assert "It is ‹12:30 PM›." in run("build", card, *named[1].split()).out


def test_a_setting_typed_as_an_option_is_named(run: Run, harbour: Path) -> None:
    typed = run("build", harbour, "--strategy", "middle-out", "--budget", 1800)
    named = typed.err.partition("it is a setting: ")[2]

    assert named == "--set token-limiter.strategy=middle-out\n"
    assert run("build", harbour, *shlex.split(named), "--budget", 1800).code == 0
    assert "setting" not in run("build", harbour, "--soup", 9).err
    assert "setting" not in run("compare", harbour, "--strategy", "sliding").err  # whose own option is near


def test_a_missing_file_names_the_pipe(run: Run) -> None:
    assert "; - is standard input, as in: ctxlab build - < chat.json" in run("build").err
    assert "standard input" not in run("step").err


def test_a_budget_of_several_is_raised_by_the_option_of_several(run: Run, harbour: Path) -> None:
    assert "Raise --budgets," in run("compare", harbour, "--budgets", 10).err


@pytest.mark.parametrize("command", ["lore", "tree", "explain"])
def test_a_book_alone_is_advised_for_the_command(run: Run, command: str) -> None:
    err = run(command, LORE).err

    assert f"ctxlab {'explain' if command == 'explain' else 'lore'} CHAT --book" in err
    if command != "explain":
        assert "ctxlab lore --text WORDS --book" in err
        assert run("lore", "--text", "WORDS", "--book", LORE).code == 0


def test_lore_takes_what_a_build_takes(run: Run, files) -> None:
    given = ("lore", files.chat, "--book", files.book, "--rules", files.rules, "--json")
    options = ("--pending", "salt at {{time}}", "--timestamp", "2026-05-04", "--var", "a=1", "--budget", 500)

    fired = [{row["uid"]: row["fired"] for row in json.loads(run(*given, *more).out)} for more in ((), options)]

    assert (fired[0][4], fired[1][4]) == (False, True)
    for option in (("--agent", "a"), ("--pending", "hi"), ("--rules", "r.json")):
        refused = run("lore", "--text", "salt", "--book", files.book, *option)
        assert f"{option[0]} goes with the FILE of a conversation" in refused.err


def test_entries_of_several_books_say_of_which(run: Run, files, dumped, tmp_path: Path) -> None:
    other = dumped(tmp_path / "far.json", {"name": "Far", "entries": {"1": entry(1, "The reef", "reef")}})

    one = run("lore", "--text", "reef", "--book", files.book).out.splitlines()
    both = run("lore", "--text", "reef", "--book", files.book, "--book", other).out.splitlines()

    assert "book" not in one[2].split()
    assert both[2].split()[:2] == ["entry", "book"]
    assert sorted(line.split()[3] for line in both if line.startswith("✓ The reef")) == ["Far", "Isle"]


def test_the_beginning_of_an_id_is_taken(run: Run, dumped, tmp_path: Path) -> None:
    root = {"id": "root", "parentId": None, "role": "system", "content": ""}
    nodes = {"root": root}
    for above, id in (("root", "83fd0eb2-1"), ("83fd0eb2-1", "83fd77aa-2"), ("83fd77aa-2", "83fd77ab-3")):
        nodes[id] = {"id": id, "parentId": above, "role": "user", "content": f"words of {id}"}
    chat = dumped(tmp_path / "a.json", {"id": "s", "rootNodeId": "root", "activeLeafId": "83fd77ab-3", "nodes": nodes})

    whole = run("explain", chat, "--key", "83fd0eb2-1")

    assert whole.code == 0
    assert run("explain", chat, "--key", "83fd0").out == whole.out
    assert run("explain", chat, "--key", "node:83fd0").out == whole.out
    assert "begins 2 ids, 83fd77aa-2, 83fd77ab-3; give more" in run("explain", chat, "--key", "83fd7").err
    assert "no step had a message '83f'" in run("explain", chat, "--key", "83f").err


def test_sessions_of_one_id_are_told_by_their_files(run: Run, dumped, tmp_path: Path) -> None:
    for name in ("a", "b"):
        node = {"id": "r", "parentId": None, "role": "user", "content": f"words of {name}"}
        dumped(tmp_path / f"{name}.json", {"id": "s", "rootNodeId": "r", "activeLeafId": "r", "nodes": {"r": node}})

    several = run("build", tmp_path)
    last, first = run("build", tmp_path, "--pick", "s"), run("build", tmp_path, "--pick", 0)

    assert "'s' (a.json), 's' (b.json); of one id the last is used; say which" in several.err
    assert "2 sessions have the id 's'; the last, of b.json, is used, and --pick 0 takes the first" in last.err
    assert "words of b" in last.out
    assert "words of a" in first.out
    assert first.err == ""


@pytest.mark.parametrize(
    ("model", "meant"),
    [
        ("gpt4o", "gpt-4o"),
        ("gpt-4oo", "gpt-4o"),
        ("openai/gpt4.1", "gpt-4.1"),
        *((name, "") for name in ("gpt-4o", "gpt-4o-2026", "qwen3-32b", "gpt-2", "gpt-j", "claude-opus", "o3", "mine")),
    ],
)
def test_a_model_whose_name_is_nearly_known_is_asked_about(run: Run, written: Written, model: str, meant: str) -> None:
    out = run("build", written(("user", "hi")), "--model", model).out

    assert ("did you mean" in out) == bool(meant)
    assert not meant or f"model {model!r} is not known; did you mean {meant!r}?" in out


def test_the_nearest_change_says_where_it_is_made(run: Run, harbour: Path, files) -> None:
    asked = ("explain", harbour, "--book", LORE, "--entry", "The compass")

    nearest = " ".join(run(*asked).out.split())
    setting = re.search(r"it fires with (--set worldbook-processor.scan_depth=\d+), for all entries", nearest)

    assert setting is not None
    assert "✓" in run(*asked, *setting[1].split()).out
    assert "probability: 100 (edit the entry)" in " ".join(run("explain", *files.given("--entry", "Ferry")).out.split())
