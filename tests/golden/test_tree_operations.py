"""The operations of the reference on trees that no recorded case has: they are known, and give what they must."""

from __future__ import annotations

import pytest

from tests.golden import reference, rules, tree_cases
from tests.golden.cases import Case
from tests.golden.comparison import difference, is_equal
from tests.golden.tree_operations import NAMES, PARAMETERS, UnknownOperation, read_operation
from tests.golden.trees import OPERATIONS


@pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in tree_cases.CASES])
def test_an_operation_does_what_the_reference_does_or_what_a_rule_says(case: Case) -> None:
    given = reference.run(case)

    assert is_equal(case, given) == (not rules.hits(case))
    found = difference(case, given)
    if found is not None:
        pytest.fail(found, pytrace=False)


def test_every_operation_has_a_case() -> None:
    used = {read_operation(written).name for case in tree_cases.CASES for written in case.input["operations"]}

    assert set(OPERATIONS) == set(PARAMETERS) == set(NAMES)
    assert used == set(OPERATIONS)


@pytest.mark.parametrize("spelling", ["N.reparentSubtree", "n.reparent_subtree", "nodeManager.ReparentSubtree"])
def test_an_operation_is_known_in_any_spelling(spelling: str) -> None:
    operation = read_operation([spelling, "a", "b", "and", "more"])

    assert (operation.name, operation.args, operation.is_recorded) == ("graft", ("a", "b"), False)


def test_what_a_person_does_is_recorded_and_what_works_on_the_tree_alone_is_not() -> None:
    assert read_operation(["deleteMessage", "a"]).is_recorded
    assert not read_operation(["B.deleteMessage", "a"]).is_recorded
    assert not read_operation(["switchToSiblingBranch", "a", "next"]).is_recorded


def test_an_operation_that_nobody_knows_is_named() -> None:
    case = tree_cases.case("unknown", (["N.reticulateSplines", "a1"], None))

    with pytest.raises(UnknownOperation, match=r"no operation on trees is called 'N\.reticulateSplines'"):
        reference.run(case)
