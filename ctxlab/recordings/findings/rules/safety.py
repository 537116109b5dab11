"""Rules on secrets, on instructions inside data, and on characters that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from ctxlab.display.short_texts import counted
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt import PromptPart
from ctxlab.recordings.findings.checked_context import CheckedContext, added, quoted, quoted_name
from ctxlab.recordings.findings.finding import FindingPlace
from ctxlab.recordings.findings.finding_rule import Found, finding_rule
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.secrets import secrets_in

_EARLIER: Final = r"(?:previous|prior|above|preceding|earlier|foregoing|existing|original|system)"
_ORDERS: Final = r"(?:instruction|direction|prompt|rule|guideline|command|message|context|task)s?"
_INSTRUCTIONS: Final = lazy_pattern(
    rf"\b(?:ignore|disregard|forget|override|bypass)\s+(?:all\s+|any\s+|everything\s+)?(?:of\s+)?(?:the\s+|your\s+|my\s+)?"
    rf"{_EARLIER}\s+(?:and\s+\w+\s+)?{_ORDERS}\b"
    r"|\b(?:ignore|disregard|forget)\s+(?:everything|all)\s+(?:above|before(?:\s+this)?|you(?:'ve| have| were)\s+\w+)"
    r"|\b(?:reveal|print|repeat|output|show|leak)\s+(?:me\s+)?(?:your|the)\s+(?:entire\s+|full\s+|hidden\s+)?system\s+prompt"
    r"|\b(?:do\s+not|don't|never)\s+(?:tell|inform|mention\s+(?:this\s+|it\s+)?to|alert)\s+the\s+user\b"
    r"|<\|im_start\|>\s*system|\[/?INST\]|<<SYS>>"
    r"|(?:忽略|无视|忘记|忘掉|不要理会|不用管)(?:掉)?(?:你)?(?:之前|以上|上面|前面|先前|上述|此前|所有|全部|一切)(?:的|所有|全部|一切)*"
    r"(?:指令|指示|提示词?|要求|规则|内容|设定|命令)"
    r"|(?:不要|别|切勿|禁止)(?:告诉|告知|透露给|提醒)用户"
    r"|(?:输出|显示|透露|泄露|复述)(?:你的|完整的?)?系统提示词?",
    re.IGNORECASE,
)
_HIDDEN: Final = lazy_pattern(
    "(?P<order>[\u202a-\u202e\u2066-\u2069])|(?P<tags>(?<!\U0001f3f4)(?<![\U000e0020-\U000e007f])[\U000e0020-\U000e007f]+)"
    "|(?P<selectors>[\U000e0100-\U000e01ef]{2,})|(?P<blank>[\u200b\u2060-\u2064]|(?<!^)\ufeff)"
)
_KINDS: Final = {
    "order": "marks that turn the order of characters",
    "tags": "invisible letters",
    "selectors": "runs of variation selectors",
    "blank": "characters without a width",
}


@finding_rule(
    "secret",
    "A secret in the context",
    "Speaks of what has the form of a vendor's key, a token or a private key; in the finding it is masked.",
    "error",
)
def secret(checked: CheckedContext) -> Iterator[Found]:
    """Each different key once, with all its places."""
    shown: dict[str, str] = {}
    places: dict[str, list[FindingPlace]] = {}
    costs: dict[str, list[tuple[int, float | None]]] = {}
    for part, request in _texts(checked):
        for start, end, masked in secrets_in(part.text):
            key = part.text[start:end]
            shown[key] = masked
            places.setdefault(key, []).append(_place(checked, part, request, start, end))
            if part.key:
                tokens = checked.tokens(key)
                costs.setdefault(key, []).append(checked.cost_of([(part.key, tokens)]))
    for number, key in enumerate(shown):
        many = f", at {counted(len(places[key]), 'place')}" if len(places[key]) > 1 else ""
        yield Found(
            f"What has the form of a key ({shown[key]}, number {number + 1} of {len(shown)}) is in what is sent{many}.",
            "Revoke it, and mask such values before they come into a prompt.",
            tuple(dict.fromkeys(places[key])),
            *added(costs.get(key, [])),
        )


@finding_rule(
    "instructions-in-result",
    "Instructions inside a result",
    "Speaks of words in results of tools, files and retrieved text that order a model about, in English or Chinese.",
    "warning",
)
def instructions_in_result(checked: CheckedContext) -> Iterator[Found]:
    """Imperatives to the model in what is data."""
    for id, start, text, about in _data(checked):
        found = [*_INSTRUCTIONS.finditer(text)]
        if found:
            more = f" and {len(found) - 1} more such" if len(found) > 1 else ""
            yield Found(
                f"A result{f' of {quoted_name(about)}' if about else ''} has the words {quoted(found[0][0])}{more}, "
                "which a model may take as an order.",
                "Look at where the result is from, and set such text off as data.",
                tuple(checked.place(id, start + hit.start(), start + hit.end(), quoted_name(about)) for hit in found),
                *checked.cost_of([(id, checked.tokens(text))]),
            )


def _data(checked: CheckedContext) -> Iterator[tuple[str, int, str, str]]:
    """Texts of results, and of a run those of knowledge and files: message, place in it, text, and whose it is."""
    for part in checked.all_parts():
        if part.source in ("results", "files"):
            yield part.key, part.start or 0, part.text, part.file or part.name
    for id, stretches in checked.retrieved.items():
        content = checked.node(id).content if id in checked.number else ""
        for start, end in stretches:
            yield id, start, content[start:end], "a search or a file"


@finding_rule(
    "hidden-characters",
    "Characters that nobody sees",
    "Speaks of marks that turn the order of text, of invisible letters and of characters without a width.",
    "warning",
    example_real=True,
)
def hidden_characters(checked: CheckedContext) -> Iterator[Found]:
    """Characters that a person doesn't see and a model reads."""
    for part, request in _texts(checked):
        if part.text.isascii():
            continue
        found = [*_HIDDEN.finditer(part.text)]
        if found:
            kinds = dict.fromkeys(_KINDS[hit.lastgroup or "blank"] for hit in found)
            code = f"U+{ord(found[0][0][0]):04X}"
            about = part.file or part.name
            yield Found(
                f"{counted(len(found), 'place')} of {_named(part, about)} {'has' if len(found) == 1 else 'have'} "
                f"{' and '.join(kinds)}, the first {code}.",
                "Take them out before the text is sent.",
                tuple(_place(checked, part, request, hit.start(), hit.end()) for hit in found[:50]),
                *checked.cost_of([(part.key, len(found))] if part.key else []),
            )


def _named(part: PromptPart, about: str) -> str:
    kinds = {"files": "a file", "results": "a result", "system": "a system text", "tools": "a tool's definition"}
    return kinds.get(part.source, "a message") + (f" ({quoted_name(about)})" if about else "")


def _texts(checked: CheckedContext) -> Iterator[tuple[PromptPart, RecordedRequest | None]]:
    """All parts of heads, each with the request that had it first, and of messages."""
    for head, request in checked.heads.values():
        for part in checked.parts.of_head(head):
            yield part, request
    for part in checked.all_parts():
        yield part, None


def _place(
    checked: CheckedContext, part: PromptPart, request: RecordedRequest | None, start: int, end: int
) -> FindingPlace:
    if request is not None:
        return checked.head_place(request, part, start, end)
    if part.start is None:
        return checked.place_of(part)
    return checked.place(part.key, part.start + start, part.start + end, quoted_name(part.name))
