"""Messages name what is near, or what there is, and stay short."""

from __future__ import annotations

from ctxlab.errors import did_you_mean


def test_what_is_near_is_named() -> None:
    assert did_you_mean("token-limitr", ["token-limiter", "merge-system"]) == "; did you mean 'token-limiter'?"


def test_a_few_are_all_listed() -> None:
    assert did_you_mean("zzz", ["one", "two"]) == "; there are: one, two"


def test_of_very_many_some_are_listed_and_the_rest_counted() -> None:
    said = did_you_mean("zzz", [f"node{i}" for i in range(2000)])

    assert len(said) < 400
    assert said.endswith("and 1,970 more")
