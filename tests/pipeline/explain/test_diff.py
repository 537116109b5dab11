from collections.abc import Iterable
from dataclasses import replace

from ctxlab.api import build
from ctxlab.context import AssetRef, BuildInput, Cause, Context, Draft, FileRoute, Origin, Text
from ctxlab.documents import Agent, LoreEntry, Session, ToolCall, Worldbook
from ctxlab.pipeline import Services, Trace, diff
from ctxlab.testing.fakes import WordTokenizer
from tests.gallery.attachments import files_compared, files_run

WHY = Cause("test", "rule", "why")
SERVICES = Services(tokenizer=WordTokenizer())


def draft(id: str, said: str = "") -> Draft:
    return Draft(id, "user", (Text.of(said or f"text of {id}", Origin("node", id)),), Origin("node", id))


def context(drafts: Iterable[Draft]) -> Context:
    return Context(BuildInput(Session(id="s")), tuple(drafts))


def rows(a: Context, b: Context) -> list[tuple[str, str]]:
    return [(row.key, row.kind) for row in diff(a, b)]


def test_equal_messages_are_the_same_whatever_object_they_are() -> None:
    a, b = context(map(draft, "abc")), context(map(draft, "abc"))

    assert not diff(a, b)
    assert diff(a, b).changes == ()
    assert rows(a, b) == [("a", "same"), ("b", "same"), ("c", "same")]


def test_what_only_one_side_has_stands_where_it_stands_there() -> None:
    a, b = context(map(draft, "abd")), context(map(draft, "acd"))

    assert rows(a, b) == [("a", "same"), ("b", "only in a"), ("c", "only in b"), ("d", "same")]
    assert repr(diff(a, b)) == "Diff(2 same, 1 only in a, 1 only in b)"


def test_what_is_gone_says_why() -> None:
    a = context(map(draft, "abc"))
    b = a.drop(["a"], WHY).merge(["b", "c"], " ", WHY)

    causes = {row.key: row.cause for row in diff(a, b)}

    assert causes["a"] == WHY
    assert str(causes["c"]) == "test / rule: it is part of b"
    assert {row.key: row.cause for row in diff(b, a)}["a"] == WHY


def test_a_change_is_the_smallest_stretch_that_differs() -> None:
    a, b = context([draft("a", "the cat sat")]), context([draft("a", "the dog sat")])

    (row,) = diff(a, b).changes

    assert row.text_change == (4, "cat", "dog")


def test_the_same_words_for_another_reason_are_no_change_of_words() -> None:
    def lore(reason: str) -> Draft:
        origin = Origin("lore", "isle/3")
        return replace(draft("a"), body=(Text.of("hi", origin, Cause("mine", "The reef", reason, quotes=True)),))

    (row,) = diff(context([lore("it is constant")]), context([lore("'reef' stands in node:u1")])).changes

    assert (row.kind, row.text_change) == ("other reason", None)
    assert row.detail == "same words, other reason: because it is constant → because 'reef' stands in node:u1"


def test_the_same_words_of_another_hand_name_both() -> None:
    a = context([draft("a", "hi")])
    b = context([replace(draft("a"), body=(Text.of("hi", Origin("macro", "x")),))])

    (row,) = diff(a, b).changes

    assert (row.kind, row.detail) == ("other reason", "same words, other reason: from node a → from macro x")


def test_other_fields_than_words_are_a_change() -> None:
    (row,) = diff(context([draft("a")]), context([replace(draft("a"), speaker="Ann")])).changes

    assert (row.kind, row.text_change) == ("changed", None)


# --- merged messages, by their parts


def merged(drafts: Iterable[Draft], keys: str, separator: str = " | ") -> Context:
    return context(drafts).merge(list(keys), separator, WHY)


def test_one_more_message_in_a_merged_one_is_a_row_of_its_own() -> None:
    a, b = merged(map(draft, "abd"), "ab"), merged(map(draft, "abcd"), "abc")

    (row,) = diff(a, b).changes

    assert repr(diff(a, b)) == "Diff(3 same, 1 only in b)"
    assert (row.key, row.kind, str(row.b.text) if row.b else "") == ("c", "only in b", "text of c")
    assert row.whole_b is b.drafts[0]
    assert row.detail == "part of a"
    assert [(other.key, other.kind, other.whole_a) for other in diff(b, a).changes] == [("c", "only in a", b.drafts[0])]


def test_a_change_inside_a_merged_message_is_that_of_its_part() -> None:
    a, b = merged([draft("a"), draft("b", "the cat sat")], "ab"), merged([draft("a"), draft("b", "the dog sat")], "ab")

    (row,) = diff(a, b).changes

    assert (row.key, row.kind, row.text_change, row.detail) == ("b", "changed", (4, "cat", "dog"), "part of a")


