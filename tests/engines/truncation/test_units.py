from ctxlab.context import Draft, Origin, Text
from ctxlab.documents import ToolCall
from ctxlab.engines.truncation import newest_first


def row(script: str) -> list[Draft]:
    """Messages such as `u a>c1,c2 t<c1 P`: words, calls, results; a capital letter is pinned."""
    drafts: list[Draft] = []
    for n, word in enumerate(script.split()):
        origin = Origin("node", str(n))
        letter, calls, result = word[0], word[2:].split(",") if ">" in word else [], word.partition("<")[2]
        role = {"u": "user", "a": "assistant", "t": "tool", "p": "system"}[letter.lower()]
        drafts.append(
            Draft(
                str(n),
                role,  # pyright: ignore[reportArgumentType]
                (Text.of(word, origin),),
                origin,
                calls=tuple(ToolCall(id, "look") for id in calls),
                result_of=result or None,
                pinned=letter.isupper(),
            )
        )
    return drafts


def units(script: str) -> list[tuple[int, ...]]:
    return [unit.at for unit in newest_first(row(script))]


def unpaired(script: str) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Places of calls without a result, positions of results without a call."""
    found = list(newest_first(row(script)))
    return [unit.unanswered for unit in found if unit.unanswered], [unit.at for unit in found if unit.orphan]


def test_a_message_is_a_unit_and_the_newest_comes_first() -> None:
    assert units("u a u") == [(2,), (1,), (0,)]
    assert units("") == []


def test_calls_and_their_results_are_one_unit() -> None:
    assert units("u a>1,2 t<1 t<2 a") == [(4,), (1, 2, 3), (0,)]
    assert units("a>1,2 t<2 t<1") == [(0, 1, 2)]


def test_a_unit_comes_up_at_its_call_even_with_others_between() -> None:
    assert units("a>1 u t<1 u") == [(3,), (1,), (0, 2)]


def test_a_reused_id_belongs_to_the_nearest_call_before() -> None:
    assert units("a>1 t<1 a>1 t<1") == [(2, 3), (0, 1)]
    assert units("a>1 a>1 t<1 t<1") == [(1, 2), (0, 3)]
    assert unpaired("a>1 a>1 t<1") == ([(0,)], [])


def test_calls_without_results_are_told_by_their_place() -> None:
    assert unpaired("a>1,2,3 t<2") == ([(2, 0)], [])
    assert unpaired("a>1,1 t<1") == ([(0,)], [])


def test_results_without_a_call_come_last() -> None:
    assert units("t<1 u t<2 a") == [(3,), (1,), (2,), (0,)]
    assert unpaired("t<1 u t<2 a") == ([], [(2,), (0,)])


def test_a_result_before_its_call_is_none_of_it() -> None:
    assert unpaired("t<1 a>1") == ([(0,)], [(0,)])


def test_results_and_calls_without_an_id_find_one_another() -> None:
    assert units("a> t u") == [(2,), (0, 1)]


def test_pinned_messages_are_in_no_unit() -> None:
    assert units("P u A>1 T<1 u") == [(4,), (1,)]


def test_units_are_found_as_they_are_asked_for() -> None:
    class Watched(list[Draft]):
        asked: set[int] = set()  # noqa: RUF012

        def __getitem__(self, index):  # type: ignore[no-untyped-def]
            self.asked.add(index)
            return super().__getitem__(index)

    drafts = Watched(row("u " * 100))

    next(newest_first(drafts))

    assert drafts.asked == {99}
