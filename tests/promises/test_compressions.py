"""Laws of compression: nothing is split, nothing else changes, everything can be had back."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.chat.compression import Compression, LegalCuts, VisiblePath, with_summary_nodes
from ctxlab.context import Draft
from ctxlab.context.tool_pairs import units_newest_first
from ctxlab.documents import Session
from ctxlab.engines.tokens import tokenizer_named
from ctxlab.pipeline import Pipeline
from ctxlab.processors import MergeConsecutive, MergeSystem, SessionLoader
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import rich_sessions, sessions

LOADER = Pipeline.of([SessionLoader()])
LAW = settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
COUNTER = tokenizer_named("chars4+4")
PIECE = re.compile(r"[^\W\u2e80-\uffff]+|\S")


class PieceTokenizer(WordTokenizer):
    """One token a word, a Chinese character or a mark."""

    def count(self, text: str) -> int:
        return len(PIECE.findall(text))


def one_line(messages: Sequence[Any]) -> str:
    return "a summary"


def compressed(session: Session, **options: Any) -> Compression:
    return ctxlab.compress(session, pipeline=LOADER, tokenizer=COUNTER, summariser=one_line, **options)


def compressed_somewhere(data: st.DataObject, session: Session, **options: Any) -> Compression:
    """A compression of a range of visible messages."""
    ids = [node.id for node in VisiblePath.of(session).nodes]
    assume(ids)
    first, last = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids))
    own = {"protect_recent_count": data.draw(st.integers(0, 2)), "keep_exchanges_whole": data.draw(st.booleans())}
    return compressed(session, first=first, last=last, compression=own, **options)


@LAW
@given(rich_sessions(), st.data())
def test_no_tool_pair_is_split(session: Session, data: st.DataObject) -> None:
    done = compressed_somewhere(data, session)

    drafts = done.before.result.drafts
    gone = {f"node:{key}" for key in done.hides}
    for unit in units_newest_first(drafts):
        members = {drafts[i].key for i in unit.at if drafts[i].role != "system"}
        assert members <= gone or not members & gone


@LAW
@given(rich_sessions(), st.data())
def test_what_is_sent_is_the_same_without_what_is_hidden_and_with_the_summary(
    session: Session, data: st.DataObject
) -> None:
    done = compressed_somewhere(data, session)

    before = [draft.key for draft in done.before.result.drafts]
    after = [draft.key for draft in done.after.result.drafts]
    if done.changes_nothing:
        assert after == before and done.session == session
        return
    gone = {f"node:{key}" for key in done.hides}
    assert [key for key in after if key != f"node:{done.summary_id}"] == [key for key in before if key not in gone]
    at = after.index(f"node:{done.summary_id}")
    below = [f"node:{node.id}" for node in session.path()]
    below = below[below.index(f"node:{done.nodes[-1]['parentId']}") + 1 :]
    assert after[at + 1 :] == [key for key in before if key in below]


@LAW
@given(rich_sessions(), st.data(), st.booleans())
def test_what_is_said_to_stay_in_a_cache_is_what_both_prompts_begin_with(
    session: Session, data: st.DataObject, merged: bool
) -> None:
    ids = [node.id for node in VisiblePath.of(session).nodes]
    assume(ids)
    first, last = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(ids))
    own = {"protect_recent_count": 0, "summary_role": data.draw(st.sampled_from(["system", "user"]))}
    words = session[first].content + data.draw(st.sampled_from(["", "s", " and more", "，还有"]))
    pipeline = Pipeline.of([SessionLoader(), MergeSystem(), MergeConsecutive()] if merged else [SessionLoader()])

    done = ctxlab.compress(
        session, pipeline=pipeline, tokenizer=PieceTokenizer(), summariser=lambda _: words, compression=own,
        first=first, last=last,
    )  # fmt: skip

    before, after = _as_pieces(done.before.result.drafts), _as_pieces(done.after.result.drafts)
    same = takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False))
    assert done.prefix.kept_tokens == sum(tokens for (tokens, _), _ in same)
    assert done.prefix.kept_tokens + done.prefix.lost_tokens == done.before_tokens
    assert done.prefix.kept_tokens + done.prefix.new_tokens == done.after_tokens


def _as_pieces(drafts: Sequence[Draft]) -> list[tuple[int, object]]:
    """A prompt as a model reads it: of each message who speaks, its words, and what follows; with their tokens."""
    pieces: list[tuple[int, object]] = []
    for draft in drafts:
        words = PIECE.findall(str(draft.text))
        rest = (draft.calls, [file.as_data() for file in draft.assets])
        pieces.append((0, (draft.role, draft.speaker, draft.reasoning, draft.result_of)))
        pieces += [(1, word) for word in words]
        pieces.append((PieceTokenizer().count_draft(draft) - len(words), ("end", str(draft.text), rest)))
    return pieces


VALUES = st.recursive(
    st.sampled_from(["src/a.py", "import pytest\n@pytest.fixture", "3 dogs", 'say "Police Story"', "在北京", 12, None]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["path", "text"]), inner, max_size=2),
    max_leaves=6,
)


@LAW
@given(st.dictionaries(st.sampled_from(["path", "new_text", "行"]), VALUES, max_size=3), st.booleans())
def test_facts_of_tool_calls_are_of_their_decoded_arguments_and_point_into_the_text_of_the_report(
    arguments: dict[str, Any], as_ascii: bool
) -> None:
    call = {"requestId": "c", "toolName": "edit", "args": json.dumps(arguments, ensure_ascii=as_ascii)}
    session = (
        Session(id="s")
        .append("Change it.")
        .append("", role="assistant", metadata={"toolCallsRequested": [call]})
        .append("done", role="tool", metadata={"toolCall": {"requestId": "c", "toolName": "edit"}})
        .append("Thanks.")
    )

    report = compressed(session, compression={"protect_recent_count": 1}).report()

    (text,) = [each.text for each in report.originals if each.role == "assistant"]
    for value in _strings(arguments):
        assert value in text
    for fact in report.facts:
        assert fact.source is not None and report.text_of(fact.source)[fact.start : fact.end] == fact.text


def _strings(value: Any) -> list[str]:
    if isinstance(value, dict | list):
        return [each for inner in (value.values() if isinstance(value, dict) else value) for each in _strings(inner)]
    return [value] if isinstance(value, str) else []


@LAW
@given(rich_sessions(), st.data(), st.booleans())
def test_a_summary_says_which_messages_behind_it_were_edited_until_they_are_as_they_were(
    session: Session, data: st.DataObject, twice: bool
) -> None:
    done = compressed_somewhere(data, session)
    assume(done.summary and not done.changes_nothing)
    known = {*done.gone} - {node.id for node in session.nodes.values() if node.is_summary}
    assume(known)  # files of other programs don't say what their summaries were made of
    key = data.draw(st.sampled_from(sorted(known)))
    was = session[key].content

    edited = done.session.update(key, content=f"{was} and more")
    if twice:  # an edit that an earlier summary hasn't seen isn't in the one that takes it in
        again = compressed(edited, everything=True, compression={"protect_recent_count": 0})
        assume(done.summary_id in again.folded)
        edited = again.session

    assert f"{key}, which was edited after it was summarised" in " ".join(_notes_of(edited))
    assert not [text for text in _notes_of(edited.update(key, content=was)) if "edited after" in text]


def _notes_of(session: Session) -> list[str]:
    return [note.text for note in ctxlab.build(session, pipeline=LOADER, tokenizer=COUNTER).result.notes]


@LAW
@given(rich_sessions(), st.data())
def test_undo_gives_back_the_exact_session_and_deleting_the_summary_the_same_messages(
    session: Session, data: st.DataObject
) -> None:
    done = compressed_somewhere(data, session)
    assume(not done.changes_nothing)
    history = ctxlab.History(session)

    after = done.applied(history)

    assert [note.text for note in after.check()] == [note.text for note in session.check()]
    assert history.undo() == session
    deleted = after.delete(done.summary_id)
    assert {key: node.content for key, node in deleted.nodes.items()} == {
        k: n.content for k, n in session.nodes.items()
    }
    assert all([n.id for n in deleted.path(k)] == [n.id for n in session.path(k)] for k in session.nodes)


@LAW
@given(sessions(), st.data())
def test_branches_that_fork_above_the_last_hidden_message_stay_as_they_are(
    session: Session, data: st.DataObject
) -> None:
    done = compressed_somewhere(data, session)
    assume(not done.changes_nothing)

    parent = done.nodes[-1]["parentId"]
    for leaf in session.nodes:
        ids = [node.id for node in session.path(leaf)]
        after = [node.id for node in done.session.path(leaf)]
        assert [key for key in after if key != done.summary_id] == ids
        assert (done.summary_id in after) == (parent in ids and leaf != parent)


@LAW
@given(rich_sessions(), st.data())
def test_its_nodes_put_into_the_session_are_the_session_after_it(session: Session, data: st.DataObject) -> None:
    done = compressed_somewhere(data, session, tiers=["reasoning", "tool-results", "summary"])

    assert with_summary_nodes(session, done.nodes) == done.session


@LAW
@given(rich_sessions(), st.integers(0, 4), st.booleans())
def test_cuts_are_at_borders_of_units_and_never_behind_protected_messages(
    session: Session, protect: int, whole: bool
) -> None:
    cuts = LegalCuts(VisiblePath.of(session), protect, whole)

    assert len(cuts) == len(cuts.path) + 1
    for at in cuts.legal:
        assert not any(unit.at[0] < at <= unit.newest for unit in cuts.path.units)
    newest = [i for i, node in enumerate(cuts.path.nodes) if node.role != "system" and not node.is_summary]
    assert all(at <= i for at in cuts.legal for i in newest[max(0, len(newest) - protect) :] if protect)
    ids = [node.id for node in cuts.path.nodes]
    for i in range(len(ids)):
        chosen = cuts.snap(ids[i], ids[i])
        assert chosen is None or (chosen.start in cuts.legal and chosen.end in cuts.legal and len(chosen) > 0)


@LAW
@given(rich_sessions(), st.integers(0, 2))
def test_stand_ins_keep_every_message_in_its_place_and_every_pair(session: Session, newest: int) -> None:
    own = {"protect_recent_count": 0, "keep_tool_results": newest}
    done = compressed(session, tiers=["reasoning", "tool-results"], compression=own)

    before, after = done.before.result.drafts, done.after.result.drafts
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        assert (old.role, old.calls, old.result_of, old.pinned) == (new.role, new.calls, new.result_of, new.pinned)
    history = ctxlab.History(session)
    if not done.changes_nothing:
        done.applied(history)
        assert history.undo() == session


@LAW
@given(rich_sessions(), st.data())
def test_one_that_is_made_again_with_other_wishes_is_the_one_that_compress_gives(
    session: Session, data: st.DataObject
) -> None:
    ids = [node.id for node in VisiblePath.of(session).nodes]
    assume(ids)
    own = {"protect_recent_count": data.draw(st.integers(0, 2))}
    place, item = data.draw(st.sampled_from(ids)), data.draw(st.sampled_from(["a", "re:\\w+", "沈砚"]))
    kinds = [{"above": place}, {"below": place}, {"everything": True}, {"first": place, "last": ids[-1]}]
    kind: dict[str, Any] = data.draw(st.sampled_from(kinds))

    again = compressed(session, compression=own).with_range(**kind).with_wishes(must_keep=[item], guidance="Be short.")

    told = compressed(session, compression=own, must_keep=[item], guidance="Be short.", **kind)
    assert (again.gone, again.folded, again.error, again.items) == (told.gone, told.folded, told.error, told.items)
    assert again.session == told.session
    assert again.wanted == told.wanted
