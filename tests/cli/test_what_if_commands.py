"""`ctxlab minimise` and `ctxlab ablate`: what Python gives, for people and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import ctxlab
from ctxlab.pipeline import Trace
from tests.cli.conftest import DATASETS

CODING = DATASETS / "coding_chat.session.json"
BUDGET = ("--budget", 2000)


def test_minimise_prints_what_python_gives(run: Any, built: Callable[..., Trace]) -> None:
    found = ctxlab.minimise(built("coding_chat", budget_tokens=2000), keeps=["node:a14", "10 ms now"])
    call = ("minimise", CODING, *BUDGET, "--keeps", "node:a14", "--keeps", "10 ms now")

    data = json.loads(run(*call, "--format", "json").out)
    text = run(*call).out

    assert data["pieces"] == found.rows()
    assert (data["tokens"], data["messages"], data["builds"]) == (found.trace.tokens, 1, found.runs)
    stays, gone = text.split("taken out")
    assert f"1 message of 11, {found.trace.tokens:,} of 1,972 tokens" in stays
    assert all(row["key"] in (stays if row["state"] == "kept" else gone) for row in found.rows())


def test_minimise_says_where_nothing_can_go_and_counts_what_is_not_shown(run: Any, written: Any) -> None:
    one = written(("user", "Is it flaky?"))
    many = written(*[("user" if i % 2 else "assistant", f"word{i}.") for i in range(41)], name="many.json")

    assert "nothing could be taken out" in run("minimise", one, "--keeps", "flaky").out
    assert "and 10 more; --format json has all" in run("minimise", many, "--keeps", "word7.").out


def test_a_message_that_is_named_by_its_id_alone_is_told_its_key(run: Any) -> None:
    result = run("minimise", CODING, *BUDGET, "--keeps", "a14")

    assert result.code == 2
    assert "node:a14 names the message of this id" in result.err
    assert "names the message" not in run("minimise", CODING, *BUDGET, "--keeps", "a1").err


def test_ablate_prints_what_python_gives(run: Any, built: Callable[..., Trace]) -> None:
    from ctxlab.studies.what_if.ablate import ablate

    found = ablate(built("coding_chat", budget_tokens=2000), only=["step", "preset"])
    call = ("ablate", CODING, *BUDGET, "--only", "step,preset")

    rows = json.loads(run(*call, "--format", "json").out)
    lines = run(*call).out.splitlines()

    assert rows == [row.as_data() for row in found]
    told = [row for row in found if row.effect]
    assert [line.split("  ")[0] for line in lines if line.startswith(tuple(str(row.change) for row in told))] == [
        str(row.change) for row in told
    ]
    assert lines[-1] == f"{len(found) - len(told)} of {len(found)} changes without effect"
