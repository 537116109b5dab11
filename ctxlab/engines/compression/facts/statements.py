"""Sentences of a text that bind whoever goes on: rules, decisions; and what stands in quotation marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ctxlab.engines.compression.facts.fact import Fact, FactKind, folded, width_folded
from ctxlab.engines.compression.facts.orders import is_order
from ctxlab.engines.compression.facts.taken import Taken
from ctxlab.engines.compression.sentences import sentences
from ctxlab.lazy_pattern import lazy_pattern

_LONGEST = 600
"""Characters of a sentence that are looked at; a longer one is data."""
_CLAUSE = r"(?:^|[.,;:!?()\u2014\u2013-]\s*|\b(?:and|but|so|then|also|please|just)\s+|^[\s\"'*>#\d.)-]+)"
_RULE = lazy_pattern(
    rf"""
    {_CLAUSE}(?:never|always)\b
      (?!\ (?:\w{{2,}}ed|\w+[^\Ws]s|\w+ing|a|an|the|been|had|thought|went|felt|knew|mind|again|too|up|here|there
        |happy|glad|good|great|nice|ready|say\ never)\b)
    | {_CLAUSE}(?:make\ sure|be\ sure\ to)\b(?!\ (?:we|they|i)\b)
    | {_CLAUSE}(?:do\ not|don't|avoid|ensure)\b
      (?!\ (?:you|worry|mention|be\ (?:shy|afraid|sad)|know|think|we|they|i|have\ to)\b)
    | \b(?:you|it|they|this|that|which|answers?|repl(?:y|ies)|output|code|text|story|summary|files?)
      \ (?:must(?!'ve)|shall|may\ not|must\ not|mustn't|shouldn't)\b
      (?!\ (?:be\ (?:very|so|really|quite|tired|exhausted|hard|happy|proud|difficult|a\ )|have\ (?:been|felt|had)|feel))
    | \b(?:should|must)\ (?:always|never)\b
    | \bunder\ no\ circumstances\b | \bfrom\ now\ on\b | \bat\ all\ times\b | \bno\ matter\ what\b
    | \bremember\ (?:to|that\ you)\b | \bpromise\ (?:me|not)\b
    | \b(?:only|just)\ (?:use|answer|reply|write|respond|return|output|speak)\b
    | \b(?:is|are)\ (?:forbidden|not\ allowed|prohibited|mandatory|required)\b
    | \bi\ (?:want|need|expect|would\ like|'d\ like)\ you\ (?:to|not)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE_RULE = lazy_pattern(
    r"(?:^|[，。；：！？、,;:!?\s“\"]|请|你|您|也|都|就|千万|以后|但|并)(?:不要|别(?![的人墅处致称名提担客])|不许|不准|不得|不可以|勿|必须|务必|切记|记得要|永远不|永远别|只能|只许)"
    r"|禁止|严禁|请勿|切勿|绝不能|绝对不|从现在起|从今以后|每次都要|始终要|必须要?|务必"
)
_NOT_MINE = lazy_pattern(r"(?:我|我们|咱们)(?:也|都|就|现在|还)?(?:必须|不得|只能|务必)|不得不|不要紧|别说|不要太")
_DECISION = lazy_pattern(
    r"""
    \b(?:we'll|we\ will|i'll|i\ will|let's|let\ us|let\ me)
      \ (?:go\ with|use|take|stick\ with|stick\ to|settle\ on|pick|choose)\b
      (?!\ (?:(?:your|it|that|this|them|these|those|care|my|you|notes?|advantage|some\ time|another\ look)\b
        |a\ (?:look|break|moment|closer)|the\ (?:time|liberty)))
    | \b(?:we|i|they|you|he|she|have|has|'ve)\ (?:have\ |finally\ |both\ |just\ )?
      (?:decided|agreed|settled\ on|opted|(?:chosen|chose)\ (?:to\b|the\b|(?-i:["'A-Z0-9])))
    | ^\W*(?:agreed\b(?!\W+\w+\W*$)|(?:decision|decided|resolved|final\ answer)\b)\W
    | \bgo(?:ing)?\ with\ (?:the\ )?(?:option\ )?(?-i:["'A-Z0-9]) | \bthe\ decision\ (?:is|was)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE_DECISION = lazy_pattern(
    r"(?:我|咱|他|她|们|已经|最后|最终|于是|那就)[^，。！？；做没再来]{0,3}决定(?:了(?!\W*$))?(?![了的权性于之是])[\u4e00-\u9fff]{2,}"
    r"|就用|就选|选定|敲定|说定|约定|约好|定下来|商定|一致同意|最终选|我选(?:择)?了"
)

_GUESS = lazy_pattern(r"^\W*(?:wow|aww?|i (?:can )?(?:imagine|bet|guess|suppose))\b.*\bmust\b(?! not)", re.IGNORECASE)
"""The beginning of a sentence whose *must* is a guess."""
_IF = lazy_pattern(r"^\W*(?:if|when|once|unless)\b|\bif\ (?:i|we|you)\b|如果|要是|假如", re.IGNORECASE)
_LEAST_DECISION = 5
"""Characters up to which a sentence names nothing that was decided."""

_QUOTES = (
    lazy_pattern(r"“([^“”\n]{2,400})”"),
    lazy_pattern(r"「([^「」\n]{2,400})」"),
    lazy_pattern(r"『([^『』\n]{2,400})』"),
    lazy_pattern(r"(?<![A-Za-z0-9=\"'\\])\"(?=[^\s\"])([^\"\n]{2,400})(?<=[^\s\"\\])\"(?![A-Za-z0-9])"),
)
_AT_THE_END = " .,!?;:。，！？；：…"
"""Marks that belong to the sentence around a quotation."""
_SHORT = 60
"""Characters of a quotation inside which nothing else is looked for: a title, a word that was used."""

NEGATION = lazy_pattern(
    r"\b(?:never|not|no|none|nothing|nobody|nor|neither|without|avoid(?:s|ed|ing)?|forbid(?:s|den)?|refuse[sd]?|stop|"
    r"prohibit\w*|exclud\w*|refrain\w*|mustn't|cannot|\w+n't|dont|cant)\b|[不别勿禁未没无非莫拒]"
)
"""Words by which a sentence says no, in folded text."""


_OF_PROGRAM = lazy_pattern(r"<system-reminder>(.*?)</system-reminder>", re.DOTALL)
"""Words of the program that runs a model, which it puts into results of tools and messages of the user."""


def statements_of_program(text: str) -> Iterator[Fact]:
    """Rules and decisions in the words that a program puts between the data of a tool's result."""
    for match in _OF_PROGRAM.finditer(text):
        at = match.start(1)
        for fact in statements(match[1], "system"):
            yield replace(fact, start=fact.start + at, end=fact.end + at)


def statements(text: str, role: str) -> Iterator[Fact]:
    """Rules, of the user and the system alone, and decisions of whoever is speaking: whole sentences."""
    plain = width_folded(text)
    binds = role in ("user", "system", "developer")
    for start, end in sentences(text):
        if not 4 <= end - start <= _LONGEST:
            continue
        sentence = plain[start:end]
        kind = _kind(sentence, binds=binds)
        if kind is not None:
            yield Fact(kind, start, end, text[start:end], folded(sentence))


def _kind(sentence: str, *, binds: bool) -> FactKind | None:
    if sentence.rstrip()[-1:] in "?？":
        return None
    if binds and _is_rule(sentence) and not _is_no_order(sentence):
        return "rule"
    decides = _DECISION.search(sentence) or _CHINESE_DECISION.search(sentence)
    return "decision" if decides and not _IF.search(sentence) and len(sentence) > _LEAST_DECISION else None


def _is_rule(sentence: str) -> bool:
    return bool(_RULE.search(sentence) or _CHINESE_RULE.search(sentence) or is_order(sentence))


def _is_no_order(sentence: str) -> bool:
    return bool(_NOT_MINE.search(sentence) or _GUESS.search(sentence))


def quotes(text: str, taken: Taken) -> Iterator[Fact]:
    """Texts in quotation marks, without the marks, where no path or name of code does."""
    for pattern in _QUOTES:
        for match in pattern.finditer(text):
            start, end = match.span(1)
            end = start + len(match[1].rstrip(_AT_THE_END))
            if end > start and taken.is_free(start, end) and any(each.isalnum() for each in text[start:end]):
                if end - start <= _SHORT:
                    taken.take(start, end)
                yield Fact("quote", start, end, text[start:end], folded(text[start:end]).strip())