def test_another_reason_inside_a_merged_message_is_that_of_its_part() -> None:
    other = replace(draft("b"), body=(Text.of("text of b", Origin("macro", "x")),))
    a, b = merged(map(draft, "ab"), "ab"), merged([draft("a"), other], "ab")

    assert rows(a, b) == [("a", "same"), ("b", "other reason")]


def test_a_merged_message_may_begin_with_another_part() -> None:
    a, b = merged(map(draft, "bcd"), "bcd"), merged(map(draft, "abcd"), "abcd")

    assert rows(a, b) == [("a", "only in b"), ("b", "same"), ("c", "same"), ("d", "same")]


def test_what_is_merged_in_one_only_is_joined_and_not_changed() -> None:
    a, b = context(map(draft, "abc")), merged(map(draft, "abc"), "ab")

    there, back = diff(a, b), diff(b, a)

    assert rows(a, b) == [("a", "joined"), ("b", "joined"), ("c", "same")]
    assert [(row.detail, str(row.cause)) for row in there.changes] == [
        ("sent alone in a", "test / rule: why"),
        ("sent alone in a", "test / rule: it is part of a"),
    ]
    assert [row.detail for row in back.changes] == ["sent alone in b", "sent alone in b"]


def test_other_separators_are_told() -> None:
    a, b = merged(map(draft, "ab"), "ab"), merged(map(draft, "ab"), "ab", separator="")

    (row,) = diff(a, b).changes

    assert (row.key, row.kind, row.detail) == ("b", "joined", "joined by ' | ' in a, by '' in b")


def test_a_part_that_goes_into_another_message_names_both() -> None:
    a, b = merged(map(draft, "abcd"), "ab").merge("cd", " | ", WHY), merged(map(draft, "abcd"), "bcd")

    found = {row.key: (row.kind, row.detail) for row in diff(a, b)}

    assert found["a"] == ("joined", "sent alone in b")
    assert found["b"] == ("joined", "part of a in a, first of 3 parts in b")
    assert found["d"] == ("same", "")


def test_files_that_a_merged_message_got_later_are_not_overlooked() -> None:
    a = merged(map(draft, "ab"), "ab")
    b = a.edit(lambda whole: replace(whole, body=(*whole.body, AssetRef("map", "image"))))

    (row,) = diff(a, b).changes

    assert (row.key, row.kind, row.detail) == ("a", "changed", "other files or fields of the merged message")


def test_a_part_that_only_calls_or_shows_something_is_shown_with_it() -> None:
    asking = replace(draft("b", ""), body=(), calls=(ToolCall("c1", "look"),))
    a, b = context([draft("a"), asking]), merged([draft("a"), asking], "ab")

    row = next(row for row in diff(a, b) if row.key == "b")

    assert row.kind == "joined"
    assert row.b is not None and row.b.calls == asking.calls


def test_a_message_made_of_others_under_its_own_key_is_no_part_of_them() -> None:
    a = context(map(draft, "ab"))
    made = replace(draft("sum"), merged=tuple(part for one in a.drafts for part in one.parts))

    assert rows(a, a.arrange([made])) == [("a", "only in a"), ("b", "only in a"), ("sum", "only in b")]


def test_runs_are_compared_by_the_parts_of_what_they_merge() -> None:
    def built(*, lighthouse: bool) -> Trace:
        entries = {
            "1": LoreEntry(uid=1, constant=True, content="one"),
            "2": LoreEntry(uid=2, key=("light",), content="2"),
        }
        session = Session(id="s").append("", role="system", id="root").append("light" if lighthouse else "dark", id="u")
        return build(session, agent, books=[Worldbook(id="isle", entries=entries)], services=SERVICES)

    agent = Agent.model_validate({"presetMessages": [{"id": "p", "role": "system", "content": "Be kind."}]})

    found = diff(built(lighthouse=False), built(lighthouse=True))

    assert {row.key: row.kind for row in found} == {
        "lore:isle/1": "same",
        "lore:isle/2": "only in b",
        "preset:0": "same",
        "node:u": "changed",
    }


def task(id: str, *said: str) -> Trace:
    session = Session(id=id).append("", role="system", id="root")
    for n, text in enumerate(said):
        session = session.append(text, role="user" if n % 2 == 0 else "assistant", id=f"m{n}")
    agent = Agent.model_validate({"id": "a", "presetMessages": [{"id": "p", "role": "system", "content": "Be kind."}]})
    return build(session, agent, services=SERVICES)


