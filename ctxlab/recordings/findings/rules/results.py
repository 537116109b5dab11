"""Rules on the results of tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import CheckedContext, quoted, quoted_name
from ctxlab.recordings.findings.finding_rule import Found, finding_rule

FEWEST_TOKENS: Final = 50
"""Tokens of a result that counts when it comes again."""
FEWEST_RESULTS: Final = 100
FEWEST_EMPTY: Final = 3
_FAILED: Final = lazy_pattern(
    r"\s*(?:<tool_use_error>|Traceback \(most recent|(?:fatal |command )?error\b|fatal:)", re.I
)
_CUT: Final = lazy_pattern(
    r"(?:\[|\(|\.\.\.|…|<|\*)[^\n\]()<>]{0,60}\btruncated\b[^\n\]()<>]{0,80}(?:\]|\)|\.\.\.|…|>|\*)"
    r"|\b[\d,]+ (?:more )?(?:lines|characters|chars|bytes|tokens|items|results|rows) (?:truncated|omitted|not shown)\b"
    r"|\b(?:output|result|response|content)s? (?:was |were |is )?(?:too (?:long|large)[^\n]{0,40})?truncated\b"
    r"|(?:内容|输出|结果)(?:过长)?[，,]?已?(?:被)?截断|已省略|…（后略）",
    re.I,
)
"""Marks that programs put where they cut a result."""
TAIL: Final = 300
"""Characters at the end of a result in which such a mark counts."""


@finding_rule(
    "file-read-again",
    "A file read again unchanged",
    "Speaks of a file that a request has more than once, word for word.",
    "warning",
)
def file_read_again(checked: CheckedContext) -> Iterator[Found]:
    """Equal readings of a file, the later ones for nothing."""
    for parts in _equal(checked, "files", FEWEST_TOKENS):
        yield Found(
            f"The file {quoted_name(parts[0].file or parts[0].name)} is read {len(parts)} times with the same result, "
            "and the earlier reading was still in the prompt each time.",
            "Answer the second reading with a line that says it is unchanged.",
            tuple(checked.place_of(part) for part in parts),
            *checked.cost(parts[1:]),
        )


@finding_rule(
    "same-result-again",
    "A call made again in vain",
    "Speaks of a call with the same arguments whose result, of 100 tokens or more, was in the prompt word for word.",
    "note",
    example_real=True,
)
def same_result_again(checked: CheckedContext) -> Iterator[Found]:
    """Equal results of equal calls, files left out."""
    for parts in _equal(checked, "results", FEWEST_RESULTS):
        call = checked.call_of[parts[0].key]
        yield Found(
            f"The call {quoted_name(call.name)} {quoted(call.text)} gave the same result {len(parts)} times, "
            "and the earlier one was still in the prompt each time.",
            "Answer the second call with a line that says nothing has changed.",
            tuple(checked.place_of(part) for part in parts),
            *checked.cost(parts[1:]),
        )


def _equal(checked: CheckedContext, source: str, fewest: int) -> Iterator[list[PromptPart]]:
    """Results that are equal, of the same file or of equal calls, those that follow one another on one way."""
    known: dict[tuple[str, str, str], list[PromptPart]] = {}
    for part in checked.all_parts():
        call = checked.call_of.get(part.key) if part.source == source else None
        if call is None or part.tokens < fewest or part.failed:
            continue
        key = (part.file, "", part.text) if source == "files" and part.file else (call.name, call.text, part.text)
        known.setdefault(key, []).append(part)
    for parts in known.values():
        chain = [parts[0]]
        for part in parts[1:]:
            if any(checked.is_above(earlier.key, part.key) for earlier in chain[-3:]):
                chain.append(part)
        if len(chain) > 1:
            yield chain


@finding_rule(
    "old-file-version",
    "Old readings of a file",
    "Speaks of the same reading of a file, made again with another result, while the older result is still sent.",
    "note",
    example_real=True,
)
def old_file_version(checked: CheckedContext) -> Iterator[Found]:
    """Older states of a file that are carried along beside the newest."""
    readings: dict[tuple[str, str], list[PromptPart]] = {}
    for part in checked.all_parts():
        call = checked.call_of.get(part.key) if part.source == "files" and part.file else None
        if call is not None and not part.failed and part.tokens >= FEWEST_TOKENS:
            readings.setdefault((call.name, call.text), []).append(part)
    for parts in readings.values():
        pairs = [
            (old, new) for old, new in pairwise(parts) if old.text != new.text and checked.is_above(old.key, new.key)
        ]
        if pairs:
            states = len({part.text for pair in pairs for part in pair})
            yield Found(
                f"The file {quoted_name(parts[0].file)} is in the prompt in {states} different states, each the "
                "result of the same call.",
                "Put a line in the place of the older result when the file is read again.",
                tuple(checked.place_of(part) for part in dict.fromkeys(part for pair in pairs for part in pair)),
                *checked.cost_of((new.key, old.tokens) for old, new in pairs),
            )


@finding_rule(
    "failed-call-again",
    "A failed call made again",
    "Speaks of a call that failed and was made again at once, with the same arguments and the same failure.",
    "warning",
)
def failed_call_again(checked: CheckedContext) -> Iterator[Found]:
    """Equal failures with nothing in between."""
    for id, call in checked.call_of.items():
        result = checked.node(id).content
        if not _has_failed(checked, id):
            continue
        for earlier in _results_before(checked, call.key):
            first = checked.call_of.get(earlier)
            if first is None or (first.name, first.text) != (call.name, call.text):
                continue
            if _has_failed(checked, earlier) and checked.node(earlier).content == result:
                parts = [part for node in (call.key, id) for part in checked.parts_of(node) if part.call == call.call]
                yield Found(
                    f"The call {quoted_name(call.name)} failed with {quoted(result)} and was called again at once "
                    "with the same arguments, to fail with the same words.",
                    "Say in the failure what to do in its place, or refuse the same call in the program.",
                    (checked.place(earlier), checked.place(id)),
                    *checked.cost(parts),
                )
                break


def _results_before(checked: CheckedContext, id: str) -> Iterator[str]:
    """The results right above a message."""
    above = checked.node(id).parent_id
    while above is not None and above in checked.number and checked.node(above).role == "tool":
        yield above
        above = checked.node(above).parent_id


def _has_failed(checked: CheckedContext, id: str) -> bool:
    node = checked.node(id)
    return any(part.failed for part in checked.parts_of(id)) or _FAILED.match(node.content[:200]) is not None


@finding_rule(
    "empty-results",
    "Results without a word",
    "Speaks of three or more results that are empty, so that the model can't see whether the call worked.",
    "note",
    example_real=True,
)
def empty_results(checked: CheckedContext) -> Iterator[Found]:
    """Calls that were answered with nothing."""
    results = [id for id in checked.nodes if checked.node(id).role == "tool"]
    empty = [id for id in results if not checked.node(id).content.strip() and not checked.node(id).attachments]
    if len(empty) >= FEWEST_EMPTY:
        names = sorted({call.name for id in empty if (call := checked.call_of.get(id)) is not None})
        of = f", of {', '.join(map(quoted_name, names[:4]))}" if names else ""
        yield Found(
            f"{len(empty)} of {counted(len(results), 'result')} are empty{of}, and don't say whether the call worked.",
            "Answer such a call with a word, such as done.",
            tuple(checked.place(id) for id in empty),
        )


@finding_rule(
    "result-cut",
    "A result that was cut",
    "Speaks of results of tools that end with a mark which says that they were cut.",
    "note",
    example_real=True,
)
def result_cut(checked: CheckedContext) -> Iterator[Found]:
    """Caps of programs, by the marks that they leave at the end."""
    for part in checked.all_parts():
        if part.source not in ("results", "files") or not part.text:
            continue
        begin = max(0, len(part.text) - TAIL)
        mark = _CUT.search(part.text, begin)
        if mark is not None:
            start = (part.start or 0) + mark.start()
            yield Found(
                f"The result of {quoted_name(part.name) or 'a call'} has {quoted(mark[0])} near its end: the model "
                "has only a part of it.",
                "Ask for less, such as fewer lines, or say how to get the rest.",
                (checked.place(part.key, start, start + len(mark[0]), quoted_name(part.file or part.name)),),
                *checked.cost([part]),
            )
