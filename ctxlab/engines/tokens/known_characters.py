"""Characters whose classes (letter, digit, mark, blank) are the same wherever a text is split into words.

Libraries were made with different versions of Unicode: one takes a letter of last year for a letter, another for a
sign. These were all there by Unicode 14 (2021), in whole ranges. The long s is not among them: beside an apostrophe
it is an s to some.
"""

from __future__ import annotations

from ctxlab.lazy_pattern import lazy_pattern

_KNOWN = lazy_pattern(
    "[\\x00-\\u017e\\u0180-\\u0377\\u0386\\u0388-\\u038a\\u038e-\\u03a1\\u03a3-\\u052f"  # Latin, Greek, Cyrillic
    "\\u0531-\\u0556\\u0561-\\u0586\\u0591-\\u05c7\\u05d0-\\u05ea\\u0600-\\u070d"  # Armenian, Hebrew, Arabic
    "\\u0900-\\u0983\\u0e01-\\u0e3a\\u0e3f-\\u0e5b\\u1000-\\u10c5\\u10d0-\\u1248"  # Devanagari, Thai, Burmese, Georgian
    "\\u1780-\\u17dd\\u1d00-\\u1f15\\u1f20-\\u1f45\\u1f80-\\u1fb4\\u2000-\\u2064\\u2074-\\u208e\\u20a0-\\u20c0"
    "\\u20d0-\\u20f0\\u2100-\\u218b\\u2190-\\u2426\\u2460-\\u2b73\\u2b76-\\u2b95\\u2c60-\\u2cf3"  # letterlike, signs
    "\\u2e80-\\u2e99\\u2e9b-\\u2ef3\\u2f00-\\u2fd5\\u3000-\\u303f\\u3041-\\u3096\\u3099-\\u30ff\\u3105-\\u312f"
    "\\u3131-\\u318e\\u3190-\\u31e3\\u31f0-\\u321e\\u3220-\\ua48c\\uac00-\\ud7a3\\ue000-\\ufa6d\\ufb00-\\ufb06"
    "\\ufe00-\\ufe19\\ufe20-\\ufe52\\ufeff\\uff01-\\uffbe\\ufffd"  # what is wide, what picks a form
    "\\U0001d400-\\U0001d454\\U0001d456-\\U0001d49c\\U0001f1e6-\\U0001f202\\U0001f300-\\U0001f6d7\\U0001f780-\\U0001f7d8"
    "\\U0001f900-\\U0001fa53\\U0001fa90-\\U0001faac\\U0001fae0-\\U0001fae7"  # emoji
    "\\U00020000-\\U0002a6dd]*"  # rare Chinese
)


def all_known(text: str) -> bool:
    """Whether every library splits this text alike.

    >>> all_known("灯塔 🫠"), all_known("'\u017f")
    (True, False)
    """
    return text.isascii() or _KNOWN.fullmatch(text) is not None
