"""Settings of completions of what is being typed."""

from __future__ import annotations

from pydantic import Field

from ctxlab.chat.aside.settings import MODEL
from ctxlab.documents.stored import Stored
from ctxlab.pipeline.settings.setting_form_fields import form_hints


class CompletionSettings(Stored):
    """Settings of completions, by the names that files use."""

    model_identifier: str = MODEL
    prompt: str = Field(
        "",
        title="Prompt",
        description="Instructions of one's own; blank for those built in.",
        json_schema_extra=form_hints(kind="lines", placeholder="built in"),
    )
    temperature: float = Field(0.7, ge=0, le=2, title="Temperature", description="0 gives the likeliest words.")
    max_tokens: int = Field(256, ge=1, title="Reply limit", description="Tokens of the continuation.")
    context_message_count: int = Field(
        0, ge=0, title="Messages shown", description="Newest messages that the model is shown; by default none."
    )
