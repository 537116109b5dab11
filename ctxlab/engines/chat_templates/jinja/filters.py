"""Filters of templates: with limits, and over traced strings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from typing import Any, cast

from jinja2.filters import do_indent

from ctxlab.engines.chat_templates.jinja.limits import (
    MOST_STEPS,
    check_format,
    check_indent,
    check_numbers,
    check_replace,
    check_size,
)
from ctxlab.engines.chat_templates.jinja.traced_string import (
    TracedMarkup,
    TracedString,
    joined,
    leaf_string,
    runs_of,
    with_text,
)

WRITERS = frozenset(
    {
        *("soft_str", "escape", "do_mark_safe", "do_forceescape", "do_striptags", "do_pprint", "do_format"),
        *("do_upper", "do_lower", "do_title", "do_capitalize", "do_trim", "do_center", "do_truncate", "do_wordwrap"),
        *("do_replace", "do_indent", "do_wordcount", "do_urlencode"),
    }
)
"""Filters that write a value as a text, by jinja2's names."""


def sized(values: Any) -> Any:
    """The values of a list that is to be joined, or of what gives them one by one."""
    if isinstance(values, str):
        return values
    found = [*islice(values, MOST_STEPS)]
    check_size(found)
    return found


def limited_filter(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that refuses large numbers; what it wants passed first is passed."""

    def limited(*args: Any, **kwargs: Any) -> Any:
        check_numbers(args[1:])
        check_numbers(kwargs.values())
        name = getattr(function, "__name__", "")
        if name in WRITERS:
            check_size(args)
        if name == "do_format" and isinstance(args[0], str):
            check_format(args[0])
        elif name == "do_replace":
            check_replace(*[str(each) for each in args[1:4]])
        elif name == "do_join":
            args = (args[0], sized(args[1]), *args[2:])
        elif name == "do_indent":
            check_indent(str(args[0]), *args[1:2])
        return function(*args, **kwargs)

    limited.__dict__.update(getattr(function, "__dict__", {}))
    return limited


def as_string(value: Any) -> str:
    """A value as a text; a traced one stays as it is."""
    if isinstance(value, list | dict | tuple | set):
        check_size(value)
    return value if isinstance(value, str) else str(value)


def traced_safe(value: Any) -> str:
    """The filter `safe`."""
    text = as_string(value)
    return TracedMarkup(str.__str__(text), runs_of(text))


def traced_join(value: Iterable[Any], d: str = "", attribute: str | int | None = None) -> str:
    """The filter `join`."""
    items = sized(value)
    parts = [*items] if attribute is None else [_member(each, attribute) for each in items]
    return _leaf(d).join([as_string(each) for each in parts])


def _member(value: Any, name: str | int) -> Any:
    """A member by a path with dots, as jinja2's filters take one."""
    for part in str(name).split("."):
        if isinstance(value, Mapping):
            value = cast("Mapping[Any, Any]", value).get(part, "")
        elif isinstance(value, list | tuple) and part.isdecimal() and int(part) < len(cast("list[Any]", value)):
            value = value[int(part)]
        else:
            value = ""
    return value


def _leaf(value: Any) -> TracedString:
    """A value as a traced string; of no leaf where it wasn't one."""
    return value if isinstance(value, TracedString) else leaf_string(as_string(value), -1)


def traced_replace(s: Any, old: Any, new: Any, count: int | None = None) -> str:
    """The filter `replace`."""
    text = _leaf(s)
    return text.replace(str(old), as_string(new), -1 if count is None else count)


def traced_indent(s: Any, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    """The filter `indent`."""
    check_numbers((width,))
    text = _leaf(s)
    check_indent(text, width)
    margin = " " * width if isinstance(width, int) else width
    lines = (text + "\n").splitlines()  # as jinja2 does it, so that a line feed at the end stays
    found: list[str] = []
    for number, line in enumerate(lines):
        if number:
            found.append("\n")
        if first if number == 0 else bool(line) or blank:
            found.append(margin)
        found.append(line)
    return with_text(do_indent(str.__str__(text), width, first, blank), joined(found))
