"""Settings of topic names, as programs store them under `topicNaming`."""

from __future__ import annotations

from pydantic import Field

from ctxlab.documents.stored import Stored


class TopicSettings(Stored):
    """Settings of topic names, by the names that files use."""

    enabled: bool = Field(False, description="Name conversations without being asked to.")
    model_identifier: str = Field("", description="profile:model; blank for the conversation's own model.")
    prompt: str = Field("", description="A prompt of one's own with {context}; blank for the one built in.")
    temperature: float = Field(1, ge=0)
    max_tokens: int = Field(128, ge=1)
    auto_trigger_threshold: int = Field(3, ge=1, description="Messages of the user from which on a name is due.")
    context_message_count: int = Field(6, ge=1, description="Newest messages that the model is shown.")
    default_names: tuple[str, ...] = Field(
        ("会话",), description="Beginnings of names that stand until there is a better one; a blank name does too."
    )
