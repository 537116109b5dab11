"""Truncation strategies that other packages bring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.engines.truncation import strategies
from ctxlab.pipeline import plugin_processors
from ctxlab_widgets import TokenBudget

MODULE = '''
from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from ctxlab.engines.truncation import Kept, KeptRange, Reason, Traits, Verdict


@dataclass(frozen=True)
class NewestOnly:
    """Keep at most so many of the newest units that may go."""

    name: ClassVar[str] = "newest-only"
    traits: ClassVar[Traits] = Traits(keeps_one_end=True, main_setting="most_units", step=1)
    most_units: Annotated[int, Field(ge=0, title="Most units", description="Units that stay.")] = 1

    def cut(self, window):
        free = list(window.free_units())
        verdict = window.keep_while_they_fit(free[: self.most_units])
        gone = free[len(verdict.keep) :]
        if not gone:
            return verdict
        from ctxlab.engines.truncation import Border
        border = verdict.border or Border(window.cost(gone[0]), 0, gone[0].at)
        reason = Reason("older than the newest", range(10**9), border)
        return Verdict(verdict.keep, {}, border, verdict.spent, (reason,))

    def kept(self, window, unit):
        return Kept(unit.at, (KeptRange(window.cost_up_to(unit, window.free_units())),))

    def describe(self):
        return "keeps a number of the newest"


@dataclass(frozen=True)
class Taken(NewestOnly):
    name: ClassVar[str] = "sliding"


@dataclass(frozen=True)
class Untitled(NewestOnly):
    name: ClassVar[str] = "untitled"
    plain: int = 3


class Traitless:
    name = "traitless"
    cut = kept = describe = lambda self: None
'''

Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    def install(*points: str) -> None:
        (tmp_path / "acme_cuts.py").write_text(MODULE)
        about = tmp_path / "acme_cuts-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-cuts\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.strategies]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget()

    def forget() -> None:
        plugin_processors.cache_clear()
        strategies.cache_clear()

    yield install
    monkeypatch.undo()
    forget()


def chat() -> ctxlab.Session:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": f"message {n}"} for n in range(9)]
    return ctxlab.read_data(messages).pick()


def test_a_strategy_of_another_package_runs_with_its_own_settings(installed: Installed) -> None:
    installed("newest = acme_cuts:NewestOnly")

    trace = ctxlab.build(
        chat(),
        budget_tokens=1_000,
        settings={"token-limiter.strategy": "newest-only", "token-limiter.most_units": 2},
    )

    assert [message["content"] for message in trace.messages] == ["message 6", "message 7", "message 8"]
    report = trace.result.report(ctxlab.BudgetReport)
    assert report is not None
    assert (report.strategy, report.kept, report.cut) == ("newest-only", 3, 6)
    with pytest.raises(ctxlab.CtxlabError, match="most_units"):
        trace.rerun({"token-limiter.most_units": -1})


def test_forms_and_widgets_know_it(installed: Installed) -> None:
    installed("newest = acme_cuts:NewestOnly")
    trace = ctxlab.build(chat(), budget_tokens=1_000)

    form = next(row for row in trace.pipeline.as_data() if row["id"] == "token-limiter")["settings"]
    assert "newest-only" in form["strategy"]["choices"]
    assert (form["most_units"]["title"], form["most_units"]["minimum"]) == ("Most units", 0)
    widget = TokenBudget(trace)
    widget.set_strategy("newest-only", most_units=1)
    shown = json.loads(widget.view)
    assert (shown["strategy"], shown["one_cut"], shown["by_units"]) == ("newest-only", True, False)
    offered = {each["name"]: each for each in json.loads(widget.choices)["strategies"]}
    assert [number["name"] for number in offered["newest-only"]["numbers"]] == ["most_units"]


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("broken = nomodule:Nope", "ModuleNotFoundError: No module named 'nomodule'"),
        ("broken = acme_cuts:MODULE", "AttributeError"),
        ("broken = acme_cuts:dataclass", "it is no class with cut, kept, describe"),
        ("broken = acme_cuts:Taken", "there is a strategy 'sliding' already; names are unique"),
        ("broken = acme_cuts:Traitless", "Traitless has no traits"),
        ("broken = acme_cuts:Untitled", "its setting 'plain' has no title and description"),
    ],
)
def test_a_broken_one_is_named_and_left_out(installed: Installed, point: str, why: str) -> None:
    installed(point)

    trace = ctxlab.build(chat(), budget_tokens=1_000)

    (note,) = [note for note in trace.start.notes if "acme-cuts" in note.text]
    assert why in note.text
    assert len(trace.messages) == 9
