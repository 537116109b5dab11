"""Settings of topic names, as programs store them under `topicNaming`."""

from __future__ import annotations

from pydantic import Field

from ctxlab.chat.aside.settings import MODEL
from ctxlab.documents.stored import Stored
from ctxlab.pipeline.settings.setting_form_fields import form_hints


class TopicSettings(Stored):
    """Settings of topic names, by the names that files use."""

    enabled: bool = Field(False, title="By itself", description="Name conversations without being asked to.")
    model_identifier: str = MODEL
    prompt: str = Field(
        "",
        title="Prompt",
        description="A prompt of one's own with {context}; blank for the one built in.",
        json_schema_extra=form_hints(kind="lines", placeholder="built in"),
    )
    temperature: float = Field(1, ge=0, le=2, title="Temperature", description="0 gives the likeliest words.")
    max_tokens: int = Field(128, ge=1, title="Reply limit", description="Tokens of the answer with the name.")
    auto_trigger_threshold: int = Field(
        3, ge=1, title="Due after", description="Messages of the user from which on a name is due."
    )
    context_message_count: int = Field(
        6, ge=1, title="Messages shown", description="Newest messages that the model is shown."
    )
    default_names: tuple[str, ...] = Field(
        ("会话",),
        title="Names that don't count",
        description="Beginnings of names that stand until there is a better one; a blank name does too.",
    )
