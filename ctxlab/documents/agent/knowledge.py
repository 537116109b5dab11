"""An agent's knowledge as files hold it: `knowledgeBaseConfig`, the bases bound to it, and `knowledgeSettings`."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from ctxlab.display.short_texts import called, counted
from ctxlab.documents.frozen_json import JsonObject
from ctxlab.documents.stored import Stored


class KnowledgeBinding(Stored):
    """A knowledge base that an agent may search, and how a placeholder for it is written where none names it."""

    kb_id: str = ""
    kb_name: str = ""
    enabled: bool = True
    mode: str | None = Field(None, description="always, turn, gate or static; None is always.")
    mode_params: tuple[str | int | float, ...] | None = None
    limit: int | None = Field(None, description="Most pieces of this base; None is the step's limit.")
    min_score: float | None = Field(None, description="Least score of a piece of this base, 0 to 1.")
    group: str | None = None

    def _repr_parts(self) -> Iterator[str]:
        yield from called(self.kb_id, self.kb_name)
        if not self.enabled:
            yield "off"

    @property
    def shown_name(self) -> str:
        return self.kb_name or self.kb_id

    @property
    def placeholder(self) -> str:
        """The placeholder that searches this base as the binding says; defaults at the end are left out.

        >>> KnowledgeBinding(kb_name="tides", limit=3).placeholder
        '【kb::tides::3】'
        """
        return self.placeholder_with(None)

    def placeholder_with(self, limit: str | None) -> str:
        """The placeholder with another limit; None is the binding's own."""
        parts = [
            self.shown_name,
            limit or ("" if self.limit is None else str(self.limit)),
            "" if self.min_score is None else f"{self.min_score:.2f}",
            self.mode or "always",
            ",".join([f"{each:g}" if isinstance(each, float) else str(each) for each in self.mode_params or ()]),
        ]
        while len(parts) > 1 and parts[-1] in ("", "always"):
            parts.pop()
        return f"【kb::{'::'.join(parts)}】"


class KnowledgeBaseConfig(Stored):
    """The bases bound to an agent; with `auto_inject_if_macro_missing` those that nothing names come in by themselves.

    `auto_inject_position` is `context_head` or `before_last_user`.
    """

    enabled: bool = False
    bindings: tuple[KnowledgeBinding, ...] = ()
    groups: tuple[JsonObject, ...] = ()
    auto_inject_if_macro_missing: bool = True
    auto_inject_position: str = "context_head"

    def _repr_parts(self) -> Iterator[str]:
        yield "on" if self.enabled else "off"
        yield counted(len(self.bindings), "base")

    @property
    def bound(self) -> tuple[KnowledgeBinding, ...]:
        """The bindings that are on; none where the whole is off."""
        return tuple([each for each in self.bindings if each.enabled]) if self.enabled else ()


class KnowledgeSettings(Stored):
    """An agent's settings for searching knowledge; None means the step's own.

    A minimum score may be a share or a text such as `80%`. `context_window` is written by older programs and not read;
    `enable_cache` is for who searches.
    """

    default_engine_id: str | None = None
    default_limit: int | None = None
    default_min_score: float | str | None = None
    max_recall_chars: int | None = None
    result_template: str | None = None
    empty_text: str | None = None
    gate_scan_depth: int | None = None
    context_window: int | None = None
    enable_cache: bool | None = None
