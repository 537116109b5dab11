"""Promises of merges and of what is kept: nothing of either side is lost, and what is saved is what is read."""

from __future__ import annotations

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import ChangedMeanwhile, Session
from ctxlab.storage.merge_sessions import merged_sessions
from tests.promises.acting import Act, acts
from tests.promises.strategies import sessions

EDITS = st.lists(acts, max_size=5)


def acted(session: Session, acting: list[Act]) -> Session:
    for act in acting:
        session = act.or_nothing(session)
    return session


def words(session: Session) -> set[str]:
    return {node.content for node in session.nodes.values()}


@settings(deadline=None, max_examples=60)
@given(sessions(), EDITS, EDITS)
def test_a_merge_has_what_either_side_wrote_and_is_a_sound_tree(
    base: Session, theirs: list[Act], ours: list[Act]
) -> None:
    one, other = acted(base, theirs), acted(base, ours)

    merged = merged_sessions(base, one, other).session

    new = (words(one) | words(other)) - words(base)
    assert new <= words(merged)
    assert merged.nodes.keys() >= (one.nodes.keys() | other.nodes.keys()) - base.nodes.keys()
    if not (base.check() or one.check() or other.check()):
        assert merged.check() == ()


@settings(deadline=None, max_examples=40)
@given(sessions(), EDITS)
def test_a_side_that_changed_nothing_changes_nothing(base: Session, edits: list[Act]) -> None:
    changed = acted(base, edits)

    for theirs, ours in ((base, changed), (changed, base), (changed, changed)):
        merged = merged_sessions(base, theirs, ours)
        assert merged.conflicts == ()
        assert {id: (n.content, n.parent_id, n.is_enabled) for id, n in merged.session.nodes.items()} == {
            id: (n.content, n.parent_id, n.is_enabled) for id, n in changed.nodes.items()
        }


@settings(deadline=None, max_examples=12)
@given(sessions(), EDITS, EDITS)
def test_two_programs_lose_no_words(base: Session, theirs: list[Act], ours: list[Act]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one, other = ctxlab.open_workspace(folder), ctxlab.open_workspace(folder)
        first = one.save(base.model_copy(update={"id": "chat"}))
        mine = acted(first, ours)
        kept = other.save(acted(first, theirs))
        try:
            saved = one.save(mine)
        except ChangedMeanwhile as changed:
            assert changed.theirs == kept
            saved = one.save(mine, on_conflict="merge")

        assert other.session("chat") == saved
        assert (words(kept) | words(mine)) - words(first) <= words(saved)
