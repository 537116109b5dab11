"""Progress of long work: what is printed without a terminal, and what a function is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import ctxlab
from ctxlab.display import progress
from ctxlab.display.progress import WorkProgress, progress_of
from ctxlab.errors import WrongArgument

TALK = ctxlab.Session(id="s").append("Where is the ship?", id="u").append("At sea.", role="assistant")
LONG_WORK: dict[str, Callable[[Any], object]] = {
    "study": lambda told: ctxlab.Study([ctxlab.Case("c", "s", TALK)], ["sliding"], [50, 90]).run(progress=told),
    "survey": lambda told: ctxlab.survey(TALK, strategies=["sliding"], budgets=[50], progress=told),
    "stream": lambda told: ctxlab.survey(iter([TALK]), strategies=["sliding"], budgets=[50], progress=told),
    "replay": lambda told: ctxlab.replay(TALK, {}, {}, progress=told),
    "ablate": lambda told: ctxlab.ablate(TALK, only=["step"], progress=told),
    "sweep": lambda told: ctxlab.sweep(
        TALK, {"presetMessages": [{"role": "system", "content": "Hi"}]}, what="preset:0", depths=[0, 1], progress=told
    ),
    "minimise": lambda told: ctxlab.minimise(ctxlab.build(TALK), keeps="ship", progress=told),
    "ensure_transcripts": lambda told: ctxlab.ensure_transcripts(TALK, progress=told),
}


@pytest.mark.parametrize("name", LONG_WORK)
def test_a_function_is_called_with_the_share_that_is_done(name: str) -> None:
    shares: list[float] = []

    LONG_WORK[name](shares.append)

    assert shares[-1] == 1
    assert shares == sorted(shares)


@pytest.mark.parametrize("name", LONG_WORK)
def test_progress_is_a_function_or_yes_or_no(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(WrongArgument, match="progress takes"):
        LONG_WORK[name]("yes")

    LONG_WORK[name](True)
    assert capfd.readouterr().err == "", "what takes under a second shows nothing"


def printed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *, shown: bool = True) -> list[str]:
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
    with WorkProgress("cells", 1000, shown) as cells:
        for _ in range(100):
            cells.advance(10)
    with progress_of("replay", shown) as report:
        report(0.55)
        report(1.0)
    return capsys.readouterr().err.splitlines()


def test_without_a_terminal_there_are_a_few_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = printed(capsys, monkeypatch)

    assert [line.split(",")[0] for line in lines[:9]] == [f"{n} of 1" for n in range(100, 1000, 100)]
    assert lines[9] == "1,000 of 1,000 cells"
    assert [line.split(",")[0] for line in lines[10:]] == ["replay: 55%", "replay: 100%"]


def test_nothing_is_shown_where_nothing_is_wanted(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(capsys, monkeypatch, shown=False) == []


def test_in_a_notebook_one_line_is_replaced(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[tuple[str, str, bool]] = []

    def publish(data: dict[str, str], *, transient: dict[str, str], update: bool) -> None:
        published.append((data["text/plain"], transient["display_id"], update))

    monkeypatch.setattr(progress.NotebookLine, "here", lambda: progress.NotebookLine(publish))
    with WorkProgress("cells", 1000, progress=True) as cells:
        cells.advance(500)
    assert published == [], "what takes under a second shows nothing"

    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "UPDATE_SECONDS", 0.0)
    with WorkProgress("cells", 1000, progress=True) as cells:
        for _ in range(4):
            cells.advance(250)

    assert [text.split(",")[0].split(" of")[0] for text, _, _ in published] == ["250", "500", "750", "1", "1"]
    assert published[-1][0] == "1,000 of 1,000 cells"
    assert "left" in published[0][0]
    assert len({id for _, id, _ in published}) == 1
    assert [update for _, _, update in published] == [False, True, True, True, True]
    assert capsys.readouterr().err == ""


def test_the_time_left_is_by_the_pace_of_what_was_not_there_before() -> None:
    work = WorkProgress("cells", 100, progress=False)

    work.advance(50, reused=True)
    assert work.line(10) == "50 of 100 cells"
    work.advance(10)

    assert work.line(10) == "60 of 100 cells, about 40 s left"
