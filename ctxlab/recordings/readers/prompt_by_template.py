"""A prompt that is one text, split by its own model's template; the split is rendered again to try it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from itertools import product
from typing import Final

from ctxlab.context.equal_stretch import equal_after
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import plain_text
from ctxlab.errors import TemplateRefused
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.local_models import LocalModel
from ctxlab.recordings.readers.plain_prompt import SplitPrompt, split_prompt
from ctxlab.recordings.readers.prompt_markup import BEGINNINGS, NO_RESULTS
from ctxlab.recordings.readers.template_marks import END, START, TemplateMarks, drafts_of, marks_of

DATES: Final = lazy_pattern(r"\b(\d{4}-\d\d-\d\d|\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4})\b")
FORMS: Final = ("%Y-%m-%d", "%d %b %Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y")
MOST_DATES: Final = 3
HEAD: Final = 4_000
"""Characters at the beginning in which a template's date is looked for."""
NO_DATE: Final = datetime(2024, 7, 26, tzinfo=UTC)
"""The time that a template is given where its prompt names no date."""
EITHER: Final = (
    "the template writes answers and results of tools alike: what may be either and comes after an answer is a result"
)
EITHER_ROLE: Final = frozenset({"assistant", "tool"})
INSIDE: Final = frozenset({"system", "user"})
"""Roles of a first message where a template writes a system text as the beginning of the first question."""


def split_by_template(text: str, model: LocalModel) -> SplitPrompt:
    """A prompt's messages by the template of the model that it was written for.

    What the template writes between messages parts them, else the marks of known families. Messages whose rendering
    isn't the prompt again have a note that names the first character that differs. Raises UnknownName for a model
    without a template.
    """
    times = [*_dates_in(text[:HEAD]), NO_DATE]
    marks = _marks(model.template(), tuple(model.special_tokens.items()), NO_DATE)
    tries = [found for now in times for found in _by_marks(text, model, now)]
    general = split_prompt(text)
    if general.template:
        tries.append(_results_after_answers(general) if marks.are_alike else general)
    name, more = f"the template of {model.name}", (NO_RESULTS,) if marks.bare_results else ()
    differs: list[int] = []
    for found in tries:
        at = _first_difference(text, found, model, times)
        if at is None:
            return replace(found, template=name, notes=(*found.notes, *more))
        differs.append(at)
    if not tries:
        note = f"the marks that {name} writes don't part the prompt, or don't say who speaks"
        return replace(general, notes=(*general.notes, note))
    note = f"the messages as {name} writes them differ from the prompt from character {differs[0]:,}"
    return replace(tries[0], template=name, notes=(*tries[0].notes, *more, note))


def _results_after_answers(found: SplitPrompt) -> SplitPrompt:
    """The messages with a result of a tool in place of an answer right behind an answer."""
    roles = [role for role, _ in found.messages]
    may_be = [
        EITHER_ROLE if before == role == "assistant" else frozenset({role})
        for before, role in zip(("", *roles), roles, strict=False)
    ]
    if EITHER_ROLE not in may_be:
        return found
    words = (each for _, each in found.messages)
    return replace(found, messages=tuple(zip(_chosen(may_be), words, strict=True)), notes=(*found.notes, EITHER))


def _dates_in(text: str) -> list[datetime]:
    """The first few dates of a text."""
    found: dict[datetime, None] = {}
    for date in DATES.findall(text):
        for form in FORMS:
            with suppress(ValueError):
                found[datetime.strptime(date, form).replace(hour=12, tzinfo=UTC)] = None
    return list(found)[:MOST_DATES]


@lru_cache(maxsize=64)
def _marks(template: JinjaTemplate, special_tokens: tuple[tuple[str, str], ...], now: datetime) -> TemplateMarks:
    return marks_of(template, dict(special_tokens), now)


