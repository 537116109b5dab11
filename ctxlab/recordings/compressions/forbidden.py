"""Things that a rule forbids by name: paths, commands and words, each with the kind of action that would use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from ctxlab.engines.compression.facts.fact import width_folded
from ctxlab.engines.compression.facts.references import paths
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.ranking.stop_words import STOP_WORDS
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Action = Literal["change", "use", "say"]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Characters `start` up to `end` of a rule: what it forbids, and to do what with it."""

    action: Action
    text: str
    start: int
    end: int


_CLAUSE = lazy_pattern(r"(?:[^,.;，。；!！?？]|(?<=\d),(?=\d)|\.(?=[A-Za-z0-9]))+")
_FORBIDS = lazy_pattern(
    r"\b(?:never|do not|don['’]?t|must not|mustn['’]?t|may not|cannot|can['’]?t|should not|shouldn['’]?t|avoid|without"
    r"|nor|not|no|refrain from)\b|不要|不许|不准|不得|不能|不可以?|禁止|严禁|请?勿|切勿|别|禁用",
    re.IGNORECASE,
)
_STAYS = lazy_pattern(
    r"\b(?:stays?|remains?|leave|keep)\b.{0,60}"
    r"\b(?:as (?:it|they) (?:is|are)|as[- ]is|alone|untouched|unchanged|intact)\b"
    r"|\b(?:is|are) (?:frozen|off[- ]limits|read[- ]only)\b|保持(?:原样|不变)|不动|原封不动",
    re.IGNORECASE,
)
_CHANGE = lazy_pattern(
    r"\b(?:touch|edit|change|modif(?:y|ies)|alter"
    r"|writ(?:e|ing) (?:to|in|into)|delete|remove|rename|move|overwrite|rewrite"
    r"|refactor|commit)\w*\b|[改动碰删写]|编辑|覆盖|重命名",
    re.IGNORECASE,
)
_SAY = lazy_pattern(
    r"\b(?:name|mention|say|reveal|tell|call|the words?|the phrase|the term|the name)\b"
    r"|出现|提到?|说|写成|译[成作]|叫|透露|称",
    re.IGNORECASE,
)
_WORD = r"(?:--?)?[A-Za-z][\w.+-]*"
_RUN = rf"(?:\b(?:run|running)\b|运行|执行|跑)\s*({_WORD}(?:[ ]{_WORD}){{1,2}})"
_USE = (
    r"(?:\b(?:use|using|import|install|call|invoke|execute)\b|用|安装|引入)\s*"
    rf"({_WORD}(?:[ ]{_WORD}){{0,2}})"
)
_NOR = rf"\b(?:never|not|no|nor|or)\s+({_WORD})"
_FLAG = r"(?<![\w-])(--[a-z][\w-]+)"
_OF_USE = lazy_pattern(r"\b(?:use|using|run|install|import)\b|[用跑]|使用|安装|运行", re.IGNORECASE)
_QUOTED = lazy_pattern(r"[\"“「『]([^\"“”「」『』\n]{2,60})[\"”」』]|(?<!\w)'([^'\n]{2,60})'(?!\w)")
_CODE = lazy_pattern(r"`([^`\n]{2,80})`")
_BEHIND_SAY = lazy_pattern(r"(?:出现|提到|提|说出?|写成|译[成作]|叫|透露)[“「『\"]?([\u4e00-\u9fff]{2,6})[”」』\"]?$")
_NO_NAMES = """
    any anything anyone everything something nothing one ones thing things way ways longer more than too very yet ever
    new newer older old other others another same such code file files folder change changes direct please again here
    there also just only even still well words word phrase term name comments comment it them
"""
_NO_COMMANDS = frozenset(_NO_NAMES.split())
_OF_RULES = "run running use using import install call invoke execute add touch edit change"
_VERBS = frozenset(_OF_RULES.split())
_ARGUMENTS = frozenset(("up", "down", "off", "out", "all"))
"""Words that say little in a text and much in a command."""


