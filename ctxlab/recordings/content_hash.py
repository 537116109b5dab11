"""Hashes of JSON values: the same text, the same hash; the order of fields counts, since it counts in a request."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any

import orjson


def hash_of(*values: Any) -> bytes:
    """16 bytes for JSON values in a row."""
    found = blake2b(digest_size=16)
    for value in values:
        found.update(_written(value))
        found.update(b"\n")
    return found.digest()


def _written(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except (orjson.JSONEncodeError, RecursionError):  # large numbers, halves of characters, deep nesting
        return b"json " + json.dumps(value).encode()
