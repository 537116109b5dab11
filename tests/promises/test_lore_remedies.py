"""Whatever is offered for a lore entry: applied, it turns the entry, and the price is that of that very build."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, LoreEntry, Session, Trace, Worldbook
from ctxlab.engines.worldbook.explain import key_place, scan_of
from ctxlab.processors.lore_trial import STEP, ChangeEffect, effect_of, settings_that_fire
from tests.promises.strategies import dialects

WORDS = ("glade", "wolf", "power", "tower")
texts = st.lists(st.sampled_from((*WORDS, "{{user}}", "{{char}}", "\n")), min_size=1, max_size=8).map(" ".join)
entries = st.builds(
    LoreEntry,
    key=st.sampled_from(WORDS).map(lambda word: (word,)),
    content=texts,
    order=st.sampled_from([100, 50]),
    scan_depth=st.sampled_from([None, None, None, 1]),
    prevent_recursion=st.booleans(),
    position=st.sampled_from([0, 0, 1, 2, 4, 6]),
    depth=st.sampled_from([0, 1]),
    group=st.sampled_from(["", "", "", "g", "g, h"]),
    probability=st.sampled_from([100, 100, 100, 40]),
    constant=st.sampled_from([False, False, False, True]),
)
books = st.builds(
    lambda rows, depth: Worldbook(
        id="b",
        entries={str(n): row.with_(uid=n, comment=f"e{n}") for n, row in enumerate(rows)},
        scan_depth=depth,
    ),
    st.lists(entries, min_size=2, max_size=4),
    st.sampled_from([None, None, None, 1]),
)


@st.composite
def chats(draw: st.DrawFn) -> Session:
    session = Session(id="s").append("", role="system")
    for text in draw(st.lists(texts, min_size=3, max_size=5)):
        session = session.append(f"so {text}")
    return session


def built(session: Session, book: Worldbook, window: int, **more: Any) -> Trace:
    """A build in which lore has a share of `window`, and the prompt room enough, or `budget_tokens`."""
    agent = Agent(id="a", name="Nova", processors=({"id": "token-limiter", "settings": {"budget_tokens": window}},))  # pyright: ignore[reportArgumentType]
    return ctxlab.build(session, agent, books=[book], **{"budget_tokens": 2_000, **more})


def adds_up(effect: ChangeEffect) -> bool:
    own = effect.own.tokens or 0 if effect.own is not None else 0
    lore = sum(one.tokens or 0 for one in effect.came) - sum(one.tokens or 0 for one in effect.went)
    return effect.tokens == lore + (-own if effect.keeps_out else own) + effect.around + effect.elsewhere


@settings(max_examples=40, deadline=None)
@given(chats(), books, st.integers(20, 120), st.sampled_from([200, 2_000]), st.sampled_from([1, 1, 0, 2]), dialects)
def test_a_setting_or_an_edit_that_is_offered_turns_the_entry_at_the_price_told(
    session: Session, book: Worldbook, window: int, room: int, depth: int, dialect: str
) -> None:
    given = {f"{STEP}.scan_depth": depth}
    trace = built(session, book, window, budget_tokens=room, settings=given, dialect=dialect)
    scan = scan_of(trace.result)

    for one in scan.decisions:
        for offered in settings_that_fire(trace, scan, one):
            after = built(session, book, window, budget_tokens=room, settings=given | offered.settings, dialect=dialect)
            assert scan_of(after.result)[one.key].fired
            assert offered.effect.in_prompt and offered.effect.tokens == after.tokens - trace.tokens
            assert adds_up(offered.effect)
            less = given | {offered.name: offered.value - 1}
            least = built(session, book, window, budget_tokens=room, settings=less, dialect=dialect)
            assert not scan_of(least.result)[one.key].fired
        if set(one.nearest.as_data()) == {"entry"}:
            effect = effect_of(trace, scan, one)
            edited = book.with_entry(one.lore.name, **one.nearest.entry)
            after = built(session, edited, window, budget_tokens=room, settings=given, dialect=dialect)
            assert scan_of(after.result)[one.key].fired is not one.fired
            assert effect.in_prompt and effect.tokens == after.tokens - trace.tokens
            assert adds_up(effect)


def forest() -> tuple[Session, Worldbook]:
    """Words of the tower three messages up, of the wolf two; the wolf's entry names the tower."""
    session = Session(id="s").append("", role="system")
    for text in ("A tower.", "A wolf.", "Yes.", "Good."):
        session = session.append(text)
    contents = {"tower": "{{char}} built it.", "wolf": "It lives in the tower."}
    rows = {
        str(n): LoreEntry(uid=n, comment=key, key=(key,), content=text)
        for n, (key, text) in enumerate(contents.items())
    }
    return session, Worldbook(id="b", entries=rows)


def test_the_depth_for_all_entries_is_found_apart_from_that_for_one() -> None:
    session, book = forest()
    trace = built(session, book, 1_000)
    scan = scan_of(trace.result)

    (offered,) = settings_that_fire(trace, scan, scan["lore:b/0"])

    assert scan["lore:b/0"].nearest.as_data() == {"entry": {"scanDepth": 4}}
    assert offered.settings == {f"{STEP}.scan_depth": 3}
    assert {one.title for one in offered.effect.came} == {"wolf"}
    assert effect_of(trace, scan, scan["lore:b/0"]).came == ()


def test_the_least_share_for_lore_is_offered_with_the_budget_it_gives() -> None:
    session, book = forest()
    trace = built(session.append("The wolf in the tower."), book, 24)
    scan = scan_of(trace.result)
    blocked = next(one for one in scan.decisions if one.gate == "budget")

    (offered,) = settings_that_fire(trace, scan, blocked)

    assert scan.scan_input.rules.budget_words == "6, 25 % of 24"
    assert offered.name == f"{STEP}.budget_percent"
    assert str(offered).endswith("% of 24, in place of 6")


def test_lore_is_counted_as_it_is_sent_with_its_macros_expanded() -> None:
    session, book = forest()
    trace = built(session, book, 1_000, settings={f"{STEP}.scan_depth": 4})
    scan = scan_of(trace.result)

    for one in scan.fired:
        draft = trace.upto("injection-assembler").result.draft(one.key)
        assert draft is not None and "{{" not in str(draft.text)
        assert one.tokens == trace.services.tokenizer.count(str(draft.text))
        assert trace.services.tokenizer.count_draft(draft) == one.tokens + trace.services.tokenizer.message_tokens


def test_other_lore_is_called_up_by_the_words_that_macros_stand_for_and_not_by_their_names() -> None:
    contents = {"wolf": "It fears {{char}}.", "nova": "A star.", "char": "Coal."}
    rows = {
        str(n): LoreEntry(uid=n, comment=key, key=(key,), content=text)
        for n, (key, text) in enumerate(contents.items())
    }
    session = Session(id="s").append("A wolf.")

    trace = built(session, Worldbook(id="b", entries=rows), 1_000)
    scan = scan_of(trace.result)

    assert [one.title for one in scan.fired] == ["wolf", "nova"]
    found = key_place(trace.result, scan["lore:b/1"])
    assert found is not None and found.text == "It fears Nova."
    assert found.text[found.start : found.end] == "Nova"
    as_written = built(session, Worldbook(id="b", entries=rows), 1_000, settings={f"{STEP}.compat": "reference"})
    assert [one.title for one in scan_of(as_written.result).fired] == ["wolf", "char"]
