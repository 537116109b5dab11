"""Merged lists keep the order of both sides, or a conflict is said."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from ctxlab.documents import Session
from ctxlab.storage.merge_data import merged_data
from ctxlab.storage.merge_sessions import merged_sessions

LISTS = 800


def edited(dice: Random, names: list[str], new: str) -> list[str]:
    """The names after up to three edits of a person: added, dropped, moved."""
    found = list(names)
    for number in range(dice.randint(0, 3)):
        edit, at = dice.choice(("add", "drop", "move")), dice.randint(0, len(found))
        if edit == "add":
            found.insert(at, f"{new}{number}")
        elif found:
            name = found.pop(min(at, len(found) - 1))
            if edit == "move":
                found.insert(dice.randint(0, len(found)), name)
    return found


def in_form(names: list[str], form: str) -> dict[str, Any]:
    if form == "ids":
        return {"list": [{"id": name} for name in names]}
    return {"list": {name: {"uid": name} for name in names} if form == "table" else names}


def names_in(data: dict[str, Any], form: str) -> list[str]:
    return [each["id"] for each in data["list"]] if form == "ids" else [*data["list"]]


def order_kept(base: list[str], theirs: list[str], ours: list[str], found: list[str]) -> bool:
    """Whether two items are as a side has them that changed their order, or as the sides have them.

    What one side added stands as it does there to all others but those that the other side moved.
    """
    at = [{name: n for n, name in enumerate(side)} for side in (base, theirs, ours)]
    for n, first in enumerate(found):
        for second in found[n + 1 :]:
            was, *said = (side[first] < side[second] if first in side and second in side else None for side in at)
            known = [each for each in said if each is not None]
            if any(known) or not known:
                continue
            other = at[2] if said[1] is None else at[1]
            if was is not None or not ({first, second} & moved_in(other, at[0])):
                return False
    return True


def moved_in(side: dict[str, int], base: dict[str, int]) -> set[str]:
    """The items that stand on another side of some item than they did."""
    both = [name for name in base if name in side]
    return {a for a in both for b in both if (base[a] < base[b]) != (side[a] < side[b])}


def law(dice: Random, form: str) -> bool:
    """Whether random lists keep the order of both; True also for a conflict that is said and true."""
    base = [str(n) for n in range(dice.randint(0, 7))]
    theirs, ours = edited(dice, base, "t"), edited(dice, base, "o")
    merged = merged_data(in_form(base, form), in_form(theirs, form), in_form(ours, form))
    found = names_in(merged.data, form)
    if merged.conflicts:
        return theirs not in (base, ours) and ours != base
    gone = {name for name in base if name not in theirs or name not in ours}
    return set(found) == {*theirs, *ours} - gone and order_kept(base, theirs, ours, found)


@pytest.mark.parametrize("form", ["ids", "table", "plain"])
def test_both_orders_are_kept_or_a_conflict_is_said(form: str) -> None:
    dice = Random(3)
    assert all(law(dice, form) for _ in range(LISTS // 3))


def test_what_each_side_moved_is_where_it_has_it() -> None:
    base = in_form(["main", "style", "card", "rules"], "ids")
    theirs = in_form(["card", "main", "style", "rules"], "ids")
    ours = in_form(["main", "rules", "style", "card", "mine"], "ids")
    merged = merged_data(base, theirs, ours)
    assert (names_in(merged.data, "ids"), merged.conflicts) == (["card", "main", "rules", "style", "mine"], ())


@pytest.mark.parametrize("form", ["ids", "table"])
def test_an_order_that_only_we_changed_is_taken(form: str) -> None:
    base, ours = in_form(["a", "b", "c"], form), in_form(["c", "a", "b"], form)
    found = merged_data(base, in_form(["a", "b", "c", "d"], form), ours)
    assert (names_in(found.data, form), found.conflicts) == (["c", "a", "b", "d"], ())


def test_lists_without_ids_are_merged_where_different_stretches_changed() -> None:
    found = merged_data({"key": [*"abcd"]}, {"key": [*"xabcd"]}, {"key": [*"abc"]})
    assert (found.data["key"], found.conflicts) == ([*"xabc"], ())
    found = merged_data({"key": [*"abc"]}, {"key": [*"axc"]}, {"key": [*"ayc"]})
    assert (found.data["key"], found.conflicts) == ([*"axc"], ("key",))


def test_one_new_item_at_two_places_is_a_conflict() -> None:
    sides = [in_form(names, "ids") for names in (["a", "b"], ["x", "a", "b"], ["a", "b", "x"])]
    found = merged_data(*sides)
    assert (names_in(found.data, "ids"), found.conflicts) == (["x", "a", "b"], ("list.order",))


def test_branches_of_a_session_keep_the_order_that_one_side_gave_them() -> None:
    base = Session(id="s").append("Hi", role="user", id="u")
    for name in "abc":
        base = base.append(name, role="assistant", id=name, parent="u")
    node = base.nodes["u"]
    ours = base.model_copy(
        update={"nodes": {**base.nodes, "u": node.model_copy(update={"children_ids": ("c", "a", "b")})}}
    )
    theirs = base.append("d", role="assistant", id="d", parent="u")
    merged = merged_sessions(base, theirs, ours)
    assert (merged.session.nodes["u"].children_ids, merged.conflicts) == (("c", "a", "b", "d"), ())