def forbidden_in(rule: str) -> Iterator[Forbidden]:
    """Things that a rule forbids by name, in its order; nothing where it names nothing that can be looked for."""
    plain = width_folded(rule)
    seen: set[tuple[Action, str]] = set()
    for clause in _CLAUSE.finditer(plain):
        for each in _of_clause(plain, *clause.span()):
            if (each.action, each.text.lower()) not in seen:
                seen.add((each.action, each.text.lower()))
                yield each


def _of_clause(rule: str, start: int, end: int) -> Iterator[Forbidden]:
    clause = rule[start:end]
    stays = _STAYS.search(clause)
    forbids = _FORBIDS.search(clause)
    if stays is None and forbids is None:
        return
    behind = 0 if stays is not None or forbids is None else forbids.end()
    said = clause[behind:]
    named = [(behind + a, behind + b) for a, b in _named(said)]
    files = _files(clause, behind)
    if stays is not None or _CHANGE.search(said):
        yield from (Forbidden("change", clause[a:b], start + a, start + b) for a, b in files)
    if stays is not None:
        return
    if _SAY.search(said) or (named and _QUOTED.search(said)):
        yield from (Forbidden("say", clause[a:b], start + a, start + b) for a, b in named)
        if (word := _BEHIND_SAY.search(clause)) is not None:
            yield Forbidden("say", word[1], start + word.start(1), start + word.end(1))
    if not _SAY.search(said):
        places = named if _OF_USE.search(rule) else []
        for a, b in [
            *places,
            *_commands(clause, forbids.start() if forbids else 0, is_of_use=bool(_OF_USE.search(rule))),
        ]:
            yield Forbidden("use", clause[a:b], start + a, start + b)


def _named(text: str) -> list[tuple[int, int]]:
    """Places of what stands in quotation marks or in marks of code."""
    quoted = [match.span(1) if match[1] is not None else match.span(2) for match in _QUOTED.finditer(text)]
    return quoted + [match.span(1) for match in _CODE.finditer(text)]


_FOLDER = lazy_pattern(r"(?<![\w/])[\w.-]+/(?:[\w.-]+/?)*", re.ASCII)


def _files(clause: str, behind: int) -> list[tuple[int, int]]:
    """Places of paths behind a prohibition, also short ones such as src/legacy and docs/."""
    said = clause[behind:]
    found = [(behind + fact.start, behind + fact.end) for fact in paths(said, Taken(len(said)))]
    folders = [match.span() for match in _FOLDER.finditer(clause, behind)]
    return sorted(found + [(a, b) for a, b in folders if all(b <= x or y <= a for x, y in found)])


def _commands(clause: str, at: int, *, is_of_use: bool) -> Iterator[tuple[int, int]]:
    """Places of commands and names that a prohibition is of: right behind its verb, or another *nor* and *or*."""
    taken: list[tuple[int, int]] = []
    for pattern in (_RUN, _USE, *([_NOR] if is_of_use else []), _FLAG):
        for match in re.finditer(pattern, clause[at:], re.IGNORECASE):
            start, end = at + match.start(1), at + _end_of_name(clause[at:], *match.span(1))
            alone = pattern is _RUN and " " not in clause[start:end]
            if end > start and not alone and all(end <= a or b <= start for a, b in taken):
                taken.append((start, end))
    yield from sorted(taken)


def _end_of_name(text: str, start: int, end: int) -> int:
    """The end of the words that name something: those before the first one that doesn't."""
    last = start
    for match in re.finditer(r"\S+", text[start:end]):
        word = match[0].lower().rstrip(".")
        if (
            (word in STOP_WORDS and word not in _ARGUMENTS)
            or word in _NO_COMMANDS
            or (last == start and word in _VERBS)
        ):
            break
        last = start + match.start() + len(match[0].rstrip("."))
    return last
