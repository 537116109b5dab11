"""Cases with labelled evidence, and what was left out of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.html_table import fields_table, heading, html_table, lines
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, short
from ctxlab.errors import WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.case import Case

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A question that is no case: its conversation, its text or its place, and the reason as a clause."""

    conversation: str
    question: str
    reason: str

    def __repr__(self) -> str:
        return f"LeftOut({plain(self.question, 60)!r} of {plain(self.conversation, 40)!r}: {self.reason})"

    def _repr_html_(self) -> str:
        return fields_table({"conversation": self.conversation, "question": self.question, "reason": self.reason})


@dataclass(frozen=True, slots=True, eq=False)
class LabelledCases:
    """Questions about conversations with the messages that their answers need; iterating gives the cases in order.

    `left_out` are the questions that are no cases, each with its reason; `notes` say what of the file could not be
    kept, such as an id that two messages have.
    """

    name: str
    cases: tuple[Case, ...]
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Case]:
        return iter(self.cases)

    def __len__(self) -> int:
        return len(self.cases)

    def __repr__(self) -> str:
        out = f", {len(self.left_out):,} left out" if self.left_out else ""
        cases, conversations = counted(len(self.cases), "case"), counted(len(self.conversations), "conversation")
        return f"LabelledCases({plain(self.name, 60)!r}, {cases} of {conversations}{out})"

    def _repr_html_(self) -> str:
        rows = ((case.conversation, case.kind, case.question or "", len(case.evidence)) for case in self.cases)
        table = html_table(("conversation", "kind", "question", "evidence"), rows, cells=80, of="cases")
        return heading(self) + table + lines([*self.left_out_lines(), *self.notes])

    @property
    def conversations(self) -> tuple[str, ...]:
        """Names of the conversations, in order."""
        return tuple(dict.fromkeys(case.conversation for case in self.cases))

    @property
    def kinds(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(case.kind for case in self.cases))

    def left_out_counts(self) -> Mapping[str, int]:
        """Questions that were left out, by reason, the most frequent first."""
        return dict(Counter(each.reason for each in self.left_out).most_common())

    def left_out_lines(self) -> tuple[str, ...]:
        """Numbers of questions that were left out, a line for each reason."""
        return tuple(f"left out: {counted(n, 'question')}, {reason}" for reason, n in self.left_out_counts().items())

    @checked_arguments
    def of(self, conversations: Iterable[str]) -> LabelledCases:
        """The cases of these conversations alone, by name; raises WrongArgument for one that isn't there."""
        wanted = (conversations,) if isinstance(conversations, str) else tuple(conversations)
        known = dict.fromkeys([*self.conversations, *(each.conversation for each in self.left_out)])
        unknown = next((name for name in wanted if name not in known), None)
        if unknown is not None:
            raise WrongArgument(
                f"there is no conversation {short(unknown)!r} in {self.name}{did_you_mean(unknown, list(known))}"
            )
        return replace(
            self,
            cases=tuple(case for case in self.cases if case.conversation in wanted),
            left_out=tuple(each for each in self.left_out if each.conversation in wanted),
        )

    @checked_arguments
    def first(self, number: int) -> LabelledCases:
        """The first so many cases of each conversation; the others are left out, with that as the reason."""
        if number < 1:
            raise WrongArgument(f"number takes 1 or more, got {number}")
        taken: Counter[str] = Counter()
        cases: list[Case] = []
        out: list[LeftOut] = []
        for case in self.cases:
            taken[case.conversation] += 1
            if taken[case.conversation] <= number:
                cases.append(case)
            else:
                reason = f"not among the first {number:,} of its conversation"
                out.append(LeftOut(case.conversation, case.question or case.id, reason))
        return replace(self, cases=tuple(cases), left_out=(*self.left_out, *out))

    def frame(self) -> pd.DataFrame:
        """One row a case: id, conversation, kind, question, number and ids of its evidence."""
        from ctxlab.display.data_frame import frame_of

        columns = ("case", "conversation", "kind", "question", "evidence", "evidence_messages")
        rows = [
            (case.id, case.conversation, case.kind, case.question, " ".join(case.evidence), len(case.evidence))
            for case in self.cases
        ]
        return frame_of([dict(zip(columns, row, strict=True)) for row in rows], columns)
