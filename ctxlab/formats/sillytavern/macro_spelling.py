"""SillyTavern's older and looser spellings of macros."""

from __future__ import annotations

import re

NAMES = "char|user|persona|description|scenario|world"
SPELLED = re.compile(rf"<({NAMES})>|\{{\{{({NAMES})\}}\}}", re.IGNORECASE | re.ASCII)


def converted(text: str) -> str:
    """The text with `<USER>` and `{{User}}` written `{{user}}`, and so for the other five names of this kind.

    `<BOT>` stays: it is also what people write for themselves.
    """
    if "<" not in text and "{{" not in text:
        return text
    return SPELLED.sub(lambda found: f"{{{{{(found[1] or found[2]).lower()}}}}}", text)
