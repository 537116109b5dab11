"""No two tests share the file of a snapshot, whatever they are called."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.testing.context_assertions.snapshot_files import SnapshotFile

NAMES = st.lists(
    st.sampled_from(["a", "A", "::", ":", "-", "_", "/", "\\", ".", "[", "]", "~", " ", "é", "e\u0301"]), min_size=1
)


def path(test: str, label: str = "") -> str:
    """The path of a snapshot."""
    return str(SnapshotFile(Path("test_it.py"), test, label).path)


@given(first=NAMES.map("".join), second=NAMES.map("".join), label=NAMES.map("".join))
def test_other_names_have_other_files(first: str, second: str, label: str) -> None:
    assert (path(first) == path(second)) == (first == second)
    assert (path("test_a", first) == path("test_a", second)) == (first == second)
    assert path(first) != path(first, label)


@pytest.mark.parametrize("values", [("a::b", "a-b", "a/b", "a_b", "a.b"), ("a", "A"), ("x" * 200, "x" * 201)])
def test_values_of_one_test_have_files_of_their_own_on_every_system(values: tuple[str, ...]) -> None:
    paths = [path(f"TestX::test_a[{value}]").lower() for value in values]

    assert all(first != second for first, second in combinations(paths, 2))


def test_a_plain_name_is_the_name_of_its_file() -> None:
    assert (
        SnapshotFile(Path("test_it.py"), "TestX::test_a[one]", "first-turn").path.name
        == "TestX-test_a[one].first-turn.txt"
    )
