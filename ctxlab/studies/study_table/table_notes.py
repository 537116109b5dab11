"""Sentences on what a study's table rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, first_of
from ctxlab.studies.statistics.paired_difference import few_conversations
from ctxlab.studies.statistics.significance import DRAWS, ERROR_OF_DRAWS, EXACT_UP_TO, least_conversations
from ctxlab.studies.study.study_record import record_line
from ctxlab.studies.study_table.cells import CaseName

if TYPE_CHECKING:
    from ctxlab.studies.study_table.study_table import StudyTable

NAME = 40
LOUD, TOO_MANY = "TOO FEW CONVERSATIONS", "TOO MANY COMPARISONS"
SETTINGS = "Settings that aren't the defaults"
LOUD_WORDS = (LOUD, TOO_MANY)
"""Beginnings of notes that say that nothing could have been told apart."""


def table_notes(
    table: StudyTable,
    *,
    tokenizer: str,
    left_out: Sequence[str],
    summaries: Sequence[str],
    failed: Sequence[tuple[str, CaseName]],
    without_score: Sequence[CaseName],
    titles: Mapping[str, str],
    record: Mapping[str, Any],
) -> tuple[str, ...]:
    """Sentences: what was counted, how intervals and p are made, what can't be claimed, what was set and left out.

    `failed` are errors with the case of each cell that has one, `without_score` cases of cells without the score.
    `record` is what made the cells, as `study_record` gives it.
    """
    return (
        *_few(table),
        _rests_on(table, tokenizer),
        *_intervals(table),
        *_tests(table),
        *_settings(table),
        *_left_out(table, left_out, failed, without_score),
        *_summaries(table, summaries),
        *(f"{plain(name, NAME)}: {plain(title, 120)}." for name, title in titles.items()),
        *([record_line(record)] if record else []),
    )


def table_summary(table: StudyTable) -> str:
    """The number of variants that are better or worse than the baseline, and of differences that are open."""
    verdicts = Counter(row.verdict for row in table.rows if row.difference is not None)
    if not verdicts:
        return f"Nothing is compared with {plain(table.baseline, NAME)}."
    words = [f"{n} {word}" for word in ("better", "worse", "higher", "lower", "equal", "open") if (n := verdicts[word])]
    told = f"Of {counted(verdicts.total(), 'comparison')} with {plain(table.baseline, NAME)}: {', '.join(words)}."
    return f"{told} {_significance(table)}"


def _significance(table: StudyTable) -> str:
    """Whether a difference is significant, and where none could be, what it would take."""
    differences = [row.difference for row in table.rows if row.difference is not None]
    level = f"{1 - table.level:.2g}"
    decided = sum(each.is_decided for each in differences)
    if decided:
        return f"{decided:,} {'is' if decided == 1 else 'are'} significant at {level}."
    if any(each.can_decide for each in differences):
        return f"None is significant at {level}."
    most = max(differences, key=lambda each: each.comparisons)
    needed = least_conversations(table.level, comparisons=most.comparisons)
    takes = f"it takes {needed} or more" if needed is not None else "with fewer comparisons one could"
    few = counted(most.conversations, "conversation")
    return f"None is significant at {level}, and with {few} none could be, whatever its interval: {takes}."


def _few(table: StudyTable) -> Iterator[str]:
    """The loud word where no outcome could have been told apart, once for each number of conversations."""
    hopeless = {
        (row.difference.conversations, row.difference.comparisons): None
        for row in table.rows
        if row.difference is not None and not row.difference.can_decide
    }
    for conversations, comparisons in hopeless:
        yield loud(conversations, comparisons, table.level)


def loud(conversations: int, comparisons: int, level: float) -> str:
    """The sentence that says why nothing could have been told apart, with its loud word."""
    word = TOO_MANY if least_conversations(level, comparisons=comparisons) is None else LOUD
    return f"{word}: {few_conversations(conversations, comparisons, level)}"


def _rests_on(table: StudyTable, tokenizer: str) -> str:
    means = [row.mean for row in table.rows if row.mean is not None]
    cells = sum(mean.cells for mean in means)
    cases = _span([mean.cases for mean in means], "case")
    conversations = _span([mean.conversations for mean in means], "conversation")
    counts = f"tokens counted with {plain(tokenizer, NAME)}" if tokenizer else "the tokenizer isn't named"
    return f"{cases} of {conversations} with a score in each row, {counted(cells, 'cell')} in all; {counts}."


def _span(numbers: Sequence[int], noun: str) -> str:
    if not numbers:
        return counted(0, noun)
    low, high = min(numbers), max(numbers)
    return counted(high, noun) if low == high else f"{low:,} to {counted(high, noun)}"


def _intervals(table: StudyTable) -> Iterator[str]:
    means = [row.mean.interval for row in table.rows if row.mean]
    differences = [row.difference.interval for row in table.rows if row.difference]
    for what, found in (("Means", means), ("Differences", differences)):
        methods = dict.fromkeys(_family(each.method) for each in found if each is not None)
        if methods:
            yield (
                f"{what}: {table.level:.0%} intervals by {'; '.join(methods)}. "
                "Conversations count as independent, cases don't."
            )
        if any(each is None for each in found):
            yield f"{what} without an interval are of fewer than two conversations, or of scores that are all alike."
    yield from _unequal_sizes(table)
    equal = [row.difference for row in table.rows if row.difference and row.difference.is_equal]
    if equal:
        few = min(each.conversations for each in equal)
        yield (
            f"equal: the same score in every cell of both; at {table.level:.0%} confidence they differ in no more than "
            f"{1 - (1 - table.level) ** (1 / few):.0%} of conversations like these."
        )


UNEQUAL = 20
"""The most cells of a conversation over the fewest, above which intervals were seen to hold the truth less often."""


def _unequal_sizes(table: StudyTable) -> Iterator[str]:
    sizes = [row.mean.sizes for row in table.rows if row.mean and row.mean.interval and row.mean.sizes[0]]
    fewest, most = min((low for low, _ in sizes), default=1), max((high for _, high in sizes), default=1)
    if most > UNEQUAL * fewest:
        yield (
            f"Conversations have {fewest:,} to {most:,} cells: with sizes so unequal, intervals of 95% were seen to "
            "hold the truth in as few as 88% of simulations."
        )


def _family(method: str) -> str:
    """A method without its degrees of freedom."""
    return method.partition(", ")[0] if method.startswith("Student") else method


def _tests(table: StudyTable) -> Iterator[str]:
    differences = [row.difference for row in table.rows if row.difference is not None]
    if not differences:
        return
    how = "exact sign-flip test over conversations"
    if any(each.is_drawn for each in differences):
        how = (
            f"sign-flip test over conversations (where more than {EXACT_UP_TO} differ by {DRAWS:,} draws, which leave "
            f"a p of 0.05 within {ERROR_OF_DRAWS})"
        )
    many = _span([each.comparisons for each in differences], "comparison")
    yield (
        f"p: {how}, two-sided, after Holm for {many} at each budget. A difference is open unless p is below "
        f"{1 - table.level:.2g} and its interval leaves 0 out. Rows aren't sorted by score."
    )


def _settings(table: StudyTable) -> Iterator[str]:
    """The settings of each variant that aren't the defaults."""
    said = dict.fromkeys((row.variant, row.settings) for row in table.rows if row.settings and not row.is_oracle)
    if said:
        each = "; ".join(f"{plain(name, NAME)}: {plain(settings, 200)}" for name, settings in said)
        yield f"{SETTINGS}: {each}."


