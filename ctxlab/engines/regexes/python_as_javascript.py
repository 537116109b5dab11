"""Python patterns translated to JavaScript, near enough to count their backtracks in V8."""

from __future__ import annotations

import re

from ctxlab.engines.regexes.pattern import Pattern

_TOKEN = re.compile(r"\\.|\(\?P<|\(\?P=(?P<back>\w+)\)|\(\?#[^)]*\)|\{,(?=\d+\})|[\[\]]|.", re.DOTALL)
_LEADING_FLAGS = re.compile(r"\(\?([aimsu]+)\)")
_WRITTEN = {"(?P<": "(?<", r"\A": "(?<![^])", r"\Z": "(?![^])", r"\z": "(?![^])", "{,": "{0,"}
_BACKTRACKS = "(?=[^]|(?![^]))"
"""True everywhere; V8's engine of linear time, which has no backtracks to count, takes no lookahead."""
_BEYOND_ASCII = r"\u0080-\uffff"


def as_javascript(pattern: Pattern) -> Pattern | None:
    r"""The pattern for V8; None with the flag x, where blanks and comments say nothing.

    A pattern that V8 doesn't know is refused there.

    >>> as_javascript(Pattern(r"\A(?P<x>\w+)(?P=x)", "i", "python")).body
    '(?=[^]|(?![^]))(?:(?<![^])(?<x>[\\w\\u0080-\\uffff]+)\\k<x>)'
    """
    leading = _LEADING_FLAGS.match(pattern.body)
    said = pattern.flags + (leading[1] if leading else "")
    if "x" in said:
        return None
    body = pattern.body[leading.end() :] if leading else pattern.body
    in_class, parts = False, list[str]()
    for match in _TOKEN.finditer(body):
        token = match.group()
        if token == r"\w":
            token = rf"\w{_BEYOND_ASCII}" if in_class else rf"[\w{_BEYOND_ASCII}]"
        elif in_class:
            in_class = token != "]"
        elif match["back"] is not None:
            token = rf"\k<{match['back']}>"
        elif token.startswith("(?#"):
            token = ""
        else:
            in_class = token == "["
            token = _WRITTEN.get(token, token)
        parts.append(token)
    flags = "".join(flag for flag in "gims" if flag in said)
    return Pattern(f"{_BACKTRACKS}(?:{''.join(parts)})", flags)
