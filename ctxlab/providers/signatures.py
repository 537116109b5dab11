"""Signatures that vendors give with thoughts."""

from __future__ import annotations

from ctxlab.lazy_pattern import lazy_pattern

_BASE64 = lazy_pattern(r"[A-Za-z0-9+/_-]+={0,2}")


def is_signature(value: object) -> bool:
    """Whether a value can be a signature: base64 in either alphabet. A word that stands for one that was removed isn't.

    >>> is_signature("c2lnbmVk"), is_signature("[REDACTED]"), is_signature("c2lnb"), is_signature("")
    (True, False, False, False)
    """
    return isinstance(value, str) and _BASE64.fullmatch(value) is not None and len(value.rstrip("=")) % 4 != 1
