"""Whether a summary keeps a fact, weakens it or loses it, with the place where it does and the reason."""

from __future__ import annotations

import re

from ctxlab.engines.compression.facts.fact import Fact, Moment, Quantity, folded
from ctxlab.engines.compression.facts.find_facts import quantities_and_moments
from ctxlab.engines.compression.facts.moments import MONTH_NAMES
from ctxlab.engines.compression.facts.references import VERSION
from ctxlab.engines.compression.facts.statements import NEGATION
from ctxlab.engines.compression.fate import Outcome
from ctxlab.engines.compression.loss_reason import beside_other_words, lost
from ctxlab.engines.compression.summary_index import SummaryIndex
from ctxlab.engines.ranking.words import words_as_written
from ctxlab.lazy_pattern import lazy_pattern

STATEMENTS = ("rule", "decision", "task", "error")
"""Kinds of facts that are sentences or lines by themselves."""
KEPT_SHARE = 0.75
"""Share of a statement's words in one sentence of the summary, from which it is kept."""
WEAKENED_SHARE = 0.45
"""Share of its words from which it is weakened."""
SMALL = 12
"""Up to this, a whole number stands beside anything; the word that it counts tells whether it is the same one."""
LEAST_OF_QUOTE = 5
"""Words of a quotation from which some of them are a part of it; fewer may be there by chance."""
LONG_NUMBER = 4
"""Characters of a number with # from which it is the same one without that mark, whatever stands beside it."""
LEAST_OF_PART = 3
"""Words from which a part of a sentence says something by itself."""
_VERSION_WITH_V = lazy_pattern(r"v\d[\d.]*")
_PART = lazy_pattern(r"[,;，；、]")
BESIDE = 48
"""Characters before and after a number in which the word that it counts is looked for."""


_NEGATIONS = frozenset(("不要", "没有", "不是", "不会", "不能", "不可", "从不", "绝不", "并非", "不用", "未曾"))


def survival(fact: Fact, original: str, index: SummaryIndex) -> Outcome:
    """The fate of one fact of an original in the summary."""
    if isinstance(fact.value, Quantity):
        return _of_number(fact, fact.value, original, index)
    place = index.place_of(fact.text)
    if place is not None and fact.kind not in STATEMENTS:
        return Outcome("kept", *place)
    if isinstance(fact.value, Moment):
        return _of_moment(fact.text, fact.value, index)
    if fact.kind == "name":
        return _of_name(fact.text, index)
    if fact.kind == "path":
        return _of_path(fact.text, index)
    if fact.kind == "identifier":
        return _of_identifier(fact, original, index)
    if place is not None:
        return Outcome("kept", *place)
    outcome = of_statement(fact.text, index, checks_negation=fact.kind in ("rule", "decision"))
    if fact.kind == "rule" and outcome.state != "lost" and outcome.start is not None and outcome.end is not None:
        limit = _limit_lost(fact.text, index, (outcome.start, outcome.end))
        if limit:
            return Outcome("lost", outcome.start, outcome.end, f"without {limit}, the limit that it sets")
    is_short = fact.kind == "quote" and len(list(words_as_written(fact.text))) < LEAST_OF_QUOTE
    return lost(fact.text, index) if is_short and outcome.state == "weakened" else outcome


def of_statement(text: str, index: SummaryIndex, *, checks_negation: bool = True) -> Outcome:
    """The share of a sentence's words that one sentence of the summary keeps, and whether its negation is there."""
    place = index.place_of(text.strip(" \t\n.!。！,，"))
    if place is not None:
        return Outcome("kept", *place)
    wanted = frozenset(word for _, word in words_as_written(text))
    nearest = index.nearest_sentence(wanted) if wanted else None
    if nearest is None:
        return lost(text, index)
    number, there = nearest
    start, end = index.span_of(number)
    share = len(there) / len(wanted)
    if share < WEAKENED_SHARE or all(_says_no(written) for written, word in words_as_written(text) if word in there):
        return lost(text, index)
    says_no, summary_says_no = (bool(NEGATION.search(folded(each))) for each in (text, index.text[start:end]))
    if checks_negation and says_no and not summary_says_no:
        if _has_a_whole_part(text, there):
            return Outcome("weakened", start, end, "without the part that says no")
        return Outcome("lost", start, end, "without its negation")
    if checks_negation and summary_says_no and not says_no:
        return Outcome("weakened", start, end, "a negation stands beside it that the original hasn't")
    if share >= KEPT_SHARE:
        return Outcome("kept", start, end)
    missing = sorted({written for written, word in words_as_written(text) if word not in there}, key=text.find)
    return Outcome("weakened", start, end, f"without {', '.join(missing[:4])}")


