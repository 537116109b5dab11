"""RTF: its words, with the code pages of its fonts; pictures, styles and settings have none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.passages import PassageCollector
from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

TOKEN = lazy_pattern(
    rb"\\(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,10})? ?|(?P<hex>(?:\\'[0-9A-Fa-f]{2})+)|\\(?P<symbol>[^A-Za-z])"
    rb"|(?P<brace>[{}])|(?P<text>[^\\{}\r\n]+)|[\r\n\\]+",
    re.DOTALL,
)
WITHOUT_WORDS = frozenset(
    {
        "fonttbl", "colortbl", "stylesheet", "info", "pict", "object", "objdata",
        "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr",
        "footerf", "filetbl", "listtable", "listoverridetable", "revtbl", "rsidtbl", "themedata",
        "colorschememapping", "latentstyles", "datastore", "xmlnstbl", "generator", "fldinst", "bkmkstart",
        "bkmkend", "pntext", "listtext", "nonshppict", "shpinst", "template", "operator",
    }
)  # fmt: skip
"""Groups that hold settings, pictures, or what repeats on every page."""
LETTERS: Mapping[str, str] = {
    "par": "\n", "line": "\n", "page": "\n", "sect": "\n", "row": "\n", "nestrow": "\n",
    "tab": "\t", "cell": "\t", "nestcell": "\t",
    "emdash": "—", "endash": "–", "bullet": "•", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”",
    "emspace": " ", "enspace": " ",
}  # fmt: skip
SYMBOLS: Mapping[bytes, str] = {
    b"\\": "\\", b"{": "{", b"}": "}", b"~": "\N{NO-BREAK SPACE}", b"_": "-", b"\n": "\n", b"\r": "\n",
}  # fmt: skip
CHARSETS: Mapping[int, str] = {
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gb18030", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
"""Encodings by the charset of a font, as Windows numbers them."""
CODE_PAGES: Mapping[int, str] = {
    936: "gb18030",
    54936: "gb18030",
    950: "big5",
    932: "cp932",
    949: "cp949",
    65001: "utf-8",
}
MOST_LEVELS = 1000
ONE_MORE = 65536


def read_rich_text(data: bytes, facts: FileFacts, limits: ReadLimits) -> Transcript:
    """The text in one passage, cells of tables with a tab between them."""
    if not data.lstrip().startswith(b"{\\rtf"):
        raise ReadError("the RTF file is broken: it doesn't begin as one")
    collector = PassageCollector(limits)
    collector.add(_Reader(limits.max_characters).text(data))
    return collector.transcript("rtf")


@dataclass(frozen=True, slots=True)
class _Group:
    """The state inside a pair of braces: whether its words count, the encoding, letters that stand in for Unicode."""

    counts: bool = True
    is_font_table: bool = False
    encoding: str = ""
    stand_ins: int = 1


class _Reader:
    """The words of an RTF, collected until `most` characters."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.words: list[str] = []
        self.pending = bytearray()
        self.group = _Group()
        self.outer: list[_Group] = []
        self.fonts: dict[int, str] = {}
        self.font = 0
        self.default = "cp1252"
        self.to_skip = 0
        self.length = 0

    def text(self, data: bytes) -> str:
        at = 0
        while (token := TOKEN.match(data, at)) and self.length <= self.most:
            at = token.end()
            if token["word"]:
                at += self._control(token["word"].decode().lower(), token["number"])
            elif token["hex"]:
                self._bytes(bytes.fromhex(token["hex"].replace(b"\\'", b"").decode()))
            elif token["symbol"]:
                self._symbol(token["symbol"])
            elif token["brace"]:
                self._brace(token["brace"])
            elif token["text"]:
                self._bytes(token["text"])
        self._flush()
        return _in_unicode("".join(self.words))

    def _brace(self, brace: bytes) -> None:
        self._flush()
        self.to_skip = 0
        if brace == b"}":
            self.group = self.outer.pop() if self.outer else self.group
            return
        if len(self.outer) >= MOST_LEVELS:
            raise ReadError(f"the RTF file is nested too deeply: more than {MOST_LEVELS:,} levels")
        self.outer.append(self.group)

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":  # a group that readers who don't know it leave out
            self.group = replace(self.group, counts=False)
        elif letters := SYMBOLS.get(symbol):
            self._add(letters)

    def _control(self, word: str, number: bytes | None) -> int:
        """Bytes after the control word that are no text."""
        value = int(number) if number else 0
        if word in LETTERS:
            self._add(LETTERS[word])
        elif word in WITHOUT_WORDS:
            self._flush()
            self.group = replace(self.group, counts=False, is_font_table=word == "fonttbl")
        elif word == "u":
            self._flush()
            self._add(chr(value % ONE_MORE))
            self.to_skip = self.group.stand_ins
        elif word == "uc":
            self.group = replace(self.group, stand_ins=value)
        elif word == "bin":
            return max(0, value)
        else:
            self._encoding(word, value)
        return 0

    def _encoding(self, word: str, value: int) -> None:
        match word:
            case "ansicpg":
                self.default = _known(CODE_PAGES.get(value, f"cp{value}"))
            case "f" if self.group.is_font_table:
                self.font = value
            case "fcharset" if self.group.is_font_table and value in CHARSETS:
                self.fonts[self.font] = CHARSETS[value]
            case "f":
                self._flush()
                self.group = replace(self.group, encoding=self.fonts.get(value, ""))
            case "plain" | "deff":
                self._flush()
                self.group = replace(self.group, encoding="")
            case _:
                pass

    def _bytes(self, letters: bytes) -> None:
        """Letters in the encoding of the font; those that stand in for a letter of Unicode are left out."""
        skipped = min(self.to_skip, len(letters))
        self.to_skip -= skipped
        if self.group.counts:
            self.pending += letters[skipped:]
            if len(self.pending) > self.most:
                self._flush()

    def _add(self, letters: str) -> None:
        self._flush()
        if self.group.counts:
            self.words.append(letters)
            self.length += len(letters)

    def _flush(self) -> None:
        if self.pending:
            letters = self.pending.decode(self.group.encoding or self.default, "replace")
            self.pending.clear()
            self.words.append(letters)
            self.length += len(letters)


def _known(encoding: str) -> str:
    import codecs

    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return "cp1252"


def _in_unicode(text: str) -> str:
    """The text with letters beyond U+FFFF, which RTF writes as two halves, as one; a half alone is U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