def _by_marks(text: str, model: LocalModel, now: datetime) -> Iterator[SplitPrompt]:
    """The messages by what the template writes around them; none where it doesn't tell them apart."""
    marks = _marks(model.template(), tuple(model.special_tokens.items()), now)
    between, ends = marks.between(), marks.edge(END)
    if not marks.by_pair.get(("user", "assistant")):  # it doesn't say who speaks
        return
    bare = text[_beginning(text) :]
    starts = {literal[_beginning(literal) :]: roles for literal, roles in marks.edge(START).items()}
    begun = [literal for literal in starts if bare.startswith(literal)]
    for start in sorted(begun, key=len, reverse=True):
        ended = [literal for literal in ends if literal and bare.endswith(literal)]
        for end in (*sorted(ended, key=len, reverse=True), ""):
            body = bare[len(start) : len(bare) - len(end)]
            words, literals = _parted(body, list(between))
            roles = _roles(starts[start], [between[each] for each in literals], ends.get(end, frozenset({"assistant"})))
            if roles is not None and (literals or start.strip() or end.strip()):
                is_unsure = any(len(each) > 1 for each in roles)
                found = tuple(zip(_chosen(roles), words, strict=True))
                yield SplitPrompt("", found, (EITHER,) if is_unsure else ())
                return


def _beginning(text: str) -> int:
    """The characters of tokens that begin a text."""
    found = BEGINNINGS.match(text)
    return found.end() if found is not None else 0


def _parted(body: str, literals: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words between marks, and the marks: the first that comes, of several there the longest."""
    words: list[str] = []
    found: list[str] = []
    at = 0
    next_at = {literal: body.find(literal) for literal in literals}
    while True:
        there = [(place, -len(literal), literal) for literal, place in next_at.items() if place >= 0]
        if not there:
            return [*words, body[at:]], found
        place, _, literal = min(there)
        words.append(body[at:place])
        found.append(literal)
        at = place + len(literal)
        next_at = {each: was if was >= at or was < 0 else body.find(each, at) for each, was in next_at.items()}


def _roles(
    first: frozenset[str], steps: Sequence[frozenset[tuple[str, str]]], last: frozenset[str]
) -> list[frozenset[str]] | None:
    """The roles that each message may have; None where there is no way, or it isn't told whether a user speaks."""
    ahead = [first]
    for pairs in steps:
        ahead.append(frozenset(after for before, after in pairs if before in ahead[-1]))
    back = [ahead[-1] & last]
    for pairs, before_it in zip(reversed(steps), reversed(ahead[:-1]), strict=True):
        back.append(before_it & frozenset(before for before, after in pairs if after in back[-1]))
    found = back[::-1]
    if found[0] == INSIDE:
        found[0] = frozenset({"user"})
    if not all(found) or any(len(each) > 1 and not each <= EITHER_ROLE for each in found):
        return None
    return found


def _chosen(roles: Sequence[frozenset[str]]) -> list[str]:
    """A role each: what may be an answer or a result of a tool is a result right behind an answer, else an answer."""
    found: list[str] = []
    for each in roles:
        may_be_both = len(each) > 1
        after_answer = bool(found) and found[-1] == "assistant"
        found.append(("tool" if after_answer else "assistant") if may_be_both else next(iter(each)))
    return found


def _first_difference(text: str, found: SplitPrompt, model: LocalModel, times: Sequence[datetime]) -> int | None:
    """The first character at which the template writes another text of the messages; None where it writes the same."""
    begins, drafts = _beginning(text), drafts_of(found.messages)
    furthest = 0
    for now, (asks, goes_on) in product(times, ((True, False), (False, False), (False, True))):
        try:
            written = plain_text(
                model.template(), drafts, special_tokens=model.special_tokens, now=now, add_generation_prompt=asks
            )
        except TemplateRefused:
            continue
        last = found.messages[-1][1].strip()
        if goes_on and last in written:  # an answer that was begun
            written = written[: written.rfind(last) + len(last)]
        mine, theirs = written[_beginning(written) :], text[begins:]
        if mine == theirs:
            return None
        furthest = max(furthest, begins + equal_after(mine, theirs))
    return furthest
