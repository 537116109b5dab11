"""Names of messages in runs, with the titles of presets and of lore where they have some."""

from __future__ import annotations

from ctxlab.context import Draft
from ctxlab.display.one_line import plain
from ctxlab.engines.worldbook.explain import decisions
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.message_names import message_name
from ctxlab.processors.injection.presets import presets_of

TITLE = 40


class TitledNames:
    """The name of a message as a person would say it: the title of its preset or its entry, an id, its first words."""

    def __init__(self, *traces: Trace) -> None:
        self._titles: dict[str, str] = {}
        for trace in traces:
            presets = presets_of(trace.start.input)
            self._titles |= {preset.key: preset.node.name for preset in presets if preset.node.name}
            self._titles |= {one.key: one.title for one in decisions(trace.result) if one.title}

    def of(self, draft: Draft) -> str:
        """The title of a message, else its id or its first words."""
        return self.title_of(draft) or message_name(draft)

    def title_of(self, draft: Draft) -> str:
        """The title of a message's preset or entry; empty where it has none."""
        title = self._titles.get(draft.key) or self._titles.get(draft.key.partition("@")[0], "")
        return plain(title, TITLE) if title else ""