def _left_out(
    table: StudyTable,
    left_out: Sequence[str],
    failed: Sequence[tuple[str, CaseName]],
    without_score: Sequence[CaseName],
) -> Iterator[str]:
    yield from (f"Left out: {plain(each, 200)}" for each in left_out)
    if failed:
        errors = Counter(error for error, _ in failed)
        common = sorted(errors, key=lambda sentence: (-errors[sentence], sentence))
        named = first_of([f"{plain(each, 100)} ({errors[each]:,})" for each in common], most=2)
        verb = "is" if len(failed) == 1 else "are"
        cells = f"{counted(len(failed), 'cell')} of {_cases([case for _, case in failed])}"
        yield f"Left out: {cells} that ended in an error and {verb} in no mean: {named}."
    if without_score:
        cells = f"{counted(len(without_score), 'cell')} of {_cases(without_score)}"
        yield f"Left out: {cells} without a value of {plain(table.score, NAME)}: its scorer gave none."
    yield from _uneven(table)


def _cases(names: Sequence[CaseName]) -> str:
    """The number of cases among these, and the names of the first."""
    found = dict.fromkeys(names)
    shown = list(dict.fromkeys(plain(name, NAME) for _, name in found))
    return f"{counted(len(found), 'case')} ({first_of(shown, most=3)})"


def _uneven(table: StudyTable) -> Iterator[str]:
    """Variants with a score in cases in which the baseline has none, or the other way round."""
    bases = {(row.budget, *row.labels.values()): row.mean for row in table.rows if row.is_baseline}
    names: dict[str, None] = {}
    for row in table.rows:
        base = bases.get((row.budget, *row.labels.values()))
        if row.difference and row.mean and base and row.difference.cases < max(row.mean.cases, base.cases):
            names[plain(row.variant, NAME)] = None
    if names:
        yield (
            f"Means of {first_of(list(names), most=3)} and of {plain(table.baseline, NAME)} are over different cases; "
            "differences are over those that both have."
        )


def _summaries(table: StudyTable, summaries: Sequence[str]) -> Iterator[str]:
    there = [plain(name, NAME) for name in summaries if name in table.variants]
    if there:
        yield (
            f"{first_of(there)} may keep summaries: that words survive in one is a ceiling for what a model recalls of "
            "them, not what it recalls."
        )
