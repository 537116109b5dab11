"""Names of what a what-if of a recording's prefix keeps still."""

from typing import Literal

FrozenName = Literal["reminders", "reminders-last", "tools", "tools-sorted", "clock"]
