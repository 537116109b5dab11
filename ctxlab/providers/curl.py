"""A request as a command for the shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ctxlab.providers.unwritable import written
from ctxlab.secrets import without_secret_fields

if TYPE_CHECKING:
    from ctxlab.providers.payload import Payload

KEY = "$API_KEY"


def curl(payload: Payload) -> str:
    """A curl command that posts the body; the key is the variable API_KEY of the shell, and keys in the body `***`."""
    headers = {**payload.headers, **payload.provider.auth(KEY)}
    words = ["curl", *(["-N"] if payload.stream else []), shlex.quote(payload.url)]
    lines = [" ".join(words)]
    for name, value in headers.items():
        quoted = f'"{name}: {value}"' if KEY in value else shlex.quote(f"{name}: {value}")
        lines.append(f"  -H {quoted}")
    lines.append(f"  --data-raw {shlex.quote(written(without_secret_fields(payload.body)).decode())}")
    return " \\\n".join(lines)
