"""The plugins that docs/extending shows, each used as a reader would use it once it is installed."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import ctxlab
from docs._ext.installed_plugin import PLUGINS, installed_plugin

FOLDERS = sorted(path.parent.name for path in PLUGINS.glob("*/pyproject.toml"))
LONGEST = 60
"""Lines of the module of a plugin, so that a page of it is read in one go."""


@pytest.fixture
def plugin(request: pytest.FixtureRequest) -> Iterator[None]:
    """The plugin that the test is named after: `test_step_...` has that of the folder `step`."""
    with installed_plugin(request.node.name.split("_")[1]):
        yield


def chat(*texts: str) -> ctxlab.Session:
    messages = [{"role": ("user", "assistant")[n % 2], "content": text} for n, text in enumerate(texts)]
    return ctxlab.read_data(messages).pick()


@pytest.mark.usefixtures("plugin")
def test_step_hides_numbers_and_says_that_it_did() -> None:
    session = chat("Call 5550199 about bay 12.")

    trace = ctxlab.build(session)

    assert trace.messages[-1]["content"] == "Call [number] about bay 12."
    (found,) = trace.where("[number]")
    assert "hide-numbers" in str(found)
    roomier = trace.rerun({"hide-numbers.digits": 8})
    assert roomier.messages[-1]["content"] == "Call 5550199 about bay 12."


@pytest.mark.usefixtures("plugin")
def test_format_is_read_and_written_with_its_losses(tmp_path: Path) -> None:
    ticket = {"ticket": 7, "talk": [{"by": "customer", "says": "It hums."}, {"by": "desk", "says": "Since when?"}, 3]}
    (tmp_path / "in.ticket.json").write_text(json.dumps(ticket))

    found = ctxlab.read(tmp_path / "in.ticket.json")
    ctxlab.write(found.pick(), tmp_path / "out.ticket.json")

    assert [(node.role, node.content) for node in found.pick().path() if node.content] == [
        ("user", "It hums."),
        ("assistant", "Since when?"),
    ]
    assert [str(loss) for loss in found.losses] == ["talk[2]: nothing is said in it; left out"]
    assert json.loads((tmp_path / "out.ticket.json").read_bytes())["talk"] == ticket["talk"][:2]


@pytest.mark.usefixtures("plugin")
def test_strategy_keeps_the_users_words_and_is_true_of_what_goes() -> None:
    session = chat(*(f"message {n} " + "word " * 20 for n in range(11)))
    settings = {"token-limiter.strategy": "user-first", "token-limiter.newest_units": 0}

    trace = ctxlab.build(session, budget_tokens=190, settings=settings)

    sent = [message["role"] for message in trace.messages]
    assert set(sent) == {"user"}
    assert "its turn comes after m9" in str(trace.why("node:m1"))
    assert "a budget of 300 or more" in str(trace.why("node:m1"))
    kept = trace.rerun({"token-limiter.budget_tokens": 300})
    assert any("message 1 " in message["content"] for message in kept.messages)
    lost = trace.rerun({"token-limiter.budget_tokens": 299})
    assert not any("message 1 " in message["content"] for message in lost.messages)
    report = trace.result.report(ctxlab.BudgetReport)
    assert report is not None
    assert report.strategy == "user-first"


@pytest.mark.usefixtures("plugin")
def test_anchor_is_a_place_for_presets() -> None:
    presets = [
        {"role": "system", "type": "weather", "content": "It rains."},
        {
            "role": "system",
            "content": "Look out:",
            "injectionStrategy": {"type": "anchor", "anchorTarget": "weather", "anchorPosition": "before"},
        },
    ]

    trace = ctxlab.build(chat("hi"), ctxlab.Agent.model_validate({"id": "a", "presetMessages": presets}))

    assert trace.messages[0]["content"].split("\n\n---\n\n") == ["Look out:", "It rains."]
    assert trace.result.notes == ()


@pytest.mark.usefixtures("plugin")
def test_provider_writes_its_body_for_its_own_address() -> None:
    payload = ctxlab.payload(ctxlab.build(chat("hi")), provider="house")

    assert payload.url == "http://localhost:9000/v1/chat/completions"
    assert payload.body == {"model": "house-small", "messages": [{"role": "user", "content": "hi"}]}
    assert payload.problems == ()
    assert payload.provider.auth("k") == {"X-House-Key": "k"}


@pytest.mark.usefixtures("plugin")
def test_scorer_fills_a_column_of_a_study() -> None:
    study = ctxlab.Study(
        [ctxlab.Case("a", "talk", chat("four", "12345678", "more"))], ["sliding"], scorers=["user-share"]
    )

    frame = study.run(progress=False).frame()

    assert list(frame["user_share"]) == [0.5]


@pytest.mark.usefixtures("plugin")
def test_finding_speaks_of_notes_in_the_prompt_and_not_of_what_users_say() -> None:
    messages = [
        {"role": "system", "content": "Be brief. TODO: the tone"},
        {"role": "user", "content": "What does TODO mean?"},
    ]

    (found,) = (each for each in ctxlab.check(messages) if each.rule == "left-in-todo")

    assert (found.level, found.tokens > 0) == ("warning", True)
    assert "“TODO: the tone”" in found.text
    assert (found.places[0].start, found.places[0].end) == (10, 24)


@pytest.mark.usefixtures("plugin")
def test_widget_is_drawn_of_a_run_and_offered_for_it() -> None:
    from ctxlab.display.views import view_for

    trace = ctxlab.build(chat("four", "12345678"))
    view = view_for("trace")

    assert view is not None
    assert view.__module__ == "role_bar"
    from role_bar import RoleBar  # pyright: ignore[reportMissingImports]

    parts = RoleBar(trace).parts
    assert [(part["role"], part["characters"]) for part in parts] == [("user", 4), ("assistant", 8)]


@pytest.mark.parametrize("name", FOLDERS)
def test_a_page_shows_its_whole_plugin(name: str) -> None:
    project = tomllib.loads((PLUGINS / name / "pyproject.toml").read_text())
    (module,) = (PLUGINS / name).glob("*.py")
    page = PLUGINS / f"{name}.md"

    assert len(module.read_text().splitlines()) <= LONGEST
    assert {f"{{literalinclude}} {name}/{file}" for file in ("pyproject.toml", module.name)} <= {
        line.removeprefix("```") for line in page.read_text().splitlines()
    }
    assert project["project"]["entry-points"]
    with installed_plugin(name):
        trace = ctxlab.build(chat("hi"))
    assert [note.text for note in trace.result.notes] == []


def test_history_before_the_cut_is_told_from_presets_and_entries_as_the_page_says() -> None:
    trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=2_000)

    history = {draft.key for draft in trace.upto("session-loader").result.drafts}
    sent = {part.key for draft in trace.result.drafts for part in draft.parts}

    assert all(key.startswith("node:") for key in history)
    assert {key.partition(":")[0] for key in sent} == {"node", "preset", "lore"}
    cut = set(trace.cuts().query("step == 'token-limiter'")["key"])
    assert cut and cut <= history - sent
