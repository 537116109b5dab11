"""The file of a study: every key that it may have."""

from __future__ import annotations

from collections.abc import Mapping

from _ext.reference.markdown import code, page, table
from ctxlab.studies.study.study_file_keys import CASES_KEYS, OTHER_KEYS, STUDY_KEYS, VARIANT_KEYS, FileKey

INTRO = """`ctxlab study STUDY.toml` runs it, `ctxlab.Study.from_file("STUDY.toml")` is it in Python. Paths are from the
folder of the file. A key that isn't known is an error that names its line."""
EXAMPLE = """```toml
budgets = [600, 1200]
scorers = ["evidence", { name = "repetition", n = 8 }]

[cases]
kind = "questions"
files = "research_tree.session.json"
labels = "studies/bundled_questions.json"

[variants.sliding]
strategy = "sliding"

[variants.halves]
strategy = "head-and-tail"
token-limiter.head_share = 0.5
```"""


def study_file() -> str:
    """The page."""
    return page(
        "Keys of a study's file",
        INTRO,
        EXAMPLE,
        "## The file",
        _keys(STUDY_KEYS),
        "## `[cases]`",
        _keys(CASES_KEYS),
        "## `[variants.NAME]`, and a row of a grid",
        _keys(VARIANT_KEYS),
        OTHER_KEYS,
        "Scorers and their settings are [a page of their own](scorers.md).",
    )


def _keys(keys: Mapping[str, FileKey]) -> str:
    rows = ([code(name), key.takes, key.default, key.meaning] for name, key in keys.items())
    return table(["key", "takes", "without it", "meaning"], rows)
