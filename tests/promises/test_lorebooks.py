"""Promises of lorebooks and chats: what was read is written as it was, but for what changed."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.documents import LoreEntry, Session, Worldbook
from ctxlab.formats.sillytavern.chats.reader import chat_from
from ctxlab.formats.sillytavern.chats.writer import chat_lines
from ctxlab.formats.sillytavern.lorebooks.format import book_from, book_to, form_of_book
from tests.promises.test_formats import texts, values

FLAGS = st.booleans() | st.sampled_from([0, 1, "true", "no", "", None])
NUMBERS = st.integers(-3, 200) | st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(["3", "x", None])
NATIVE = {
    "uid": st.integers(0, 4) | texts | st.none(),
    "key": st.lists(texts, max_size=3) | st.sampled_from(["a, b ,,c", "/x,y/i, z"]),
    "keysecondary": st.lists(texts, max_size=2),
    "comment": texts,
    "content": texts | st.sampled_from(["<USER> and {{Char}}", "<bot>"]),
    "selective": FLAGS,
    "disable": FLAGS,
    "constant": FLAGS,
    "order": NUMBERS,
    "position": NUMBERS | st.sampled_from(["at_depth", "Before Char", "weird"]),
    "probability": NUMBERS,
    "depth": NUMBERS,
    "role": NUMBERS | st.sampled_from(["user", "nobody"]),
    "groupWeight": NUMBERS,
    "delayUntilRecursion": FLAGS | st.integers(0, 3),
    "scanDepth": NUMBERS,
    "characterFilter": st.fixed_dictionaries({"names": st.lists(texts, max_size=2)}) | values,
    "triggers": st.lists(texts, max_size=2),
}
CARD = {
    "id": st.integers(0, 4) | texts,
    "keys": st.lists(texts, max_size=3) | texts,
    "secondary_keys": st.lists(texts, max_size=2),
    "name": texts,
    "content": texts,
    "enabled": FLAGS,
    "insertion_order": NUMBERS,
    "position": st.sampled_from(["before_char", "after_char", "elsewhere"]),
    "extensions": st.fixed_dictionaries(
        {}, optional={"position": NUMBERS, "depth": NUMBERS, "probability": NUMBERS, "outlet_name": texts, "x": values}
    )
    | values,
}
mixed = st.fixed_dictionaries({}, optional={**NATIVE, **CARD, "x": values})
raw_entries = st.fixed_dictionaries({}, optional={**NATIVE, "x": values})
card_entries = st.fixed_dictionaries({}, optional={**CARD, "x": values})
entries = raw_entries | card_entries | mixed | values
books = st.fixed_dictionaries(
    {},
    optional={
        "entries": st.lists(entries, max_size=4) | st.dictionaries(texts, entries, max_size=4) | values,
        "name": texts | values,
        "scan_depth": NUMBERS,
        "token_budget": NUMBERS,
        "recursive_scanning": FLAGS,
        "extensions": values,
    },
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "key": st.lists(texts, max_size=2).map(tuple),
        "comment": texts,
        "content": texts,
        "order": st.integers(0, 300),
        "position": st.integers(0, 7),
        "disable": st.booleans(),
        "selective": st.booleans(),
        "probability": st.integers(0, 100),
        "depth": st.integers(0, 9),
        "role": st.integers(0, 2),
        "sticky": st.none() | st.integers(1, 9),
        "outlet_name": texts,
        "triggers": st.lists(texts, max_size=2).map(tuple),
    },
)


@settings(deadline=None)
@given(books)
def test_a_lorebook_is_written_as_it_was_read(raw: dict[str, Any]) -> None:
    book, _ = book_from(raw, name="A name that a reader gave", id="b")

    assert book_to(book, form=form_of_book(raw)) == raw
    assert book_to(Worldbook.model_validate_json(book.to_json()), form=form_of_book(raw)) == raw


@settings(deadline=None)
@given(books, st.data())
def test_what_was_changed_in_a_lorebook_is_there_when_it_is_read_again(
    raw: dict[str, Any], data: st.DataObject
) -> None:
    book, _ = book_from(raw)
    kept = [key for key in book.entries if data.draw(st.booleans())]
    changed = {key: book.entries[key].with_(**data.draw(changes)) for key in kept}
    new = LoreEntry(uid=1000, key=("new",), content="A new one.", selective=False, position=1)
    book = book.with_(entries={**changed, "1000": new})

    again, _ = book_from(book_to(book, form=form_of_book(raw)))

    assert [told(entry) for entry in again.entries.values()] == [told(entry) for entry in book.entries.values()]


@settings(deadline=None)
@given(books)
def test_a_lorebook_means_the_same_in_both_forms(raw: dict[str, Any]) -> None:
    book, _ = book_from(raw)
    bare = book.without("carried")

    native, losses = book_from(book_to(bare, form="native"))
    card, more = book_from(book_to(bare, form="character_book"))

    assert [told(entry) for entry in native.entries.values()] == [told(entry) for entry in book.entries.values()]
    assert [told(entry) for entry in card.entries.values()] == [told(entry) for entry in book.entries.values()]
    assert all("is none of 0 to 7" in loss.text for loss in (*losses, *more))


def told(entry: LoreEntry) -> dict[str, Any]:
    """What an entry says, whatever it is numbered and wherever an editor lists it; no role is the system's."""
    return {**entry.model_dump(exclude={"uid", "display_index"}), "role": entry.role or 0}


