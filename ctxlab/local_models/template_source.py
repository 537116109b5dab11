"""The values that have, or name, a template by which messages become a text."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.local_models.local_model import LocalModel

TemplateSource: TypeAlias = LocalModel | JinjaTemplate | InstructPreset | Path | str
"""A model of one's own, a template, an instruct preset, or the path of one of these."""
