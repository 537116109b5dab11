"""The lock that every call of pdfium is made under: the library behind pypdfium2 is not safe in two threads at once."""

from __future__ import annotations

import threading

PDFIUM = threading.RLock()
