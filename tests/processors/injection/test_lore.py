"""Where lore that fired is put: SillyTavern's eight positions, with and without the presets that they refer to."""

from typing import Any

import pytest

from ctxlab.context import BuildInput, Context, Draft, Origin, Text, Variables
from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.documents.lore import POSITIONS, ROLES, LoreEntry, Worldbook
from ctxlab.engines.worldbook import ActiveBook, Decision, LoreScan, ScanInput
from ctxlab.engines.worldbook.prepared_entry import EntryPreparer
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import InjectionAssembler
from ctxlab.testing.fakes import WordTokenizer

HISTORY = {"type": "chat_history", "content": ""}


def preset(content: str, **fields: Any) -> dict[str, Any]:
    return {"id": content, "role": "system", "content": content, **fields}


def part(content: str, name: str, **fields: Any) -> dict[str, Any]:
    """A preset that is this part of SillyTavern's prompt."""
    return preset(content, metadata={"stPromptName": name}, **fields)


def lore(content: str, position: str, *, fired: bool = True, role: str = "system", **fields: Any) -> dict[str, Any]:
    """An entry that fires, or doesn't."""
    entry = {"uid": content, "comment": content, "content": content, "position": POSITIONS.index(position), **fields}
    return {"fired": fired, "entry": {**entry, "role": ROLES.index(role)}}


def scanned(rows: list[dict[str, Any]]) -> LoreScan:
    """The scan in which these fire in their order."""
    entries = {str(n): LoreEntry.model_validate(row["entry"]) for n, row in enumerate(rows)}
    asked = ScanInput((ActiveBook(Worldbook(id="B", entries=entries)),))
    decisions = [
        Decision(ready, row["fired"], "it is its turn", 1, rank=n)
        for n, (row, ready) in enumerate(zip(rows, EntryPreparer(asked).all(), strict=True))
    ]
    return LoreScan(asked, tuple(decisions), {})


def assembled(
    presets: list[dict[str, Any]],
    rows: list[dict[str, Any]],
    said: str = "h1 h2 h3",
    variables: Variables | None = None,
    **settings: Any,
) -> Trace:
    agent = Agent.model_validate({"id": "ag", "name": "Nova", "presetMessages": presets})
    build_input = BuildInput(
        Session(id="s"), agent=agent, user=UserProfile(name="Kim"), variables=variables or Variables(), seed=1
    )
    history = tuple(
        Draft(f"node:{text}", "assistant" if n % 2 else "user", (Text.of(text, Origin("node", text)),), origin)
        for n, text in enumerate(said.split())
        for origin in [Origin("node", text)]
    )
    step = InjectionAssembler(InjectionAssembler.Settings(**settings))
    context = Context(build_input, history, reports=(scanned(rows),))
    return Pipeline.of([step]).run(context, Services(tokenizer=WordTokenizer()))


def texts(trace: Trace) -> str:
    return " ".join(str(draft.text) for draft in trace.result.drafts)


def dropped(trace: Trace) -> dict[str, str]:
    return {draft.key: group.cause.rule for group in trace.result.dropped for draft in group.drafts}


CARD = [
    part("main", "main"),
    part("desc", "charDescription"),
    part("scene", "scenario"),
    part("ex", "dialogueExamples"),
    HISTORY,
]


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("before_char", "main L desc scene ex h1 h2 h3"),
        ("after_char", "main desc scene L ex h1 h2 h3"),
        ("before_em", "main desc scene L ex h1 h2 h3"),
        ("after_em", "main desc scene ex L h1 h2 h3"),
        ("at_depth", "main desc scene ex h1 h2 L h3"),
        ("before_an", "main desc scene ex h1 L h2 h3"),
        ("after_an", "main desc scene ex h1 L h2 h3"),
    ],
)
def test_each_position_has_its_place_in_a_card(position: str, expected: str) -> None:
    assert texts(assembled(CARD, [lore("L", position, depth=1)], note_depth=2)) == expected


def test_markers_beat_the_characters_presets() -> None:
    markers = [{"type": "worldInfoBefore"}, preset("desc"), {"type": "worldInfoAfter"}, HISTORY]

    trace = assembled(markers, [lore("B1", "before_char"), lore("A1", "after_char")])

    assert texts(trace) == "B1 desc A1 h1 h2 h3"


def test_without_presets_lore_stands_around_the_first_message() -> None:
    assert texts(assembled([], [lore("B1", "before_char"), lore("A1", "after_char")])) == "B1 h1 A1 h2 h3"


def test_the_strongest_order_stands_nearest_the_end() -> None:
    rows = [lore("strong", "before_char", order=200), lore("weak", "before_char", order=5)]

    assert texts(assembled([preset("p")], rows)) == "weak strong p h1 h2 h3"


def test_lore_and_presets_at_one_depth_share_their_order() -> None:
    deep = preset("P", injectionStrategy={"type": "depth", "depth": 1, "order": 50})
    rows = [lore("first", "at_depth", depth=1, order=10), lore("last", "at_depth", depth=1, order=90)]

    assert texts(assembled([deep], rows)) == "h1 h2 first P last h3"


