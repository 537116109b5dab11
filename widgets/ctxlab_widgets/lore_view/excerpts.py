"""Excerpts around an entry's keys, cut to what fits a row, or everything that was scanned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from unicodedata import combining, east_asian_width

from ctxlab.engines.regexes.parse_replacement import Replacement, Segment
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.replace import replace_all
from ctxlab.engines.regexes.v8 import RegexEngineUnavailable
from ctxlab.engines.worldbook import Decision, LoreScan, PreparedEntry
from ctxlab.engines.worldbook.key_search import MARK
from ctxlab.engines.worldbook.keys import AnyKey, Key, PatternKey, searchable
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_in_place

BEFORE, AFTER = 36, 44
"""Columns of text around a key in an excerpt; a character of East Asia takes two."""
LONGEST_HIT = 80
WHOLE = 60_000
"""Characters that an opened row shows as they are; of more, what lies far from a key is cut."""
FAR = 300

Spot = tuple[int, int]
Pieces = list[str]
"""Text and lit text in turn: the first piece is plain and may be empty."""


@dataclass(frozen=True, slots=True)
class ScannedText:
    """One text that was looked through: a message by its number, or something beside the conversation."""

    key: str
    text: str
    number: int | None = None


class ScannedTexts:
    """The texts of one scan, each folded once."""

    def __init__(self, scan: LoreScan) -> None:
        self.scan = scan
        chat = scan.scan_input.chat
        self.messages = [ScannedText(spoken.key, spoken.scanned, i) for i, spoken in enumerate(chat.messages, 1)]
        self._heads = {spoken.key: len(spoken.head) for spoken in chat.messages if spoken.name}
        about = {**chat.about, **chat.prompts}
        self.about = {name: ScannedText(name, text) for name, text in about.items() if text}
        self._by_key: dict[str, ScannedText] = {text.key: text for text in self.messages} | self.about
        self._folded: dict[str, str] = {}
        self._characters: dict[int, int] = {}
        # They were tried once and took their time; they stand nowhere.
        self._unusable = {note.details.get("lore_key") for note in scan.notes}

    def characters(self, depth: int) -> tuple[int, int]:
        """The number of newest messages searched at a depth, and of their characters."""
        newest = self.messages[-depth:] if depth else []
        if depth not in self._characters:
            self._characters[depth] = sum(len(text.text) for text in newest)
        return len(newest), self._characters[depth]

    def first_match(self, decision: Decision) -> tuple[ScannedText, Spot] | None:
        """The place where its key was found; for an entry stopped before its keys were tried, where one occurs."""
        matched = decision.matched
        if matched is not None:
            found = self.text_of(matched.where)
            head = 0 if matched.in_name else self._heads.get(matched.where, 0)
            return None if found is None else (found, (matched.start + head, matched.end + head))
        if decision.fired or decision.gate == "no-key":
            return None
        for text in reversed(self._scanned_for(decision.lore)):
            for key in decision.lore.primary:
                spot = next(self._plain_spots(key, text), None)
                if spot is not None:
                    return text, spot
        return None

    def excerpt(self, decision: Decision, text: ScannedText, spot: Spot) -> Pieces:
        """The words around a key, and around the others of its keys in the same text."""
        keys = (*decision.lore.primary, *decision.lore.secondary)
        spots = [spot, *(other for key in keys for other in self._plain_spots(key, text))]
        return excerpt(text.text, spot, spots)

    def marked(self, decision: Decision) -> Iterator[tuple[ScannedText, Pieces]]:
        """Everything that was looked through for an entry, all of its keys lit, oldest first."""
        lore = decision.lore
        texts = [*self._scanned_for(lore), *self._fired_with_key(decision)]
        keys = (*lore.primary, *lore.secondary)
        usable = [key for key in keys if isinstance(key, PatternKey) and key.text not in self._unusable]
        patterns = _pattern_spots(usable, [text.text for text in texts])
        is_much = sum(len(text.text) for text in texts) > WHOLE
        for text, more in zip(texts, patterns, strict=True):
            spots = [spot for key in keys for spot in self._plain_spots(key, text)]
            pieces = marked(text.text, [*spots, *more])
            yield text, shortened(pieces) if is_much else pieces

    def text_of(self, where: str) -> ScannedText | None:
        """The text that a match names: a message, something about the character, or an entry that fired."""
        if where not in self._by_key and where.startswith("lore:"):
            self._by_key[where] = ScannedText(where, self.scan.scan_input.scanned_words_of(self.scan[where].lore))
        return self._by_key.get(where)

    def _scanned_for(self, lore: PreparedEntry) -> list[ScannedText]:
        seen = (*lore.sources, *self.scan.scan_input.chat.prompts)
        sources = [self.about[source] for source in seen if source in self.about]
        return [*sources, *(self.messages[-lore.depth :] if lore.depth else [])]

    def _fired_with_key(self, decision: Decision) -> Iterator[ScannedText]:
        """Fired entries with one of the keys in their content, where the entry may be called up by such."""
        lore, where = decision.lore, decision.matched.where if decision.matched else None
        if lore.excluded or not self.scan.scan_input.rules.recursion:
            return
        for fired in self.scan.fired:
            text = self.text_of(fired.key)
            if text is None or fired.lore.prevents or fired is decision:
                continue
            if fired.key == where or any(self._contains(key, text) for key in lore.primary):
                yield text

    def _contains(self, key: AnyKey, text: ScannedText) -> bool:
        return next(self._plain_spots(key, text), None) is not None

    def _plain_spots(self, key: AnyKey, text: ScannedText) -> Iterator[Spot]:
        """Every place of a key that is no pattern."""
        if not isinstance(key, Key):
            return
        if text.key not in self._folded:
            self._folded[text.key] = searchable(text.text)
        folded, word = self._folded[text.key], searchable(key.text)
        at = folded.find(word)
        while at >= 0:
            if key.is_bounded_at(text.text, at, at + len(word)):
                yield at, at + len(word)
            at = folded.find(word, at + len(word))


def _pattern_spots(keys: Sequence[PatternKey], texts: Sequence[str]) -> list[list[Spot]]:
    """Every place of every pattern; one that can't be used stands nowhere."""
    out: list[list[Spot]] = [[] for _ in texts]
    for key in keys:
        # What a replacement leaves as it is isn't told, so each match gets a sign behind it.
        flags = key.flags if "g" in key.flags else f"{key.flags}g"
        replacement = Replacement(Pattern(key.body, flags), (Segment("match"), Segment("words", MARK)))
        before = MARK if key.marked else ""
        try:
            found = replace_all([before + text for text in texts], [(0,)] * len(texts), [replacement])
        except RegexEngineUnavailable:
            return out
        for spots, steps in zip(out, found.changes, strict=True):
            for _, changes in steps:
                spots += [(max(0, start - len(before)), max(0, end - len(before))) for start, end, _ in changes]
    return out


