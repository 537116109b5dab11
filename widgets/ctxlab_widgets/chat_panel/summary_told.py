"""Facts that a summary kept and lost of the messages that it stands for, as far as its report says."""

from __future__ import annotations

from ctxlab.chat.compression.source_message import source_of
from ctxlab.chat.compression.summary_node import originals_of
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.engines.compression import SourceText, compression_report
from ctxlab.lazy_dataclass import dataclass

MOST_LOST = 20
WORDS = 100
MOST_CHARACTERS = 2_000_000
"""Characters of originals up to which a summary is held against them."""


@dataclass(frozen=True, slots=True, eq=False)
class SummaryTold:
    """A summary held against its originals: a sentence on what it kept, and each fact that it lost.

    Both are of `text` and `hides`; a summary that is edited has to be looked at again.
    """

    text: str
    hides: tuple[str, ...]
    kept: str
    lost: tuple[str, ...]

    def is_of(self, node: MessageNode) -> bool:
        return node.content == self.text and tuple(node.hides) == self.hides


def told_of(session: Session, node: MessageNode) -> SummaryTold:
    """The report on a summary for people; empty where there is nothing to hold it against."""
    sources = [source_of(each) for each in originals_of(session, node.hides)]
    originals = [SourceText(each.id, each.role, each.text) for each in sources]
    hides = tuple(node.hides)
    if not node.content or not originals or sum(len(each.text) for each in originals) > MOST_CHARACTERS:
        return SummaryTold(node.content, hides, "", ())
    report = compression_report(originals, node.content)
    if not report.facts:
        return SummaryTold(node.content, hides, "", ())
    in_part = f", and {len(report.weakened):,} in part" if report.weakened else ""
    kept = f"It has {len(report.kept):,} of {counted(len(report.facts), 'fact')} that were found in them{in_part}."
    lost = [f"{each.kind}: {plain(each.text, WORDS)}" for each in report.lost]
    more = [f"{len(lost) - MOST_LOST:,} more"] if len(lost) > MOST_LOST else []
    return SummaryTold(node.content, hides, kept, (*lost[:MOST_LOST], *more))
