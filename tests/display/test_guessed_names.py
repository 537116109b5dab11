"""Names that people guess are answered with what there is, and values copy and pickle as before."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import ctxlab
from ctxlab.display.guessed_names import GUESSES


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    session = ctxlab.Session(id="s").append("Hello there")
    return {
        "Trace": ctxlab.build(session),
        "Session": session,
        "Library": ctxlab.Library(sessions=(session,)),
        "StudyResult": ctxlab.survey(session, strategies=["sliding"], budgets=[None], progress=False),
        "ctxlab": ctxlab,
    }


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        ("Trace", "frame", "ledger(), cuts(), budget() and table(name) are frames"),
        ("Trace", "save", "messages is what is sent"),
        ("Trace", "legder", "did you mean 'ledger'?"),
        ("Session", "nodes_frame", "did you mean 'frame'"),
        ("Session", "leafs", "did you mean 'leaf"),
        ("Library", "sesions", "did you mean 'session"),
        ("StudyResult", "to_csv", "frame() has a row a cell"),
        ("ctxlab", "tree", "session.figure() draws a conversation as a tree"),
        ("ctxlab", "biuld", "did you mean 'build'?"),
    ],
)
def test_a_guessed_name_is_answered_with_what_there_is(
    values: dict[str, Any], owner: str, name: str, said: str
) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(values[owner], name)

    assert said in str(raised.value)
    assert repr(name) in str(raised.value)


def test_what_a_hint_names_is_there_and_what_it_is_for_is_not(values: dict[str, Any]) -> None:
    for owner, value in values.items():
        for name in GUESSES[owner]:
            assert not hasattr(value, name), f"{owner}.{name} is there"
    assert {"ledger", "cuts", "budget", "table", "messages"} <= set(dir(values["Trace"]))
    assert {"figure", "frame", "path", "nodes"} <= set(dir(values["Session"]))
    assert {"read", "write", "check", "branches", "build"} <= set(dir(ctxlab))


def test_hints_change_nothing_else(values: dict[str, Any]) -> None:
    for value in (values["Session"], values["Library"], values["Trace"]):
        assert not hasattr(value, "__array__")
        assert getattr(value, "nothing_of_the_kind", 5) == 5
        assert type(pickle.loads(pickle.dumps(value))) is type(value)
        assert type(copy.copy(value)) is type(value)
    with pytest.raises(AttributeError, match="nowhere") as raised:
        _ = values["Session"].nowhere
    assert "nowhere" in str(pickle.loads(pickle.dumps(raised.value)))


def test_an_error_inside_a_property_is_its_own() -> None:
    from ctxlab.display.guessed_names import WithHints

    class Broken(WithHints):
        @property
        def size(self) -> int:
            return [].length  # type: ignore[attr-defined]

    with pytest.raises(AttributeError, match="length"):
        _ = Broken().size
