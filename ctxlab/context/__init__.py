"""Values in flight: texts with provenance, drafts, contexts."""

from ctxlab.context.asset_as_content_part import content_part, sendable_part
from ctxlab.context.context import BuildInput, Context, Dropped, GroupChat, Pending, TurnKind, Variables
from ctxlab.context.draft_message import NOTHING, AssetRef, Change, Draft, Part, merged_draft
from ctxlab.context.file_facts import FileFacts, FileKind
from ctxlab.context.file_route import FileRoute, RouteKind
from ctxlab.context.knowledge_hit import KnowledgeAnswer, KnowledgeBaseFacts, KnowledgeHit, QueryPart, WordShare
from ctxlab.context.placement import Placement
from ctxlab.context.step_report import LoreActivations, MacroVariables, PromptLimit, StepReport, Table
from ctxlab.context.text_with_origins import EMPTY, Cause, Edit, Origin, Span, Splice, Text
from ctxlab.context.transcript import Passage, Transcript
from ctxlab.public_names import listed

__all__ = [
    "EMPTY",
    "NOTHING",
    "AssetRef",
    "BuildInput",
    "Cause",
    "Change",
    "Context",
    "Draft",
    "Dropped",
    "Edit",
    "FileFacts",
    "FileKind",
    "FileRoute",
    "GroupChat",
    "KnowledgeAnswer",
    "KnowledgeBaseFacts",
    "KnowledgeHit",
    "LoreActivations",
    "MacroVariables",
    "Origin",
    "Part",
    "Passage",
    "Pending",
    "Placement",
    "PromptLimit",
    "QueryPart",
    "RouteKind",
    "Span",
    "Splice",
    "StepReport",
    "Table",
    "Text",
    "Transcript",
    "TurnKind",
    "Variables",
    "WordShare",
    "content_part",
    "merged_draft",
    "sendable_part",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
