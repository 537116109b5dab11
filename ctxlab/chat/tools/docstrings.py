"""The first paragraph of a docstring and its lines about parameters, in the styles of Google, numpy and Sphinx."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.lazy_pattern import lazy_pattern

_SECTION = lazy_pattern(r"(?:Args|Arguments|Parameters|Params):?[ \t]*")
_ANY_SECTION = lazy_pattern(r"[A-Z][A-Za-z ]{2,30}:[ \t]*")
_GOOGLE = lazy_pattern(r"\*{0,2}(\w+)[ \t]*(?:\([^()\n]*\))?[ \t]*[:：][ \t]*(.*)")
_NUMPY = lazy_pattern(r"\*{0,2}(\w+)[ \t]*(?::[^\n]*)?")
_SPHINX = lazy_pattern(r":param(?:[ \t]+[^\s:]+)?[ \t]+(\w+)[ \t]*:[ \t]*(.*)")
_FIELD = lazy_pattern(r":\w+[^:\n]*:")


def summary_and_parameters(doc: str) -> tuple[str, dict[str, str]]:
    """The first paragraph, on one line, and what is said of each parameter.

    >>> summary_and_parameters("Weather of a city.\\n\\nArgs:\\n    city: Its name,\\n        in Chinese.")
    ('Weather of a city.', {'city': 'Its name, in Chinese.'})
    """
    lines = doc.expandtabs().splitlines()
    return " ".join(_first_paragraph(lines)), _parameters(lines)


def _first_paragraph(lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        words = line.strip()
        if not words or _FIELD.match(words) or _SECTION.fullmatch(words) or _is_underlined(lines, number):
            return
        yield words


def _parameters(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    number = 0
    while number < len(lines):
        words = lines[number].strip()
        if sphinx := _SPHINX.fullmatch(words):
            found[sphinx[1]] = [sphinx[2], *_deeper(lines, number + 1, _indent(lines[number]))]
        elif _SECTION.fullmatch(words):
            underlined = _is_underlined(lines, number)
            found.update(_of_section(lines, number + (2 if underlined else 1), _indent(lines[number]), underlined))
        number += 1
    return {name: text for name, parts in found.items() if (text := " ".join(part for part in parts if part))}


def _of_section(lines: list[str], start: int, above: int, numpy: bool) -> Iterator[tuple[str, list[str]]]:  # noqa: FBT001
    depth: int | None = None
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        indent = _indent(line)
        ends = _is_underlined(lines, number) if numpy else indent <= above or _ANY_SECTION.fullmatch(line)
        if ends:
            return
        depth = indent if depth is None else depth
        named = (_NUMPY if numpy else _GOOGLE).fullmatch(line.strip()) if indent == depth else None
        if named is not None:
            own = [] if numpy else [named[2]]
            yield named[1], [*own, *_deeper(lines, number + 1, indent)]


def _deeper(lines: list[str], start: int, indent: int) -> Iterator[str]:
    for line in lines[start:]:
        if not line.strip() or _indent(line) <= indent:
            return
        yield line.strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _is_underlined(lines: list[str], number: int) -> bool:
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return len(below) >= 3 and set(below) == {"-"}