# --- cutting


def marked(text: str, spots: Iterable[Spot]) -> Pieces:
    """A whole text, with these places lit."""
    text = masked_in_place(text)
    out, at = [""], 0
    for start, end in _joined(spots):
        out[-1] += text[at:start]
        out += [text[start:end], ""]
        at = end
    out[-1] += text[at:]
    return out


def excerpt(text: str, spot: Spot, spots: Iterable[Spot]) -> Pieces:
    """The words around a place, and around one more that lies outside of them."""
    text = masked_in_place(text)
    all_spots = _joined(spots)
    first = _window(text, *spot)
    windows = [first]
    other = next((one for one in all_spots if one[1] <= first[0] or one[0] >= first[1]), None)
    if other is not None:
        windows.append(_window(text, *other))
        windows.sort()
    out = [""]
    at = 0
    for start, end in windows:
        start = max(start, at)
        if start > at:
            out[-1] = f"{out[-1].rstrip()}…"
        inside = [(max(a, start), min(b, end)) for a, b in all_spots if a < end and b > start]
        head, *rest = [_plain(piece) for piece in marked(text[start:end], [(a - start, b - start) for a, b in inside])]
        out[-1] += head
        out += [_shortest(piece) if i % 2 == 0 else piece for i, piece in enumerate(rest)]
        at = end
    if at < len(text):
        out[-1] = f"{out[-1].rstrip()}…"
    return out


def shortened(pieces: Pieces) -> Pieces:
    """An excerpt without what lies far from every marked key."""
    last = len(pieces) - 1
    return [piece if i % 2 else _ends(piece, is_first=i == 0, is_last=i == last) for i, piece in enumerate(pieces)]


def _ends(text: str, *, is_first: bool, is_last: bool) -> str:
    if len(text) <= 3 * FAR:
        return text
    head, tail = "" if is_first and not is_last else text[:FAR], "" if is_last and not is_first else text[-FAR:]
    return f"{head} … {len(text) - len(head) - len(tail):,} characters … {tail}"


def _joined(spots: Iterable[Spot]) -> list[Spot]:
    """In order, overlapping ones as one."""
    out: list[Spot] = []
    for start, end in sorted(spots):
        if out and start < out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        elif start < end:
            out.append((start, end))
    return out


def _window(text: str, start: int, end: int) -> Spot:
    first, room = start, BEFORE
    while first > 0 and room > 0:
        first -= 1
        room -= _columns(text[first])
    last, room = end, AFTER
    while last < len(text) and room > 0:
        room -= _columns(text[last])
        last += 1
    return _whole_words(text, first, start, last, end)


def _whole_words(text: str, first: int, start: int, last: int, end: int) -> Spot:
    """Not through the middle of a word, where one ends nearby."""
    if first > 0 and not text[first - 1].isspace():
        blank = next((i + 1 for i in range(first, min(first + 12, start)) if text[i].isspace()), first)
        first = blank
    while 0 < first < start and (combining(text[first]) or text[first] == "\u200d"):
        first += 1
    if last < len(text) and not text[last].isspace():
        last = next((i for i in range(last, max(last - 12, end), -1) if text[i - 1].isspace()), last)
    while end < last < len(text) and combining(text[last]):
        last += 1
    return first, last


def _columns(char: str) -> int:
    return 2 if east_asian_width(char) in "WF" else 1


def _plain(text: str) -> str:
    """On one line."""
    return text.replace("\r", " ").replace("\n", " ")


def _shortest(hit: str) -> str:
    return hit if len(hit) <= LONGEST_HIT else f"{hit[:LONGEST_HIT]}…"