def test_b9_two_conversations_share_presets_and_no_messages() -> None:
    found = diff(task("one", "hi", "a"), task("two", "hi", "b"))

    assert {row.key: row.kind for row in found} == {
        "preset:0": "same",
        "one/node:m0": "only in a",
        "one/node:m1": "only in a",
        "two/node:m0": "only in b",
        "two/node:m1": "only in b",
    }
    assert not any(row.text_change for row in found)


def test_b9_a_version_of_a_conversation_is_compared_message_by_message() -> None:
    found = diff(task("one", "hi", "a", "b", "c"), task("one", "hi", "a", "x", "c"))

    assert [row.key for row in found.changes] == ["node:m2"]


def test_few_messages_move_not_many() -> None:
    a, b = context(map(draft, "abcd")), context(map(draft, "bcda"))

    assert [key for key, kind in rows(a, b) if kind == "moved"] == ["a"]
    assert [key for key, kind in rows(b, a) if kind == "moved"] == ["a"]


def test_a_swap_moves_the_same_one_from_either_side() -> None:
    a, b = context(map(draft, "ab")), context(map(draft, "ba"))

    assert dict(rows(a, b)) == dict(rows(b, a))


def test_a_diff_is_shown_as_a_small_table() -> None:
    a = context(draft(str(n), f"<{n}>") for n in range(200))
    b = context(draft(str(n), f"<{n}!>") for n in range(200))

    html = diff(a, b)._repr_html_()

    assert "and 180 more changes" in html
    assert "&lt;" not in html.partition("<table>")[0]
    assert "<0" not in html
    assert len(html) < 50_000


def test_the_table_names_merged_messages_and_stays_small() -> None:
    reason = "<b>" * 200
    letters = [draft(str(n), "x" * 500) for n in range(100)]
    others = [replace(d, body=(Text.of("x" * 500, d.origin, Cause("test", "rule", reason)),)) for d in letters]
    more = draft("more", "one more")

    html = diff(context(letters), context([*others, more]).merge(["99", "more"], " ", WHY))._repr_html_()
    short = diff(merged(map(draft, "ab"), "ab"), merged(map(draft, "abc"), "abc"))._repr_html_()

    assert len(html) < 50_000
    assert "<b>" not in html.partition("<table>")[2]
    assert "part of a" in short


def with_picture(route: FileRoute | None = None, *, words: str = "", kind: str = "attachment") -> Context:
    asset = AssetRef("f", "image", "hopper.jpg", "image/jpeg", 10, route=route)
    own = Text.of("look", Origin("node", "a"))
    files = (Text.of(words, Origin(kind, "hopper.jpg"), WHY),) if words else (asset,)
    return context([Draft("a", "user", (own, *files), Origin("node", "a"))])


def test_a_file_that_goes_otherwise_is_named() -> None:
    picture = with_picture(FileRoute("picture", width=768, height=512))
    described = with_picture(words="a description of it")
    read = with_picture(words="words in it", kind="transcript")

    def told(a: Context, b: Context) -> list[str]:
        return [row.detail for row in diff(a, b).changes]

    assert told(picture, described) == ["hopper.jpg: as a picture, then described"]
    assert told(described, picture) == ["hopper.jpg: described, then as a picture"]
    assert told(picture, read) == ["hopper.jpg: as a picture, then as text"]
    assert told(picture, context([draft("a", "look")])) == ["hopper.jpg: as a picture, then not there"]
    small = with_picture(FileRoute("picture", width=384, height=256))
    assert told(picture, small) == ["hopper.jpg: as a picture, 768 × 512, then 384 × 256"]
    assert told(picture, picture) == []


def test_a_file_that_becomes_words_says_so_in_a_merged_message_too() -> None:
    rows = {row.key: row.detail for row in diff(files_run("gpt-4o", None), files_run("deepseek-chat", None)).changes}

    assert "harbour_map.png: as a picture, then " in rows["preset:1"]  # as text, where words in pictures are recognised
    assert "harbour_map.png: as a picture, then " in rows["node:u1"]
    assert "pilot_notes.pdf: as a file, then as text" in rows["node:u2"]


def test_compared_runs_name_the_file_in_the_cell_of_the_other_run() -> None:
    line = next(line for line in files_compared().lines if line.key == "node:u2")

    assert "pilot_notes.pdf goes as a file" in line.cells[0].cause
    assert "pilot_notes.pdf: as a file, then as text" in line.cells[1].cause


def test_of_many_differences_the_first_ten_are_printed() -> None:
    a = context(map(draft, "abcdefghijklmn"))

    lines = str(diff(a, a.drop(list("abcdefghijkl"), WHY))).splitlines()

    assert len(lines) == 12
    assert lines[0] == "Diff(2 same, 12 only in a)" and lines[-1] == "  and 2 more"
    assert lines[1].startswith("  only in a: a; message 1; ")
