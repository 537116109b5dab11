"""A prompt that is one text is read by the template that `--template` names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

OWN = "{% for m in messages %}«{{ m.role }}» {{ m.content }} ¶{% endfor %}"
PROMPT = "«system» Be brief. ¶«user» Where is the lamp? ¶«assistant» East. ¶«user» Why? ¶"


@pytest.fixture
def typed(tmp_path: Path) -> tuple[Path, Path]:
    """The prompt and the template that wrote it."""
    prompt, template = tmp_path / "prompt.txt", tmp_path / "mine.jinja"
    prompt.write_text(PROMPT, "utf-8")
    template.write_text(OWN, "utf-8")
    return prompt, template


def test_a_request_is_shown_by_the_roles_of_its_template(run, typed: tuple[Path, Path]) -> None:
    prompt, template = typed
    asked = ("build", prompt, "--request", "1", "--format", "json")

    plain, told = (json.loads(run(*asked, *more).out) for more in ((), ("--template", template)))

    assert [(each["role"], each["content"]) for each in told] == [
        ("system", "Be brief."),
        ("user", "Where is the lamp?"),
        ("assistant", "East."),
        ("user", "Why?"),
    ]
    assert [each["role"] for each in plain] == ["user"]


def test_explain_takes_the_template_too(run, typed: tuple[Path, Path]) -> None:
    prompt, template = typed

    out = run("explain", prompt, "--request", "1", "--template", template).out
    assert [line.split()[1] for line in out.splitlines() if "sent in message" in line] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_check_asks_its_rules_about_the_messages(run, typed: tuple[Path, Path]) -> None:
    prompt, template = typed
    result = run("check", prompt, "--template", template)

    assert result.code == 0
    wrong = run("check", prompt, "--template", template.with_name("nowhere.jinja"))
    assert wrong.code == 2
    assert "nowhere.jinja" in wrong.err


def test_another_option_of_a_build_is_still_refused_beside_a_request(run, typed: tuple[Path, Path]) -> None:
    prompt, template = typed
    result = run("build", prompt, "--request", "1", "--template", template, "--budget", "100")

    assert result.code == 2
    assert "--budget" in result.err


def test_a_request_of_another_recording_takes_no_template(run, typed: tuple[Path, Path], tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    (tmp_path / "bodies.jsonl").write_text(json.dumps(body) + "\n")
    result = run("build", tmp_path / "bodies.jsonl", "--request", "1", "--template", typed[1])

    assert result.code == 2
    assert "--template" in result.err
