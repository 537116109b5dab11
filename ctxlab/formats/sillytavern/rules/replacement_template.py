"""Replacements as SillyTavern writes them: `$1`, `$<name>`, `$0` and `{{match}}`; any other `$` is just a `$`.

JavaScript's own, which rules have, gives a meaning to `$$`, `$&`, `` $` `` and `$'` too: a script that puts code in its
place (`'$' + price`) would come out garbled.
"""

from __future__ import annotations

import re

from ctxlab.engines.regexes.replacement_template import MATCH

_SPECIAL = re.compile(r"\$(?=[$&`'])|\$0(?![0-9])")
_OURS = re.compile(r"\$([$&])")


def from_tavern(template: str) -> str:
    """As rules have it.

    >>> from_tavern("$1: $0 costs $$5")
    '$1: {{match}} costs $$$5'
    """
    return _SPECIAL.sub(lambda found: "$$" if found[0] == "$" else "{{match}}", template)


def to_tavern(template: str) -> str:
    """As scripts have it; what stands before and after a match has no name there."""
    return _OURS.sub(lambda found: "$" if found[1] == "$" else "{{match}}", template)


def has_macros(template: str) -> bool:
    """Whether there is one besides `{{match}}`."""
    return "{{" in MATCH.sub("", template)