def _has_a_whole_part(text: str, there: frozenset[str]) -> bool:
    """Whether a part of a sentence that doesn't say no is in the summary, where another part says no."""
    for part in _PART.split(text):
        words = frozenset(word for _, word in words_as_written(part))
        if (
            len(words) >= LEAST_OF_PART
            and not NEGATION.search(folded(part))
            and len(words & there) >= KEPT_SHARE * len(words)
        ):
            return True
    return False


def _limit_lost(rule: str, index: SummaryIndex, span: tuple[int, int]) -> str:
    """The number that a rule sets and the sentence that is nearest to it hasn't; empty where there is none."""
    start, end = span
    for fact in quantities_and_moments(rule):
        value = fact.value
        if isinstance(value, Quantity) and value.unit and value.unit != "ordinal":
            there = index.quantities.get((value.low, value.high), [])
            if not any(start <= each.start < end for each in there):
                return fact.text
    for match in VERSION.finditer(rule):
        version = match["version"] or match["limit"]
        if not any(start <= at < end for at, _ in index.places_of_number(version)):
            return version
    return ""


def _says_no(word: str) -> bool:
    """Whether a word is a negation and nothing else; it is no part of a sentence by itself."""
    low = folded(word).replace("’", "'")
    return NEGATION.fullmatch(low) is not None or low in _NEGATIONS


def _of_number(fact: Fact, value: Quantity, original: str, index: SummaryIndex) -> Outcome:
    same = index.quantities.get((value.low, value.high), [])
    if value.unit and any(isinstance(each.value, Quantity) and each.value.unit == value.unit for each in same):
        return _kept(next(each for each in same if isinstance(each.value, Quantity) and each.value.unit == value.unit))
    written = index.quantities.get(_as_written(fact), []) if value.unit else same
    if value.unit == "ordinal" and (day := _day(value.low, index)) is not None:
        return _kept(day)
    if not written and not same:
        return _in_a_range(fact, value, index)
    if not value.unit:
        return _of_count(fact, value, original, same, index)
    bare = next((each for each in written if isinstance(each.value, Quantity) and not each.value.unit), None)
    if bare is not None and (value.low > SMALL or _is_beside(fact, original, bare, index)):
        return Outcome("weakened", bare.start, bare.end, "without its unit")
    if bare is not None:
        return beside_other_words((bare.start, bare.end), index)
    other = (written or same)[0]
    return Outcome("lost", other.start, other.end, f"{other.text} stands there, which is something else")


def _day(number: float, index: SummaryIndex) -> Fact | None:
    """A date on the day of a month that has this number."""
    return next((each for each in index.moments if isinstance(each.value, Moment) and each.value.day == number), None)


def _kept(found: Fact) -> Outcome:
    return Outcome("kept", found.start, found.end)


def _as_written(fact: Fact) -> tuple[float, float]:
    """The number of a quantity without its unit's factor."""
    digits = re.search(r"\d[\d,]*(?:\.\d+)?", fact.text)
    number = float(digits[0].replace(",", "")) if digits else 0.0
    return number, number


def _in_a_range(fact: Fact, value: Quantity, index: SummaryIndex) -> Outcome:
    """One end of a range is a part of it."""
    if value.low == value.high:
        return lost(fact.text, index)
    for end in (value.low, value.high):
        for found in index.quantities.get((end, end), []):
            if isinstance(found.value, Quantity) and found.value.unit == value.unit:
                return Outcome("weakened", found.start, found.end, "one end of the range")
    return lost(fact.text, index)


def _of_count(fact: Fact, value: Quantity, original: str, same: list[Fact], index: SummaryIndex) -> Outcome:
    """A number of things: kept beside a word that stood beside it, or where nothing else could be meant."""
    around = _words_beside(fact, original)
    for found in same:
        if not around or around & _words_beside(found, index.text):
            return _kept(found)
    first = same[0]
    if value.low > SMALL or value.low != int(value.low):
        return Outcome("weakened", first.start, first.end, "it stands beside other words")
    return beside_other_words((first.start, first.end), index)


def _is_beside(fact: Fact, original: str, found: Fact, index: SummaryIndex) -> bool:
    return bool(_words_beside(fact, original) & _words_beside(found, index.text))


def _words_beside(fact: Fact, text: str) -> frozenset[str]:
    before, after = text[max(0, fact.start - BESIDE) : fact.start], text[fact.end : fact.end + BESIDE]
    before = re.split(r"[.!?。！？\n;；]\s", before)[-1]
    after = re.split(r"[.!?。！？\n;；](?:\s|$)", after)[0]
    near = [word for _, word in words_as_written(before)][-4:] + [word for _, word in words_as_written(after)][:4]
    return frozenset(near)


