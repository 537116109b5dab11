"""Prompts under test: what a built context must be, snapshots of it as text, and folders of cases."""

from ctxlab.public_names import listed
from ctxlab.testing.context_assertions.assert_context import ContextAssertion, assert_context
from ctxlab.testing.context_assertions.case_files import ContextCase, load_context_cases
from ctxlab.testing.context_assertions.expect import (
    before,
    cheaper_than,
    fires,
    has,
    kept,
    prefix_stable,
    says,
    sound_pairs,
    under,
)
from ctxlab.testing.context_assertions.expectation import Expectation, Finding, all_of, any_of
from ctxlab.testing.context_assertions.snapshot_text import snapshot_text

__all__ = [
    "ContextAssertion",
    "ContextCase",
    "Expectation",
    "Finding",
    "all_of",
    "any_of",
    "assert_context",
    "before",
    "cheaper_than",
    "fires",
    "has",
    "kept",
    "load_context_cases",
    "prefix_stable",
    "says",
    "snapshot_text",
    "sound_pairs",
    "under",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
