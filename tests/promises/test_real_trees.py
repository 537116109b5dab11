"""Every real tree through random verbs, written in every format that keeps trees, and read back."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import History, Session
from ctxlab.errors import Refused, UnknownNode
from ctxlab.formats import branch_data, openai_messages
from tests.promises.acting import Act, acts

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
TREES = SHARED / "data" / "oasst" / "trees_60.jsonl"
FOLDER = pytest.mark.skipif(not TREES.exists(), reason=f"no real trees at {TREES.parent}")


@pytest.fixture(scope="module")
def trees() -> tuple[Session, ...]:
    return ctxlab.read(TREES).sessions


@FOLDER
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(done=st.lists(acts, min_size=5, max_size=15))
def test_every_tree_survives_verbs_and_files(trees: tuple[Session, ...], done: list[Act], tmp_path: Path) -> None:
    assert len(trees) == 60
    changed = [_through(tree, done) for tree in trees]

    ctxlab.write(changed, tmp_path / "trees.zip")
    back = ctxlab.read(tmp_path / "trees.zip").sessions

    assert [session.check() for session in changed] == [()] * 60
    assert [session.to_data() for session in back] == [session.to_data() for session in changed]
    for session in changed[:: max(1, len(done))]:
        ctxlab.write(session, tmp_path / "one.json")
        assert ctxlab.load(tmp_path / "one.json") == session


@FOLDER
@settings(max_examples=5, deadline=None)
@given(done=st.lists(acts, min_size=5, max_size=15))
def test_every_tree_comes_back_as_it_was(trees: tuple[Session, ...], done: list[Act]) -> None:
    for tree in trees:
        history = History(tree)
        for act in done:
            try:
                history.do(act.verb, *act.args_for(history.session), **act.fields_for(history.session))
            except (Refused, UnknownNode):
                continue

        while history.can_undo:
            history.undo()

        assert history.session.to_json() == tree.to_json()


@FOLDER
@settings(max_examples=3, deadline=None)
@given(done=st.lists(acts, min_size=5, max_size=10))
def test_a_branch_is_carried_or_its_losses_are_named(trees: tuple[Session, ...], done: list[Act]) -> None:
    for tree in trees[::6]:
        changed = _through(tree, done)
        words = [node.content for node in changed.path()[1:]]

        branch = ctxlab.read_data(branch_data(changed, changed.active_leaf_id).data)
        chat = openai_messages(changed)

        assert [node.content for node in branch.sessions[0].path()[1:]] == words or branch.losses
        sent = [message.get("content") or "" for message in chat.data]
        assert sent == words or chat.losses


def _through(tree: Session, done: list[Act]) -> Session:
    for act in done:
        tree = act.or_nothing(tree)
    return tree
