"""The prefix report of a recording."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxlab.recordings.frozen_names import FrozenName
from ctxlab.recordings.prefix.analysis import Analysis
from ctxlab.recordings.prefix.frozen import frozen_prefix
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.prefix.report import PrefixReport

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording


def prefix_of(recording: Recording, frozen: Sequence[FrozenName] = ()) -> PrefixReport:
    """The prefix of each request, and what would have been with things kept still."""
    parts = recording.parts
    requests = tuple(Analysis(recording, PromptTree(parts), HeadReader(parts)).prefixes())
    still = frozen_prefix(recording, requests, frozen) if frozen else None
    return PrefixReport(requests, recording.source, still)
