"""The setting of the steps that expand macros: whose engine does it."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.pipeline.settings.setting_form_fields import form_hints

MACRO_ENGINE: Any = Field(
    "seed",
    title="Macro engine",
    description="Whose engine expands macros: ctxlab's, each text in its own dialect, or SillyTavern's for all.",
    json_schema_extra=form_hints(
        labels={
            "seed": "ctxlab's",
            "sillytavern": "SillyTavern's: left to right, inner ones first",
            "sillytavern-old": "SillyTavern's before 1.16: one name after another",
        }
    ),
)

__all__ = ["MACRO_ENGINE", "MacroEngine"]
