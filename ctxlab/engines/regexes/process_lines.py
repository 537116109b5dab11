"""Line processing of quick actions: find and replace in each line, then a prefix and a suffix."""

from __future__ import annotations

from ctxlab.documents.quick_actions import LineProcessing
from ctxlab.engines.regexes.parse_replacement import Replacement
from ctxlab.engines.regexes.pattern import parse_pattern
from ctxlab.engines.regexes.replace import changed, replace_all
from ctxlab.lazy_pattern import lazy_pattern

LINE_BREAK = lazy_pattern(r"(\r\n|\n|\r)")


def process_lines(text: str, processing: LineProcessing) -> tuple[str, str]:
    """The text with each line worked on, and why the pattern was left out, empty where it wasn't.

    Line breaks stay as they are. The pattern sees one line at a time.
    """
    if not processing.does_something:
        return text, ""
    pieces = LINE_BREAK.split(text)  # lines and the breaks between them, by turns
    lines, problem = _replaced(pieces[::2], processing)
    pieces[::2] = [f"{processing.prefix}{line}{processing.suffix}" for line in lines]
    return "".join(pieces), problem


def _replaced(lines: list[str], processing: LineProcessing) -> tuple[list[str], str]:
    if not processing.regex_pattern:
        return lines, ""
    pattern = parse_pattern(processing.regex_pattern, default_flags=processing.regex_flags)
    found = replace_all(lines, [(0,)] * len(lines), [Replacement.of(pattern, processing.regex_replace)])
    made: list[str] = []
    for line, changes in zip(lines, found.changes, strict=True):
        for _, edits in changes:
            line = changed(line, edits)
        made.append(line)
    return made, found.problems.get(0, "")