def test_an_authors_note_has_lore_around_it_wherever_it_is() -> None:
    note = part("note", "authorsNote", injectionStrategy={"type": "depth", "depth": 1})
    rows = [lore("top", "before_an"), lore("bottom", "after_an")]

    assert texts(assembled([note], rows)) == "h1 h2 top note bottom h3"


def test_roles_and_macros_of_lore_are_its_own() -> None:
    row = lore("for {{user}}", "at_depth", depth=0, role="assistant")

    draft = assembled([], [row]).result.drafts[-1]

    assert (draft.role, str(draft.text)) == ("assistant", "for Kim")
    assert [span.origin.kind for span in draft.text.spans] == ["lore", "macro"]


def test_an_outlet_shows_its_lore_where_a_preset_asks_for_it() -> None:
    rows = [lore("two", "outlet", order=2, outlet_name="box"), lore("one", "outlet", order=1, outlet_name="box")]

    trace = assembled([preset("<{{outlet::box}}>")], rows)

    assert texts(trace) == "<one\ntwo> h1 h2 h3"
    assert {span.origin.kind for span in trace.result.drafts[0].text.spans} >= {"lore", "preset"}


def test_lore_for_an_outlet_that_nobody_shows_is_left_out_and_named() -> None:
    trace = assembled([preset("p")], [lore("lost", "outlet", outlet_name="box")])

    assert dropped(trace) == {"lore:B/lost": "outlet"}
    assert "{{outlet::box}}" in trace.result.dropped[0].cause.reason


def test_variables_pass_from_message_to_message_in_the_order_in_which_they_are_sent() -> None:
    presets = [preset("late {{getvar::x}}", injectionStrategy={"type": "depth", "depth": 0}), preset("p")]

    trace = assembled(presets, [lore("{{setvar::x::5}}set", "before_char")], variables=Variables({"x": 1}))

    assert texts(trace) == "set p h1 h2 h3 late 5"
    assert trace.variables.session == {"x": 5}
    assert trace.start.input.variables.session == {"x": 1}


def test_a_marker_whose_macros_leave_nothing_is_left_out() -> None:
    trace = assembled([preset("{{persona}}", type="personaDescription"), preset("p")], [])

    assert texts(trace) == "p h1 h2 h3"
    assert dropped(trace) == {"preset:0": "blank"}


def test_the_references_reading_turns_the_order_round_and_knows_no_note() -> None:
    rows = [
        lore("weak", "before_char", order=5),
        lore("strong", "before_char", order=200),
        lore("AN", "after_an"),
    ]

    assert texts(assembled([preset("p")], rows, lore_places="reference")) == "strong weak p h1 AN h2 h3"


def test_an_entry_that_did_not_fire_is_not_sent() -> None:
    assert texts(assembled([], [lore("L", "at_depth", fired=False)])) == "h1 h2 h3"


def test_of_equal_orders_what_fired_last_stands_first() -> None:
    assert (
        texts(assembled([preset("p")], [lore("one", "before_char"), lore("two", "before_char")]))
        == "two one p h1 h2 h3"
    )


def test_at_one_depth_and_order_the_systems_words_stand_nearest_the_end() -> None:
    rows = [lore(role, "at_depth", depth=0, role=role) for role in ("system", "user", "assistant")]

    assert texts(assembled([], rows)) == "h1 h2 h3 assistant user system"


@pytest.mark.parametrize(
    ("roles", "expected"),
    [
        ("system", "assistant user SYSTEM system"),
        ("user", "assistant USER user system"),
        ("assistant", "ASSISTANT assistant user system"),
        ("assistant system", "ASSISTANT assistant user SYSTEM system"),
        ("assistant user system", "ASSISTANT assistant USER user SYSTEM system"),
    ],
)
def test_at_one_depth_and_order_presets_stand_before_the_lore_of_their_role(roles: str, expected: str) -> None:
    quarters = {"assistant": 0, "user": 0.25, "system": 0.5} if " " in roles else {}
    presets = [
        preset(
            role.upper(),
            role=role,
            injectionStrategy={"type": "depth", "depth": 0, "order": 100 + quarters.get(role, 0)},
        )
        for role in roles.split()
    ]
    rows = [lore(role, "at_depth", depth=0, role=role) for role in ("system", "user", "assistant")]

    assert texts(assembled(presets, rows)) == f"h1 h2 h3 {expected}"


def test_lore_at_the_depth_of_an_authors_note_does_not_come_between_the_note_and_its_lore() -> None:
    note = part("note", "authorsNote", injectionStrategy={"type": "depth", "depth": 0})
    rows = [lore(role, "at_depth", depth=0, role=role) for role in ("system", "user", "assistant")]

    trace = assembled([note], [*rows, lore("top", "before_an"), lore("bottom", "after_an")])

    assert texts(trace) == "h1 h2 h3 assistant user top note bottom system"


def test_a_role_counts_only_at_depths() -> None:
    assert assembled([], [lore("L", "before_char", role="user")]).result.drafts[0].role == "system"


def test_lore_whose_marker_is_switched_off_is_left_out() -> None:
    presets = [{"type": "worldInfoBefore", "isEnabled": False}, preset("p"), HISTORY]

    trace = assembled(presets, [lore("L", "before_char"), lore("M", "after_char")])

    assert texts(trace) == "p M h1 h2 h3"
    assert dropped(trace) == {"preset:0": "disabled", "lore:B/L": "marker-off"}
