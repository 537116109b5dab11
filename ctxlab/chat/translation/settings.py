"""Settings of translations, as programs store them under `translation`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ctxlab.chat.aside.settings import MODEL
from ctxlab.documents.stored import Stored
from ctxlab.pipeline.settings.setting_form_fields import form_hints

DisplayMode = Literal["original", "translation", "both"]
LANGUAGES = ("Chinese", "English", "Japanese", "Korean", "French", "German", "Spanish", "Russian")


class TranslationSettings(Stored):
    """Settings of translations, by the names that files use."""

    enabled: bool = Field(True, title="Switched on", description="Off: a chat offers no translation.")
    model_identifier: str = MODEL
    message_target_lang: str = Field(
        "Chinese", title="Messages into", description="Language that messages are translated into."
    )
    input_target_lang: str = Field(
        "English", title="Typed text into", description="Language that what is being typed is translated into."
    )
    target_lang_list: tuple[str, ...] = Field(LANGUAGES, title="Languages", description="Languages to choose from.")
    prompt: str = Field(
        "",
        title="Prompt",
        description="A prompt of one's own with {targetLang}, {text}, {thinkTags}; blank: built in.",
        json_schema_extra=form_hints(kind="lines", placeholder="built in"),
    )
    temperature: float = Field(0.3, ge=0, le=2, title="Temperature", description="0 gives the likeliest words.")
    max_tokens: int = Field(2000, ge=1, title="Reply limit", description="Tokens of the answer to one segment.")
    display_mode: DisplayMode = Field("both", title="Shown", description="What a translated message shows.")
    segment_characters: int = Field(
        1500, ge=1, title="Segment", description="Characters of a segment, which is one request."
    )
    parallel: int = Field(
        4,
        ge=1,
        title="At once",
        description="Segments that are on their way at once; a function gets one at a time.",
    )
    attempts: int = Field(
        2, ge=1, title="Attempts", description="Times that a segment is asked for until its answer is right."
    )