def _of_moment(text: str, value: Moment, index: SummaryIndex) -> Outcome:
    weaker: Outcome | None = None
    for found in index.moments:
        if not isinstance(found.value, Moment):
            continue
        pairs = [(one, other) for one in value.readings for other in found.value.readings]
        outcomes = [missing for one, other in pairs if (missing := _missing(one, other)) is not None]
        doubt = _two_readings(text, value) or _two_readings(found.text, found.value)
        if "" in outcomes:
            return Outcome("kept", found.start, found.end, doubt)
        if outcomes and weaker is None:
            reason = "; ".join(each for each in (f"without its {min(outcomes, key=len)}", doubt) if each)
            weaker = Outcome("weakened", found.start, found.end, reason)
    return weaker or lost(text, index)


def _two_readings(text: str, value: Moment) -> str:
    """A sentence on a date that can be read in two ways; empty for one that can't."""
    one, *other = value.readings
    return f"{text} is {_in_words(one)} or {_in_words(other[0])}" if other else ""


def _in_words(day: Moment) -> str:
    return f"{day.day} {MONTH_NAMES[(day.month or 1) - 1]}"


def _missing(wanted: Moment, there: Moment) -> str | None:
    """The parts of the first moment that the second leaves out: nothing, or names of fields; None where they differ."""
    left_out: list[str] = []
    agree = 0
    for name in ("year", "month", "day", "weekday", "minute", "second"):
        one, other = getattr(wanted, name), getattr(there, name)
        if one is None:
            continue
        if other is None:
            left_out.append(name)
        elif one != other:
            return None
        else:
            agree += 1
    if wanted.hour is not None:
        if there.hour is None or not _is_hour(wanted, there):
            return None
        agree += 1
        if there.is_half_day and not wanted.is_half_day:
            left_out.append("half of the day")
    if (
        not agree
        or left_out == ["month", "day"]
        or (wanted.day is not None and there.day is None and there.month is None)
    ):
        return None
    return " and ".join(left_out)


def _is_hour(wanted: Moment, there: Moment) -> bool:
    if wanted.hour == there.hour:
        return True
    either = wanted.is_half_day or there.is_half_day
    return bool(either and wanted.hour is not None and there.hour is not None and (wanted.hour - there.hour) % 12 == 0)


def _of_name(name: str, index: SummaryIndex) -> Outcome:
    plain = re.sub(r"^(?:mr|mrs|ms|dr|prof|st|mt)\.?\s", "", name, flags=re.IGNORECASE)
    if plain != name and (place := index.place_of(plain)):
        return Outcome("kept", *place)
    words = [word for word in re.split(r"[\s·]+", plain) if word[:1].isupper() or not word.isascii()]
    if len(words) < 2:
        return lost(name, index)
    for word in (words[0], words[-1], *words[1:-1]):
        place = index.place_of_name(word)
        if place is not None and len(word) > 1:
            return Outcome("weakened", *place, f"{word} alone")
    return lost(name, index)


def _of_identifier(fact: Fact, original: str, index: SummaryIndex) -> Outcome:
    """An identifier is kept as it is written; of a number with # also without that mark, where it is the same one.

    A version is the same one with and without a v in front.
    """
    bare = fact.text.lstrip("#")
    if _VERSION_WITH_V.fullmatch(bare):
        place = next(index.places_of_number(bare[1:]), None)
        return Outcome("kept", *place) if place is not None else lost(fact.text, index)
    for start, end in index.places_of_number(bare) if bare != fact.text else ():
        found = Fact("identifier", start, end, bare, bare)
        if len(bare) >= LONG_NUMBER or _is_beside(fact, original, found, index):
            return Outcome("kept", start, end)
    return lost(fact.text, index)


def _of_path(path: str, index: SummaryIndex) -> Outcome:
    if "://" in path:
        return _of_address(path, index)
    parts = [part for part in re.split(r"[\\/]", path.lstrip("@")) if part not in ("", ".", "~")]
    for first in range(len(parts)):
        place = index.place_of("/".join(parts[first:])) or index.place_of("\\".join(parts[first:]))
        if place is None:
            continue
        folder = "/".join(parts[:first])
        if not folder or index.place_of(folder):
            return Outcome("kept", *place)
        return Outcome("weakened", *place, "without its folder")
    return lost(path, index)


def _of_address(address: str, index: SummaryIndex) -> Outcome:
    rest = re.sub(r"^\w+://(?:www\.)?", "", address)
    place = index.place_of(rest.rstrip("/"))
    if place is not None:
        return Outcome("kept", *place)
    without_query = re.split(r"[?#]", rest)[0].rstrip("/")
    if without_query != rest and (place := index.place_of(without_query)):
        return Outcome("weakened", *place, "without what is asked of it")
    return lost(address, index)
