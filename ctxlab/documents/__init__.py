"""What is kept: stored values, frozen, in the seeds' JSON."""

from ctxlab.documents.agent import Agent, ModelProfile, ProcessorEntry, UserProfile
from ctxlab.documents.history import History
from ctxlab.documents.message import (
    Asset,
    InjectionStrategy,
    MessageNode,
    ModelMatch,
    NodeId,
    PresetAttachment,
    Role,
    ToolCall,
)
from ctxlab.documents.relations import Relation
from ctxlab.documents.session import Path, Session
from ctxlab.documents.stored import Level, Note, Stored, read_stored

__all__ = [
    "Agent",
    "Asset",
    "History",
    "InjectionStrategy",
    "Level",
    "MessageNode",
    "ModelMatch",
    "ModelProfile",
    "NodeId",
    "Note",
    "Path",
    "PresetAttachment",
    "ProcessorEntry",
    "Relation",
    "Role",
    "Session",
    "Stored",
    "ToolCall",
    "UserProfile",
    "read_stored",
]
