"""Decisions on lore in words, and the entries that a name means."""

from typing import Any

import pytest

from ctxlab.api import build
from ctxlab.documents import LoreEntry, Session, UserProfile, Worldbook
from ctxlab.engines.worldbook.explain import entries_named, sentences
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services, Trace
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())


def lore(**fields: Any) -> Trace:
    """A conversation about a reef, with a book of one entry; fields are the entry's."""
    session = Session(id="s").append("", role="system", id="root")
    session = session.append("the reef, again", id="old").append("I see", role="assistant", id="see")
    entry = LoreEntry(uid=3, comment="The reef", key=("reef",), content="{{user}} fears it.", **fields)
    book = Worldbook(id="isle", entries={"3": entry})
    return build(session, user=UserProfile(id="u", name="Kim", content=""), books=[book], services=SERVICES)


def told(trace: Trace) -> dict[str, str]:
    (decision,) = entries_named(trace.result, "the reef")
    return {sentence.label: sentence.text for sentence in sentences(trace.result, decision)}


def test_an_entry_that_fires_says_by_what_and_where_it_stands() -> None:
    trace = lore(position=4, depth=1)

    assert told(trace) == {
        "fired": "because 'reef' stands in node:old",
        "keys": "reef",
        "placed": "at depth 1 of the history, as system, order 100: it is in message 2",
        "tokens": "3",
        "nearest": "it stays out with none of its keys",
    }
    (place,) = trace.where("fears it")
    assert str(place).splitlines()[1:] == [
        "  'fears it' from lore isle/3 “The reef”, because 'reef' stands in node:old"
    ]


def test_an_entry_that_does_not_fire_says_which_gate_and_the_nearest_change() -> None:
    blocked, unseen = lore(probability=0), lore(scan_depth=1)

    assert told(blocked)["blocked"].startswith("at gate probability: ")
    assert told(blocked)["nearest"] == "it fires with probability: 100"
    assert told(unseen)["not hit"] == "none of its keys stands in the newest message"
    assert told(unseen)["nearest"] == "it fires with scan depth: 2"
    assert told(unseen)["placed"] == "it would stand before the character's description, as system, order 100"


@pytest.mark.parametrize("name", ["lore:isle/3", "isle/3", "lore/3", "lore:lore/3", "THE REEF", "3", "reef", "ree"])
def test_an_entry_is_found_by_all_that_it_goes_by(name: str) -> None:
    (decision,) = entries_named(lore().result, name)

    assert decision.key == "lore:isle/3"


def test_an_entry_that_is_not_there_is_an_error_with_the_nearest() -> None:
    with pytest.raises(CtxlabError, match="no lore entry 'the reif'; did you mean 'The reef'"):
        entries_named(lore().result, "the reif")
    with pytest.raises(CtxlabError, match="no book is in force"):
        entries_named(build(Session(id="s"), services=SERVICES).result, "the reef")
    with pytest.raises(CtxlabError, match="nothing is decided on lore yet"):
        entries_named(lore().upto("session-loader").result, "the reef")
