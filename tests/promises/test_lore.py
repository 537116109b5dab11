"""What decisions on lore promise: every entry has one, and its nearest change does what it says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import ModelProfile
from ctxlab.documents.lore import CharacterFilter, LoreEntry, Worldbook
from ctxlab.documents.session.message import ModelMatch
from ctxlab.engines.worldbook import ActiveBook, Chat, ScanInput, ScannedMessage, ScanSettings, scan
from ctxlab.engines.worldbook.keys import Key

WORDS = ("dragon", "Drag", "river", "城", "城门", "old man", "/r[io]/i", "moon", "", "ver")
SAID = ("dragon", "DRAGON", "river", "riverbank", "城门", "old man", "moon", "nothing", "")

texts = st.lists(st.sampled_from(SAID), max_size=3).map(" ".join)
keys = st.lists(st.sampled_from(WORDS), max_size=3).map(tuple)


def rarely(strategy: st.SearchStrategy, usual: object) -> st.SearchStrategy:
    return st.one_of(st.just(usual), st.just(usual), st.just(usual), strategy)


filters = st.builds(CharacterFilter, is_exclude=st.booleans(), names=st.just(("Nova",)))
entries = st.builds(
    LoreEntry,
    uid=st.integers(0, 3),
    key=keys,
    keysecondary=rarely(keys, ()),
    content=st.one_of(texts, texts, texts.map("@@dont_activate\n".__add__), texts.map("@@activate\n".__add__)),
    constant=rarely(st.booleans(), False),
    selective=st.booleans(),
    selective_logic=st.integers(0, 3),
    order=st.sampled_from([100, 100, 50, 200]),
    disable=rarely(st.booleans(), False),
    probability=rarely(st.sampled_from([0, 50, 90]), 100),
    use_probability=rarely(st.just(False), True),
    group=rarely(st.sampled_from(["g", "h", "g, h", "gh"]), ""),
    group_weight=st.sampled_from([100, 10, 0]),
    group_override=rarely(st.just(True), False),
    use_group_scoring=rarely(st.booleans(), None),
    exclude_recursion=rarely(st.just(True), False),
    prevent_recursion=rarely(st.just(True), False),
    delay_until_recursion=rarely(st.sampled_from([True, 1, 2, 3]), False),
    scan_depth=rarely(st.integers(0, 4), None),
    case_sensitive=rarely(st.booleans(), None),
    match_whole_words=rarely(st.booleans(), None),
    sticky=rarely(st.integers(1, 4), None),
    cooldown=rarely(st.integers(1, 4), None),
    delay=rarely(st.integers(1, 5), None),
    ignore_budget=rarely(st.just(True), False),
    triggers=rarely(st.just(("continue",)), ()),
    character_filter=rarely(filters, None),
    match_persona_description=rarely(st.just(True), False),
)
books = st.builds(
    Worldbook,
    id=st.sampled_from(["a", "b"]),
    entries=st.lists(entries, max_size=6).map(lambda rows: {str(i): row for i, row in enumerate(rows)}),
    scan_depth=rarely(st.integers(0, 3), None),
    token_budget=rarely(st.integers(0, 60), None),
    recursive_scanning=rarely(st.booleans(), None),
    model_match=rarely(st.just(ModelMatch(enabled=True, patterns=("gpt",))), None),
)


DIALECTS = ("seed", "sillytavern-1.19")


@st.composite
def questions(draw: st.DrawFn, dialect: str = "seed") -> ScanInput:
    held = tuple(
        ActiveBook(book, draw(st.sampled_from(["global", "agent", "user", "chat"])))
        for book in draw(st.lists(books, max_size=3))
    )
    exact = dialect != "seed"
    names = ("Ilse", "Old Man", "") if exact else ("",)
    messages = tuple(
        ScannedMessage(f"m{i}", text, f"m{i}", draw(st.sampled_from(names)))
        for i, text in enumerate(draw(st.lists(texts, max_size=5)))
    )
    known = [f"lore:{one}/{uid}" for one in "ab" for uid in range(4)]
    recorded = draw(st.dictionaries(st.sampled_from(known), st.sampled_from(["m0", "m1", "m2", "m3", "gone"])))
    chat = Chat(
        messages,
        about={"persona": "an old man"},
        prompts=draw(rarely(st.just({"note": "The dragon sleeps."}), {})) if exact else {},
        names=("Nova",),
        model=ModelProfile(id="claude"),
        activations=recorded,
    )
    joined = ScanSettings(
        scan_text="joined",
        budget_count="together",
        constants_first=False,
        book_settings=False,
        min_activations=draw(rarely(st.integers(1, 5), 0)),
        min_activations_depth=draw(rarely(st.integers(1, 3), 0)),
    )
    rules = replace(
        joined if exact else ScanSettings(),
        scan_depth=draw(st.integers(0, 3)),
        recursion=draw(rarely(st.just(False), True)),
        max_passes=draw(st.sampled_from([0, 1, 2, 3, 20])),
        case_sensitive=draw(rarely(st.just(True), False)),
        whole_words=draw(rarely(st.just(True), False)),
        group_scoring=draw(rarely(st.just(True), False)),
        budget_tokens=draw(rarely(st.integers(0, 60), None)),
        overflow=draw(st.sampled_from(["stop", "skip"])),
        first=draw(st.sampled_from(["agent", "global", "neither", "evenly"])),
        compat=dialect if exact else draw(rarely(st.just("reference"), "sillytavern")),
    )
    if exact:
        held = tuple(replace(each, book=with_patterns(draw, each.book)) for each in held)
    scripted = {id: draw(st.floats(0, 0.999)) for id in (*known, "lore-group:g", "lore-group:h")}
    return ScanInput(held, chat, rules, dice=lambda id: scripted.get(id, 0.3))


PATTERNS = ("/ver$/", "/^.dragon/", "/moon\\s+\\S*river/", "/(?![^]*moon)/", "/bad[/", "ilse", "man: d", "{{user}}")
"""Keys that are found by where they stand in the one text that SillyTavern looks through."""


def with_patterns(draw: st.DrawFn, book: Worldbook) -> Worldbook:
    more = st.lists(st.sampled_from(PATTERNS), max_size=1).map(tuple)
    entries = {
        name: entry.with_(
            key=(*draw(rarely(more, ())), *entry.key), keysecondary=(*entry.keysecondary, *draw(rarely(more, ())))
        )
        for name, entry in book.entries.items()
    }
    return book.model_copy(update={"entries": entries})


in_both_dialects = pytest.mark.parametrize("dialect", DIALECTS)


@in_both_dialects
@settings(max_examples=70, deadline=None)
@given(st.data())
def test_the_nearest_change_makes_an_entry_fire_and_keeps_out_what_fires(dialect: str, data: st.DataObject) -> None:
    asked = data.draw(questions(dialect))
    found = scan(asked)

    for decision in found.decisions:
        again = found.with_change(decision.key)[decision.key]
        assert again.fired is not decision.fired, (decision, decision.nearest, again)


@in_both_dialects
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_every_entry_has_one_decision_and_what_is_told_of_it_holds(dialect: str, data: st.DataObject) -> None:
    asked = data.draw(questions(dialect))
    found = scan(asked)

    texts = {spoken.key: spoken.text for spoken in asked.chat.messages} | asked.chat.about | asked.chat.prompts
    with_names = {spoken.key: spoken.scanned for spoken in asked.chat.messages}
    texts |= {one.key: one.lore.content for one in found.decisions}
    assert len(found.decisions) == sum(len(held.book.entries) for held in asked.books)
    assert len({one.key for one in found.decisions}) == len(found.decisions)
    for one in found.decisions:
        assert one.fired == (one.gate is None)
        assert "" not in (one.matched.keys if one.matched else ())
        if one.matched and not one.matched.key.startswith("/"):
            of = with_names if one.matched.in_name else texts
            said = of[one.matched.where][one.matched.start : one.matched.end]
            assert said.casefold() == one.matched.key.casefold()


@in_both_dialects
@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_sentence_of_a_blocked_entry_is_true(dialect: str, data: st.DataObject) -> None:
    asked = data.draw(questions(dialect))
    found = scan(asked)

    for one in found.decisions:
        lore = one.lore
        newest = [spoken.scanned for spoken in asked.chat.messages[-lore.depth :]] if lore.depth else []
        plain = [key for key in lore.secondary if isinstance(key, Key) and key.is_plain]
        seen = [any(key.text.casefold() in text.casefold() for text in newest) for key in plain]
        if "none of its" in one.reason and one.gate == "secondary-keys":
            assert not any(seen), one
        elif one.reason.startswith("not all of its"):
            assert len(plain) < len(lore.secondary) or not all(seen), one
        elif "was drawn" in one.reason:
            drawn, limit = one.reason.split(" was drawn, it fires up to ")
            assert float(drawn) > float(limit)
            assert one.gate == "probability"
        elif one.gate == "group":
            winner = found[str(one.lost_to)]
            assert winner.title in one.reason
            assert set(winner.lore.groups) & set(lore.groups)
        elif one.gate == "pass-limit":
            more = {"settings": {"max_passes": one.made_in}}
            assert f"in pass {one.made_in}, and {asked.rules.max_passes} " in one.reason
            assert found.with_change(one.key, more)[one.key].fired, one


@in_both_dialects
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_the_same_question_has_the_same_answer(dialect: str, data: st.DataObject) -> None:
    asked = data.draw(questions(dialect))
    assert scan(asked).rows() == scan(asked).rows()
