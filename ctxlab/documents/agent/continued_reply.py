"""The preset that asks a model to go on with its newest reply."""

from typing import Final

CONTINUE_NUDGE: Final = "continueNudge"
"""Its name in SillyTavern's prompt: the message that is continued stands just before it."""
