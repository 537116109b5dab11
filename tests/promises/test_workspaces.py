"""Promises of merges and of what is kept: nothing of either side is lost, and what is saved is what is read."""

from __future__ import annotations

import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import ChangedMeanwhile, Session
from ctxlab.storage.kinds import KINDS
from ctxlab.storage.merge_sessions import merged_sessions
from ctxlab.storage.tree_problems import tree_problems
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


@settings(deadline=None, max_examples=150)
@given(sessions(), st.data())
def test_the_list_knows_what_is_wrong_with_a_tree_as_its_check_does(session: Session, data: st.DataObject) -> None:
    stored = session.to_data()
    ids = st.sampled_from([*session.nodes, "nowhere"])
    links = st.one_of(
        st.tuples(st.just("parentId"), st.none() | ids),
        st.tuples(st.just("childrenIds"), st.lists(ids, max_size=3)),
        st.tuples(st.just("lastSelectedChildId"), st.none() | ids),
        st.tuples(st.just("id"), ids),
    )
    for key in data.draw(st.lists(st.sampled_from([*session.nodes]), max_size=2)):
        field, value = data.draw(links)
        stored["nodes"][key][field] = value
    for field in data.draw(st.sets(st.sampled_from(["rootNodeId", "activeLeafId"]))):
        stored[field] = data.draw(ids)

    read, _ = KINDS["sessions"].read(stored)

    assert set(tree_problems(stored)) == {note.details["kind"].replace("-", " ") for note in read.check()}
