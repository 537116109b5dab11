"""What-ifs on real agent runs and chats; skipped where they are not at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ctxlab
from ctxlab.studies.what_if.context_change import context_change
from ctxlab.studies.what_if.sent_pieces import pieces_of

DATA = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data"
FILES = [
    (DATA / "tau-bench" / "airline_60.json", 3),
    *((path, 0) for path in sorted((DATA / "sharegpt").glob("*.json"))[:1]),
]

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason=f"real data is not at hand: there is no folder {DATA}")


def conversation(path: Path, number: int) -> ctxlab.Library:
    found = ctxlab.read(path)
    session = found.sessions[number]
    return ctxlab.Library(sessions=(session,), agents=found.agents[:1])


@pytest.mark.parametrize(("path", "number"), FILES, ids=lambda value: getattr(value, "stem", str(value)))
def test_replayed_turns_are_builds_of_their_own(path: Path, number: int) -> None:
    library = conversation(path, number)
    whole = ctxlab.build(library).tokens

    found = ctxlab.replay(library, {}, {"budget_tokens": max(200, whole // 2), "token-limiter.strategy": "block"})

    assert len(found) > 1
    for turn in list(found)[::5]:
        before = ctxlab.build(library, leaf=turn.node)
        try:
            after: ctxlab.Trace | str = ctxlab.build(
                library,
                leaf=turn.node,
                budget_tokens=max(200, whole // 2),
                settings={"token-limiter.strategy": "block"},
            )
        except ctxlab.CtxlabError as problem:
            after = f"{type(problem).__name__}: {problem}"
        assert str(turn.change) == str(context_change(before, after))


@pytest.mark.parametrize(("path", "number"), FILES, ids=lambda value: getattr(value, "stem", str(value)))
def test_a_message_alone_is_what_is_left_of_a_run(path: Path, number: int) -> None:
    trace = ctxlab.build(conversation(path, number))
    key = next(
        key for key, piece in pieces_of(trace.result.drafts).items() if piece.whole.role == "user" and piece.text
    )

    found = ctxlab.minimise(trace, keeps=key)

    assert list(pieces_of(found.trace.result.drafts)) == [key]
    assert found.trace.tokens < trace.tokens
