"""Stored values: frozen pydantic models whose JSON is the JSON of session and agent files."""

from ctxlab.documents.agent.agent import (
    Agent,
    Greeting,
    ModelProfile,
    PresetGroup,
    ProcessorEntry,
    UserProfile,
    VirtualTime,
)
from ctxlab.documents.agent.knowledge import KnowledgeBaseConfig, KnowledgeBinding, KnowledgeSettings
from ctxlab.documents.history.history import History
from ctxlab.documents.knowledge_base import (
    ChunkSettings,
    EntryPart,
    KnowledgeBase,
    KnowledgeBaseSettings,
    KnowledgeEntry,
)
from ctxlab.documents.library import Library
from ctxlab.documents.lore import CharacterFilter, LoreEntry, Worldbook, WorldbookMetadata, WorldbookSettings
from ctxlab.documents.quick_actions import LineProcessing, QuickAction, QuickActionSet
from ctxlab.documents.rules import (
    AppliesTo,
    DepthRange,
    Flavor,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Substitution,
    ThinkRule,
)
from ctxlab.documents.session.asset_source import (
    AgentFile,
    AssetSource,
    InlineFile,
    LibraryFile,
    LinkedFile,
    UploadedFile,
)
from ctxlab.documents.session.message import (
    Asset,
    InjectionStrategy,
    MessageNode,
    ModelMatch,
    NodeId,
    PresetAttachment,
    Role,
    ToolCall,
)
from ctxlab.documents.session.session import Path, Session
from ctxlab.documents.session.tree_queries import Relation
from ctxlab.documents.stored import Level, Note, Stored, read_stored
from ctxlab.public_names import listed

__all__ = [
    "Agent",
    "AgentFile",
    "AppliesTo",
    "Asset",
    "AssetSource",
    "CharacterFilter",
    "ChunkSettings",
    "DepthRange",
    "EntryPart",
    "Flavor",
    "Greeting",
    "History",
    "InjectionStrategy",
    "InlineFile",
    "KnowledgeBase",
    "KnowledgeBaseConfig",
    "KnowledgeBaseSettings",
    "KnowledgeBinding",
    "KnowledgeEntry",
    "KnowledgeSettings",
    "Level",
    "Library",
    "LibraryFile",
    "LineProcessing",
    "LinkedFile",
    "LoreEntry",
    "MessageNode",
    "ModelMatch",
    "ModelProfile",
    "NodeId",
    "Note",
    "Path",
    "PresetAttachment",
    "PresetGroup",
    "ProcessorEntry",
    "QuickAction",
    "QuickActionSet",
    "RegexConfig",
    "RegexPreset",
    "RegexRule",
    "Relation",
    "Role",
    "Session",
    "Stored",
    "Substitution",
    "ThinkRule",
    "ToolCall",
    "UploadedFile",
    "UserProfile",
    "VirtualTime",
    "Worldbook",
    "WorldbookMetadata",
    "WorldbookSettings",
    "read_stored",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
