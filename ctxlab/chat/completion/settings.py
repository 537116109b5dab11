"""Settings of completions of what is being typed."""

from __future__ import annotations

from pydantic import Field

from ctxlab.documents.stored import Stored


class CompletionSettings(Stored):
    """Settings of completions, by the names that files use."""

    model_identifier: str = Field("", description="profile:model; blank for the conversation's own model.")
    prompt: str = Field("", description="Instructions of one's own; blank for those built in.")
    temperature: float = Field(0.7, ge=0)
    max_tokens: int = Field(256, ge=1)
    context_message_count: int = Field(0, ge=0, description="Newest messages that the model is shown; by default none.")
