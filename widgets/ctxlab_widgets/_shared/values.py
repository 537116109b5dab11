"""Values on their way to a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

SURROGATE = re.compile("[\ud800-\udfff]")


def as_json(value: Mapping[str, Any]) -> str:
    """Compact JSON that has a UTF-8 form: half a surrogate pair is written as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
