"""Results of calls that failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.context import Draft


def has_failed(draft: Draft) -> bool:
    """Whether the metadata of a result say that its call failed."""
    call = draft.meta.get("toolCall") if draft.meta else None
    return isinstance(call, Mapping) and cast("Mapping[str, Any]", call).get("status") in ("error", "failed")
