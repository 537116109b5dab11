"""Unknown fields of stored values whose names are nearly those of known ones."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.documents.stored import Stored

NEARLY = 0.8
"""Similarity, by difflib, from which an unknown field counts as a misspelt one; other programs' fields are far off."""


def misspelt_fields(value: Stored, place: str) -> Iterator[str]:
    """A sentence for each field that is kept but not used, and that is spelled nearly as one which is.

    >>> from ctxlab.documents import RegexRule
    >>> print(*misspelt_fields(RegexRule(regex="a", replacment="b"), "rule 'a'"))
    rule 'a' has no field 'replacment'; did you mean 'replacement'; it is kept, and not used
    """
    if not value.model_extra:
        return
    from difflib import get_close_matches

    fields = type(value).model_fields
    known = {spelling: name for name, field in fields.items() for spelling in (field.alias or name, name)}
    for name in value.model_extra:
        near = get_close_matches(name, known, n=1, cutoff=NEARLY)
        if near and known[near[0]] not in value.model_fields_set:
            yield f"{place} has no field {name!r}; did you mean {near[0]!r}; it is kept, and not used"
