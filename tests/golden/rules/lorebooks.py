"""SillyTavern's lorebooks: where ours differs from the reference on purpose."""

from __future__ import annotations

from tests.golden.rules.rule import Rule

RULES: tuple[Rule, ...] = ()
