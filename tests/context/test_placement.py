"""The place that an injected message asked for; metadata of a stored message never says it."""

from dataclasses import replace
from typing import Any

import pytest

from ctxlab import build
from ctxlab.context import Cause, Draft, Origin, Placement, Text, merged_draft
from ctxlab.documents import Session
from ctxlab.pipeline import Services, Trace
from ctxlab.studies import analysis_of, landings
from ctxlab.testing.fakes import WordTokenizer


@pytest.mark.parametrize(
    ("placement", "words"),
    [
        (Placement("skeleton"), ""),
        (Placement("none"), ""),
        (Placement("depth", depth=3), "depth 3"),
        (Placement("depth", depth=1.5), "depth 1.5"),
        (Placement("depth", point=-2), "insertion point -2"),
        (Placement("anchor", anchor="x", before=True), "before x"),
        (Placement("anchor", anchor="x"), "after x"),
        (Placement("template", anchor="user_profile"), "at user_profile"),
        (Placement("lore", depth=4.0), "depth 4"),
        (Placement("lore", anchor="char", before=True), "before char"),
        (Placement("lore"), "unknown"),
        (Placement("outlet", anchor="wall"), "outlet wall"),
    ],
)
def test_a_placement_in_words(placement: Placement, words: str) -> None:
    assert str(placement) == words


def test_a_merged_message_has_the_placement_of_its_first_part_that_has_one() -> None:
    first = Draft("a", "user", (Text.of("x", Origin("node", "a")),), Origin("node", "a"))
    second = replace(first, key="b", placement=Placement("depth", depth=2))

    whole = merged_draft([first, second], separator="\n", cause=Cause("s", "r", "w"))

    assert whole.placement == second.placement


def hostile(**metadata: Any) -> Trace:
    """A run on one message whose file says that it was placed."""
    session = Session(id="s").append("", role="system", id="root")
    session = session.append("hello", id="n", metadata={"placed": "at user_profile", "placement": "anchor", **metadata})
    return build(session, services=Services(tokenizer=WordTokenizer()))


@pytest.mark.parametrize("metadata", [{}, {"index": 3, "level": "user"}, {"placed": "depth 3"}, {"placed": ["x"]}])
def test_metadata_of_a_stored_message_is_no_placement(metadata: dict[str, Any]) -> None:
    trace = hostile(**metadata)

    assert trace.result.drafts[0].placement is None
    assert str(trace.why("node:n")) == "node:n\n  session-loader: added as message 1\n  it is sent"
    assert "node" in set(trace.ledger()["rule"]) and "node anchor" not in set(trace.ledger()["rule"])
    assert trace.view()["drafts"][0]["placed"] is None
    assert [piece.placed for piece in analysis_of(trace).pieces() if piece.key == "node:n"] == [""]
    assert "profile" not in trace.budget()
    assert landings(trace).injections == ()


def test_the_metadata_of_a_draft_is_the_stored_one() -> None:
    trace = hostile(agentId="a")

    assert dict(trace.result.drafts[0].meta) == {
        "placed": "at user_profile",
        "placement": "anchor",
        "agentId": "a",
    }
