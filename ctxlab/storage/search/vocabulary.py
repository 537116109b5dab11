"""The words of an index, in memory, to find those that have a part in common."""

from __future__ import annotations

from threading import Lock
from typing import Literal

import apsw

Place = Literal["begins", "ends", "inside"]


class Vocabulary:
    """All words of an index as one text, a line each; what was added since is read at each use."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._generation, self._last, self._text = "", 0, "\n"

    def words_with(self, connection: apsw.Connection, part: str, place: Place, most: int) -> list[str] | None:
        """The words in which the part is at this place; None where there are more than `most`."""
        text = self._up_to_date(connection)
        sought = f"\n{part}" if place == "begins" else f"{part}\n" if place == "ends" else part
        found: list[str] = []
        at = text.find(sought)
        while at >= 0:
            start = text.rfind("\n", 0, at + (place == "begins")) + 1
            end = text.find("\n", at + 1)
            found.append(text[start:end])
            if len(found) > most:
                return None
            at = text.find(sought, end)
        return found

    def _up_to_date(self, connection: apsw.Connection) -> str:
        with self._lock:
            generation = str(connection.execute("SELECT value FROM facts WHERE name = 'generation'").get)
            if generation != self._generation:
                self._generation, self._last, self._text = generation, 0, "\n"
            new = connection.execute("SELECT n, word FROM words WHERE n > ? ORDER BY n", (self._last,)).fetchall()
            if new:
                self._last = int(str(new[-1][0]))
                self._text += "\n".join(str(word) for _, word in new) + "\n"
            return self._text
