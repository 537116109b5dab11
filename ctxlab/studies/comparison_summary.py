"""A comparison in one sentence: what each run keeps, cuts, has and changes of what the first run does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.comparison import Comparison, ComparisonLine
from ctxlab.studies.titled_names import TitledNames

MOST_RUNS = 2
"""More runs that differ are only counted, and so is of each run what differs in more than two ways."""
MOST_VERBS = 2
MOST_NAMED = 2
NAME = 40

# (of one run, of several, what follows the messages)
VERBS = {
    "keeps": ("keeps", "keep", " that {base} cuts"),
    "keeps a part": ("keeps a part of", "keep a part of", " that {base} cuts"),
    "cuts": ("cuts", "cut", " that {base} sends"),
    "has": ("sends", "send", " that {base} never had"),
    "lacks": ("never had", "never had", " that {base} sends"),
    "changes": ("sends", "send", " otherwise"),
    "unsent": ("differs from {base} in", "differ from {base} in", ", which neither sends"),
}


@dataclass(frozen=True, slots=True)
class ComparisonPart:
    """Words of the sentence; `key` is that of the message that they name, empty where they name none."""

    words: str
    key: str = ""


@dataclass(frozen=True, slots=True)
class ComparisonSummary:
    """The sentence in its parts; its text is all their words."""

    parts: tuple[ComparisonPart, ...]

    def __str__(self) -> str:
        return "".join([part.words for part in self.parts])


def comparison_summary(comparison: Comparison) -> ComparisonSummary:
    """The sentence, such as `2 runs, 19 messages: middle-out keeps a5 and u6 that sliding cuts; 12 are the same.`"""
    lines, names = comparison.lines, list(comparison.traces)
    head = f"{counted(len(names), 'run')}, {counted(len(lines), 'message')}"
    if len(names) < 2:
        return ComparisonSummary((ComparisonPart(f"{head}."),))
    if not comparison:
        return ComparisonSummary((ComparisonPart(f"{head}: no message differs."),))
    same = sum(not line.differs for line in lines)
    clauses = [*_clauses(comparison), (ComparisonPart(_same(same)),)]
    parts = [ComparisonPart(f"{head}: ")]
    for i, clause in enumerate(clauses):
        parts += [ComparisonPart("; "), *clause] if i else clause
    return ComparisonSummary((*parts, ComparisonPart(".")))


def _same(n: int) -> str:
    return "none is the same" if not n else "1 is the same" if n == 1 else f"{n:,} are the same"


def _clauses(comparison: Comparison) -> Iterator[Sequence[ComparisonPart]]:
    names = [plain(name, NAME) or "a run" for name in comparison.traces]
    alike: dict[tuple[int, ...], list[int]] = {}
    for i in range(len(names)):
        alike.setdefault(tuple([line.groups[i] for line in comparison.lines]), []).append(i)
    (_, *as_the_base), *others = alike.values()
    titled = TitledNames(*comparison.traces.values())
    for runs in others[:MOST_RUNS]:
        yield _clause(comparison.lines, runs, names, titled)
    if more := sum(len(runs) for runs in others[MOST_RUNS:]):
        yield (ComparisonPart(f"{counted(more, 'more run')} {'differs' if more == 1 else 'differ'}"),)
    if as_the_base:
        does = "does" if len(as_the_base) == 1 else "do"
        yield (ComparisonPart(f"{_subject(as_the_base, names)} {does} the same as {names[0]}"),)


def _clause(
    lines: Sequence[ComparisonLine], runs: Sequence[int], names: Sequence[str], titled: TitledNames
) -> list[ComparisonPart]:
    """A clause on runs that do the same with every message: what they do otherwise than the first run."""
    found: dict[str, list[ComparisonLine]] = {}
    for line in lines:
        if line.groups[runs[0]]:
            found.setdefault(_verb(line, runs[0]), []).append(line)
    parts = [ComparisonPart(f"{_subject(runs, names)} ")]
    every = [verb for verb in VERBS if verb in found]
    verbs = every[:MOST_VERBS]
    for i, verb in enumerate(verbs):
        one, several, rest = (words.format(base=names[0]) for words in VERBS[verb])
        parts.append(ComparisonPart(f"{' and ' if i else ''}{one if len(runs) == 1 else several} "))
        parts += [*_named(found[verb], runs[0], titled), ComparisonPart(rest)]
    if more := sum(len(found[verb]) for verb in every[MOST_VERBS:]):
        parts.append(ComparisonPart(f", {more:,} more {'differs' if more == 1 else 'differ'}"))
    return parts


def _verb(line: ComparisonLine, run: int) -> str:
    base, here = line.cells[0], line.cells[run]
    if here.is_sent and base.is_sent:
        return "changes"
    if here.is_sent and base.state == "not there":
        return "has"
    if here.is_sent:
        return "keeps a part" if here.state == "shortened" else "keeps"
    if base.is_sent:
        return "cuts" if here.state == "cut" else "lacks"
    return "unsent"


def _named(lines: Sequence[ComparisonLine], run: int, titled: TitledNames) -> Iterator[ComparisonPart]:
    shown = lines if len(lines) <= MOST_NAMED + 1 else lines[:MOST_NAMED]
    for i, line in enumerate(shown):
        if i:
            yield ComparisonPart(" and " if i == len(lines) - 1 else ", ")
        draft = line.cells[run].draft or line.cells[0].draft
        yield ComparisonPart(titled.of(draft) if draft is not None else line.key, line.key)
    if len(shown) < len(lines):
        yield ComparisonPart(f" and {len(lines) - len(shown):,} more")


def _subject(runs: Sequence[int], names: Sequence[str]) -> str:
    """The names of runs; of many the first, and how many more."""
    own = [names[i] for i in runs[:MOST_NAMED]]
    if len(runs) > MOST_NAMED:
        return f"{', '.join(own)} and {len(runs) - MOST_NAMED:,} more"
    return " and ".join(filter(None, (", ".join(own[:-1]), own[-1])))
