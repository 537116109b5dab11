"""Things that a rule forbids by name: paths, commands and words, each with the kind of action that would use it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ctxlab.engines.compression.facts.fact import width_folded
from ctxlab.engines.compression.facts.references import paths
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.ranking.stop_words import STOP_WORDS

Action = Literal["change", "use", "say"]


@dataclass(frozen=True, slots=True)
class Forbidden:
    """Characters `start` up to `end` of a rule: what it forbids, and to do what with it."""

    action: Action
    text: str
    start: int
    end: int


_CLAUSE = re.compile(r"(?:[^,.;，。；!！?？]|[.,](?=\w))+")
_FORBIDS = re.compile(
    r"\b(?:never|do not|don['’]?t|must not|mustn['’]?t|may not|cannot|can['’]?t|should not|shouldn['’]?t|avoid|without"
    r"|nor|not|no|refrain from)\b|不要|不许|不准|不得|不能|不可以?|禁止|严禁|请?勿|切勿|别|禁用",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:stays?|remains?|leave|keep)\b.{0,60}\b(?:as (?:it|they) (?:is|are)|as[- ]is|alone|untouched|unchanged|intact)\b"
    r"|\b(?:is|are) (?:frozen|off[- ]limits|read[- ]only)\b|保持(?:原样|不变)|不动|原封不动",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\b(?:touch|edit|change|modif(?:y|ies)|alter|writ(?:e|ing) (?:to|in|into)|delete|remove|rename|move|overwrite|rewrite"
    r"|refactor|commit)\w*\b|[改动碰删写]|编辑|覆盖|重命名",
    re.IGNORECASE,
)
_SAY = re.compile(
    r"\b(?:name|mention|say|reveal|tell|call|the words?|the phrase|the term|the name)\b|出现|提到?|说|写成|译[成作]|叫|透露|称",
    re.IGNORECASE,
)
_USE = re.compile(
    r"\b(?:use|using|run|running|call|import|install|add|push|execute|invoke|never|no|not|nor)\b|[用跑]|运行|调用|安装|引入|使用",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“「『]([^\"“”「」『』\n]{2,60})[\"”」』]|(?<!\w)'([^'\n]{2,60})'(?!\w)")
_CODE = re.compile(r"`([^`\n]{2,80})`")
_ASCII_WORD = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z][\w.+-]*\w")
_BEHIND_SAY = re.compile(r"(?:出现|提到|提|说出?|写成|译[成作]|叫|透露)[“「『\"]?([\u4e00-\u9fff]{2,6})[”」』\"]?$")
_NO_COMMANDS = frozenset(
    """
    any anything anyone everything something nothing one ones thing things way ways longer more than too very yet ever
    new newer older old other others another same such code file files folder change changes changing direct
    please again here there also just only even still well it they them this that these those use using used run running
    call import install add push execute invoke touch edit change modify delete remove rename move word words phrase term
    name mention say reveal tell comments comment make making do does doing ask asking explain write writing worry
    """.split()
)
_MOST_WORDS = 3


def forbidden_in(rule: str) -> Iterator[Forbidden]:
    """What a rule forbids by name, in its order; nothing where it names nothing that can be looked for."""
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
    files = [(behind + fact.start, behind + fact.end) for fact in paths(said, Taken(len(said)))] or _bare_folders(
        clause, behind
    )
    if stays is not None or _CHANGE.search(said):
        yield from (Forbidden("change", clause[a:b], start + a, start + b) for a, b in files)
    if stays is not None:
        return
    if _SAY.search(said) or (named and _QUOTED.search(said)):
        yield from (Forbidden("say", clause[a:b], start + a, start + b) for a, b in named)
        if (word := _BEHIND_SAY.search(clause)) is not None:
            yield Forbidden("say", word[1], start + word.start(1), start + word.end(1))
    if _USE.search(clause[forbids.start() if forbids else 0 :]) and not _SAY.search(said):
        for a, b in [*named, *_commands(clause, behind)]:
            yield Forbidden("use", clause[a:b], start + a, start + b)


def _named(text: str) -> list[tuple[int, int]]:
    """Places of what stands in quotation marks or in marks of code."""
    quoted = [match.span(1) if match[1] is not None else match.span(2) for match in _QUOTED.finditer(text)]
    return quoted + [match.span(1) for match in _CODE.finditer(text)]


_FOLDER = re.compile(r"(?<![\w/])[\w.-]+(?:/[\w.-]+)+/?", re.ASCII)


def _bare_folders(clause: str, behind: int) -> list[tuple[int, int]]:
    """Places of words with strokes between them, such as src/legacy, behind a verb that changes."""
    return [match.span() for match in _FOLDER.finditer(clause, behind)]


def _commands(clause: str, behind: int) -> Iterator[tuple[int, int]]:
    """Places of commands and names behind a prohibition: Latin words in a row up to one that is no name."""
    run: list[tuple[int, int]] = []
    for match in [*_ASCII_WORD.finditer(clause, behind), None]:
        word = match[0].lower() if match is not None else ""
        apart = match is not None and run and clause[run[-1][1] : match.start()].strip(" ")
        is_name = match is not None and word not in STOP_WORDS and word not in _NO_COMMANDS
        if run and (not is_name or apart or len(run) >= _MOST_WORDS):
            yield run[0][0], run[-1][1]
            run = []
            if match is not None and not is_name and word not in ("or", "nor", "and") and word in STOP_WORDS:
                return
        if is_name and match is not None:
            run.append(match.span())
