"""Ways of breaking the shape of any vendor's body."""

from __future__ import annotations

from typing import Any

from tests.testing.vendor_bodies import Break, put


def of_shape(vendor: Any, messages: str, *, dots: bool) -> list[Break]:
    """What breaks the shape of any vendor's body."""
    first = f"{messages}.0.role" if dots else f"{messages}[0].role"
    role = "role" if vendor == "gemini" else "shape.choice"
    return [
        Break(vendor, "shape.unknown", "wizard", put("wizard", value=1)),
        Break(vendor, "shape.length" if vendor != "openai-responses" else "input", messages, put(messages, value=[])),
        Break(vendor, "shape.type", messages, put(messages, value=3)),
        Break(vendor, role, first, put(messages, 0, "role", value="wizard")),
    ]