extras = st.fixed_dictionaries(
    {}, optional={"reasoning": texts, "model": texts, "type": st.sampled_from(["narrator", "comment"]), "x": values}
)
dates = texts | st.sampled_from(["January 5, 2025 3:04pm", "2025-01-05@03h04m05s", 1736046245123, None])
messages = st.fixed_dictionaries(
    {"mes": texts, "is_user": st.booleans()},
    optional={
        "name": st.sampled_from(["Mara", "沈砚", ""]),
        "is_system": FLAGS,
        "send_date": dates,
        "extra": extras | values,
        "swipes": st.lists(texts, max_size=3) | values,
        "swipe_id": st.integers(-1, 4) | values,
        "swipe_info": st.lists(st.fixed_dictionaries({"send_date": dates, "extra": extras}), max_size=3) | values,
        "x": values,
    },
)
headers = st.fixed_dictionaries(
    {"chat_metadata": st.dictionaries(texts, values, max_size=2) | values},
    optional={"user_name": texts | values, "create_date": dates},
)
chats = st.builds(
    lambda header, lines: [*header, *lines], st.lists(headers, max_size=1), st.lists(messages | values, max_size=4)
)


@settings(deadline=None)
@given(chats)
def test_a_chat_is_written_as_it_was_read(lines: list[Any]) -> None:
    session, _ = chat_from(lines)

    written = chat_lines(session)

    assert written.data == lines or (not lines and len(written.data) == 1)
    assert session.check() == ()
    assert not [loss for loss in written.losses if loss.place == "the tree"]


@settings(deadline=None)
@given(chats, st.data())
def test_what_was_changed_in_a_chat_is_read_again(lines: list[Any], data: st.DataObject) -> None:
    session, _ = chat_from(lines)
    for node in session.path()[1:]:
        if data.draw(st.booleans()):
            session = session.update(node.id, content=data.draw(texts))
    if len(session) > 1 and data.draw(st.booleans()):
        session = session.switched(data.draw(st.sampled_from(session.leaves())))
    session = session.append("And then?", role="user", name="Somebody else").append("", role="assistant")
    session = session.append("The newest answer", role="assistant", parent=session.path()[-2].id)

    again, _ = chat_from(chat_lines(session).data)

    assert shown(again) == shown(session)
    assert len(again.children(again.path()[-2].id)) == 2


def shown(session: Session) -> list[tuple[str, str, bool]]:
    return [(node.role, node.content, node.enabled) for node in session.path()[1:]]
