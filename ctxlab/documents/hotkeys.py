"""Hotkeys as people write them, compared by the keys that they mean."""

from __future__ import annotations

MODIFIERS = ("ctrl", "alt", "shift", "meta")
ALIASES = {
    "control": "ctrl",
    "strg": "ctrl",
    "option": "alt",
    "opt": "alt",
    "cmd": "meta",
    "command": "meta",
    "win": "meta",
    "super": "meta",
    "esc": "escape",
    "return": "enter",
    "del": "delete",
}


def keys_of(hotkey: str) -> tuple[str, ...]:
    """The keys of a hotkey in one spelling: modifiers in a fixed order, then the others; empty for none.

    >>> keys_of("Shift + Control+k") == keys_of("ctrl+shift+K")
    True
    """
    # The plus key stands last, after a plus that joins: "Ctrl++".
    joined = hotkey.strip().lower()
    last_is_plus = joined == "+" or joined.endswith("++")
    pieces = (joined[:-1] if last_is_plus else joined).split("+")
    names = [ALIASES.get(piece.strip(), piece.strip()) for piece in pieces if piece.strip()]
    keys = dict.fromkeys([*names, *(["+"] if last_is_plus else [])])
    return (*(name for name in MODIFIERS if name in keys), *(name for name in keys if name not in MODIFIERS))
