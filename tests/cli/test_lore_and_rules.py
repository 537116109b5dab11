"""`ctxlab explain` and `ctxlab step` tell what lore, rules, macros and variables did."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from ctxlab.cli.commands.step import Prompt
from ctxlab.cli.inputs.files import load
from ctxlab.cli.inputs.options import CommandOptions
from ctxlab.cli.output.terminal import THEME, Screen


def test_steps_say_what_they_decided(run, files) -> None:
    out = run("build", *files.given()).out

    assert "2 rewritten; 1 rule, 2 hits" in out
    assert "3 of 5 entries fired" in out
    assert "‹User› and the pilot." in out


def test_a_lore_entry_that_fired_is_told_in_sentences(run, files) -> None:
    out = run("explain", *files.given("--entry", "the reef")).out

    assert out.splitlines() == [
        "✓ The reef  lore:isle/1  Isle",
        "├─ fired    because 'reef' stands in node:m2",
        "├─ keys     reef",
        "├─ seen     “reef” in m2, characters 3 to 7: 礁石 reef!",
        "├─ placed   at depth 1 of the history, as system, order 100: it is in message 4",
        "├─ tokens   8, and 3 more around it as a message of its own",
        "├─ nearest  it stays out with none of its keys",
        "└─ price    22 tokens fewer in the prompt: its own 8; no longer 老领航员 · The pilot (8); 6 around 2 messages",
    ]


def test_an_entry_called_up_by_another_names_it(run, files) -> None:
    out = run("explain", *files.given("--entry", "领航员")).out

    assert "in pass 2: other lore called it up" in out
    assert "“pilot” in lore:isle/1, characters 32 to 37: The reef fears {{user}} and the pilot." in out


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "ferry",
            ["⊘ Ferry", "blocked  at gate probability: ", "“ferry” in m1, characters 4 to 9", "probability: 100"],
        ),
        ("4", ["○ Salt tax", "not hit  none of its keys stands in the newest 2 messages", "a message with 'salt'"]),
        ("Bell", ["✓ Bell", "because it is constant", "it is not sent, injection-assembler / outlet: "]),
    ],
)
def test_an_entry_that_is_not_sent_says_why_and_what_it_would_take(run, files, name: str, words: list[str]) -> None:
    out = run("explain", *files.given("--entry", name)).out

    for each in words:
        assert each in out


def test_words_of_lore_name_the_entry_the_key_and_the_place(run, files) -> None:
    out = run("explain", *files.given("--text", "fears User")).out

    assert "“The reef”" not in out.splitlines()[0]
    assert "from lore isle/1 “The reef”, because 'reef' stands in node:m2" in out
    assert "“User” from macro {{user}}, which stood at character 15, substitute phase" in out
    assert out.count("called up by “reef” in m2, characters 3 to 7") == 1
    assert "placed at depth 1 of the history, as system, order 100" in out


def test_words_that_a_rule_took_out_name_it(run, files) -> None:
    out = run("explain", *files.given("--text", "*waves*")).out

    place = "replaced in message 1, characters 0 to 7 of the text after session-loader"
    assert f"{place}: by global rule 'No asides' of preset 'Tidy'" in out


def test_a_rule_says_what_it_did_to_each_message(run, files) -> None:
    out = run("explain", *files.given("--rule", "no asides")).out

    assert out.splitlines() == [
        "No asides  of Tidy, everywhere",
        r"│ \*[^*]+\* ? with flags g becomes nothing",
        "│ for system, user, assistant, in what is sent",
        "├─ m0       “*waves*” → nothing",
        "├─ m1       “*sighs*” → nothing",
        "├─ 2 hits in 2 of 3 messages",
        "└─ passes by 1 message: it finds nothing there",
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ship", "it changes no message\n├─ passes by 2 messages: it is for assistant, not for user"),
        ("off", "it changes nothing that is sent: it is switched off"),
        ("broken", "rule 'Broken' of preset 'Tidy' is left out: it doesn't compile"),
    ],
)
def test_a_rule_that_changed_nothing_says_why(run, files, name: str, words: str) -> None:
    assert words in run("explain", *files.given("--rule", name)).out


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["--entry", "Sald tax"], "there is no lore entry 'Sald tax'; did you mean 'Salt tax'?"),
        (["--rule", "No aside!"], "there is no rule 'No aside!'; did you mean 'No asides'?"),
        (["--entry", "Salt tax", "--rule", "Ship"], "give one of them"),
        (["--entry", "Salt tax", "--until", "session-loader"], "nothing is decided on lore yet"),
        (["--var", "coins"], "'coins' is no variable; write NAME=VALUE"),
    ],
)
def test_what_is_not_there_is_one_line(run, files, asked: list[str], words: str) -> None:
    result = run("explain", *files.given(*asked))

    assert (result.code, result.out) == (2, "")
    assert words in result.err
    assert result.err.count("\n") == 1


def test_answers_come_as_json(run, files) -> None:
    (row,) = json.loads(run("explain", *files.given("--entry", "4", "--format", "json")).out)
    (rule,) = json.loads(run("explain", *files.given("--rule", "asides", "--format", "json")).out)
    (place,) = json.loads(run("explain", *files.given("--text", "fears", "--format", "json")).out)
    (life,) = json.loads(run("explain", *files.given("--key", "lore:isle/1", "--format", "json")).out)

    assert (row["standing"], row["gate"], row["nearest"]) == ("not hit", "no-key", {"message": "salt"})
    assert [hit["key"] for hit in rule["hits"]] == ["node:m0", "node:m1"]
    assert place["spans"][0]["origin"] == {"kind": "lore", "id": "isle/1"}
    assert life["sent"] and life["events"][0]["step"] == "injection-assembler"
    assert run("explain", *files.given("--text", "nowhere", "--format", "json"))[:2] == (1, "[]\n")


def test_the_debugger_shows_decisions_hits_and_variables(run, files) -> None:
    out = run("step", *files.given("--var", "coins=3"), stdin="r\nlore\nlore salt\nrules\nrules ship\nvars\nq\n").out

    assert "5 entries: 3 fired, 1 blocked, 1 not hit; " in out
    assert "✓ Bell                         it is constant  fired, not sent" in out
    assert "○ Salt tax" in out and "a message with 'salt'" in out
    assert "No asides  of Tidy, everywhere  2 hits in 2 messages" in out
    assert "Ship  of Tidy, everywhere" in out
    assert "1 variable; none changed by asset-resolver" in out


def test_the_debugger_says_what_a_step_did_to_variables(run, files, dumped, tmp_path: Path) -> None:
    agent = {
        "id": "a",
        "name": "Ann",
        "presetMessages": [{"id": "p", "role": "system", "content": "{{setvar::mood::wet}}."}],
    }
    path = dumped(tmp_path / "ann.agent.json", agent)
    typed = "u knowledge-processor\nvars\nq\n"

    out = run("step", files.chat, "--agent", path, "--var", "coins=3", stdin=typed).out

    assert "sets mood" in out
    assert "2 variables; 1 changed by injection-assembler" in out
    assert "~  mood   -       wet    this conversation" in out


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("lore", "nothing is decided on lore yet"),
        ("rules", "regex-processor wasn't done yet"),
        ("vars", "no step is done yet"),
        ("lore Nobody", "nothing is decided on lore yet"),
        ("rules Nobody", "there is no rule 'Nobody'"),
    ],
)
def test_what_the_debugger_cannot_show_yet_is_one_line(run, files, command: str, words: str) -> None:
    out = run("step", *files.given(), stdin=f"{command}\nq\n").out

    assert f"× {words}" in out


def test_nothing_that_a_terminal_obeys_gets_through(run, files, dumped, tmp_path: Path) -> None:
    evil = "\x1b[31mred\u202e"
    entries = [{"uid": 1, "key": ["reef"], "comment": evil, "content": evil}, {"uid": 2, "key": [evil], "content": "b"}]
    book = dumped(tmp_path / "evil.json", {"name": evil, "entries": {"1": entries[0], "2": entries[1]}})
    rules = dumped(
        tmp_path / "evil.rules.json",
        {
            "id": evil,
            "name": evil,
            "rules": [
                {
                    "id": evil,
                    "name": evil,
                    "regex": "reef",
                    "replacement": evil,
                    "applyTo": {"render": True, "request": True},
                }
            ],
        },
    )
    typed = f"r\nlore\nrules\nlore 1\nlore 2\nrules {evil}\nwhere red\nq\n"

    out = run("step", files.chat, "--book", book, "--rules", rules, stdin=typed).out

    assert "\x1b" not in out
    assert "\u202e" not in out


@pytest.mark.parametrize("width", [60, 100])
def test_nothing_is_wider_than_the_terminal(files, width: int) -> None:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, color_system=None, theme=THEME, highlight=False)
    asked = CommandOptions(
        files.chat, books=(str(files.book),), rules=(str(files.rules),), variables=("硬币=一百二十",)
    )
    prompt = Prompt(Screen(console), load(asked).debugger())

    for command in ("r", "lore", "lore pilot", "lore ferry", "rules", "rules no asides", "vars", "where fears User"):
        prompt.do(command)

    lines = out.getvalue().splitlines()
    assert len(lines) > 50
    assert not [line for line in lines if cell_len(line) > width]
    assert any("老领航员 · The pilot" in line for line in lines)


def test_the_bundled_book_and_rules_are_told(run, harbour) -> None:
    given = (
        harbour,
        "--book",
        harbour.with_name("harbour_lore.json"),
        "--rules",
        harbour.with_name("harbour_rules.json"),
    )

    compass = run("explain", *given, "--entry", "罗盘").out
    directions = run("explain", *given, "--rule", "short-directions").out

    assert "⊘ 罗盘 · The compass  lore:harbour_lore/9" in compass
    assert "keys     罗盘, compass; and one of 鹭, heron, grandfather, 背面" in compass
    assert "it fires with scan depth: 3" in compass
    assert "for assistant, at depth 5 or deeper, in what is sent" in directions
    assert "passes by 2 messages: it is not for that depth" in directions


def test_where_the_path_ends_with_an_answer_the_leaf_of_its_prompt_is_named(run, written) -> None:
    answered = written(("user", "Hi?"), ("assistant", "Yes."))
    asked = run("build", written(("user", "Hi?"), name="asked.json")).out

    out = run("build", answered).out

    line = next(line for line in out.splitlines() if "is an answer" in line)
    leaf = line.split("--leaf ")[1].split(" was")[0]
    assert run("build", answered, "--leaf", leaf, "--format", "json").out.count('"role"') == 1
    assert "is an answer" not in asked
    for option in (("--leaf", leaf), ("--pending", "And?")):
        assert "is an answer" not in run("build", answered, *option).out
