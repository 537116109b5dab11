"""Settings of plugins as they are stored: values by section and name."""

from __future__ import annotations

from pydantic import Field

from ctxlab.documents.frozen_json import FrozenDict, JsonObject
from ctxlab.documents.stored import Stored


class StoredPluginSettings(Stored):
    """Values that were set, by the section's id and the setting's name; those of plugins that aren't there stay."""

    plugins: JsonObject = Field(default_factory=FrozenDict, description='`{"<section>": {"<setting>": value}}`.')
