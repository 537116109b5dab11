"""The encoding of a text file, and its text.

A byte order mark decides first, then zero bytes (UTF-16 and UTF-32), then strict UTF-8. Between the encodings of East
Asia and windows-1252 the characters decide: of the texts that the bytes would be, the most ordinary one wins.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
    "么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全"
    "三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任"
    "常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必"
    "场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告"
    "类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运笔写读字汉语编码测试请谢文件图片视频音乐"
)
TRADITIONAL = (
    "這個們來為國說時會對學過發後裡種經麼現當沒動還進樣開實軍無與長機關點業將兩間問並應戰頭體見產話內員門兒東聲題論處義幾條係爾別變"
    "總電數報結務場計資許統區隊決馬書則聽達強難權設記類據張該規萬覺術領確傳師觀讓識帶導爭運筆寫讀漢語編碼測試請謝圖視頻樂灣們"
)
JAPANESE = (
    "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千水半男西電校語土木聞食車"
    "何南万毎白天母火右読友左休父雨会同事自社発者地業方新場員立開手力問代明動京目通言理体田主題意不作用度強公持野以思家世多正安院心界"
    "教文元重近考画海売知道集別物使品計死特私始朝運終台広住無真有口少町料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味"
    "写字答夜音注帰古歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢例変換文字化読込表示"
)
KOREAN = (
    "이다는에의을가고하은로기지를사도한리나어자인아서시대그들해수것있만과일보면여니게정부스제라장전주구으성오었조원상동안말러국세공마연관"
    "소위경신무때와거트적년회실선문중생유화우계모방용개내비당발저치진간물통더했바재려없분체할계까요였영미각음심습드건현학상양합법않두글"
)
CHINESE = frozenset(SIMPLIFIED + TRADITIONAL)
JAPANESE_KANJI = frozenset(JAPANESE)
HANGUL = frozenset(KOREAN)
COMMON_ACCENTS = frozenset("àáâãäåæçèéêëìíîïñòóôõöøùúûüßÄÅÇÉÑÖÜœŠšž€’‘“”–—…«»¿¡°£§©®™•·".encode("windows-1252"))
"""Bytes of windows-1252 that letters of Western Europe use; capitals with rare accents are left out."""


SAMPLE_BYTES = 65_536
"""Bytes that are looked at to tell East Asian encodings apart, from shortly before the first that isn't ASCII."""
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # begins as the mark of UTF-16 does, so it comes first
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CONTROL = lazy_pattern(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
CONTROL_CHARACTER = lazy_pattern("[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ue000-\uf8ff]")
MOST_CONTROL = 0.02
"""Share of control characters above which bytes are no text."""
HIGH_RUN = lazy_pattern(rb"[\x80-\xff]+")
LEAST_SCORE = 0.1
"""Plausibility below which bytes are no text in this encoding."""
CERTAIN_SCORE = 0.5
"""Plausibility from which a text is in this encoding although it would also be UTF-8 with a few faults."""
BAD_BYTE_WEIGHT = 5
UTF8_BYTES_PER_BAD = 4
"""Well-formed characters of UTF-8 that a malformed one needs beside it, for a text to be UTF-8 with faults."""


def guess_encoding(data: bytes, *, complete: bool = True) -> str | None:
    """Python's name of the encoding of these bytes, `utf-8` for ASCII; None where they are no text.

    With `complete=False` they are the beginning of a file, which may end within a character.
    """
    if marked := _marked(data):
        return marked if _decodes(data, marked, complete=complete) else None
    if b"\x00" in data[:SAMPLE_BYTES]:
        return _wide(data[:SAMPLE_BYTES])
    if len(CONTROL.findall(data[:SAMPLE_BYTES])) > MOST_CONTROL * len(data[:SAMPLE_BYTES]):
        best = _best(data)
        return best.encoding if best and best.encoding.startswith("utf-16") else None
    if _decodes(data, "utf-8", complete=complete):
        return "utf-8"
    best = _best(data)
    if _is_faulty_utf8(data) and not (best and best.score >= CERTAIN_SCORE):
        return "utf-8"
    return best.encoding if best else None


def decode_text(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """The text of these bytes without its byte order mark, Python's name of the encoding, and what is amiss.

    Bytes that are no text in any encoding are read as UTF-8. What can't be decoded becomes U+FFFD.
    """
    encoding = guess_encoding(data)
    unknown = ("the encoding is not known; it is read as UTF-8",) if encoding is None else ()
    encoding = encoding or "utf-8"
    try:
        return data.decode(encoding), encoding, unknown
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
    lost = max(1, text.count("\ufffd") - _own_replacements(data, encoding))
    noun = "place can't" if lost == 1 else "places can't"
    return text, encoding, (*unknown, f"{lost:,} {noun} be decoded as {encoding}; U+FFFD is there")


def _own_replacements(data: bytes, encoding: str) -> int:
    """Characters U+FFFD that the file itself has."""
    return data.count("\ufffd".encode()) if encoding.startswith("utf-8") else 0


def _marked(data: bytes) -> str | None:
    return next((encoding for mark, encoding in MARKS if data.startswith(mark)), None)


def _decodes(data: bytes, encoding: str, *, complete: bool) -> bool:
    try:
        codecs.getincrementaldecoder(encoding)().decode(data, final=complete)
    except UnicodeDecodeError:
        return False
    return True


def _is_faulty_utf8(data: bytes) -> bool:
    """Whether the text is UTF-8 but for a few bytes."""
    text = _sample(data).decode("utf-8", errors="replace")
    bad = text.count("\ufffd")
    good = sum(1 for character in text if character > "\x7f") - bad
    return good >= UTF8_BYTES_PER_BAD * bad


# --- UTF-16 and UTF-32 without a mark


def _wide(data: bytes) -> str | None:
    """UTF-32 or UTF-16 without a mark, by which bytes of each character are zero; None for other binary data."""
    if len(data) >= 4 and not any(data[3::4]) and not any(data[2::4]) and _is_plain(data, "utf-32-le"):
        return "utf-32-le"
    if len(data) >= 4 and not any(data[0::4]) and not any(data[1::4]) and _is_plain(data, "utf-32-be"):
        return "utf-32-be"
    even, odd = data[0::2].count(0), data[1::2].count(0)
    order = ("utf-16-le", "utf-16-be") if odd >= even else ("utf-16-be", "utf-16-le")
    found = [encoding for encoding in order if _is_plain(data, encoding)]
    if len(found) == 2 and odd == even:
        return max(found, key=lambda encoding: _plausibility(_cut(data, encoding).decode(encoding), "utf-16"))
    return found[0] if found else None


def _cut(data: bytes, encoding: str) -> bytes:
    """The bytes without a character that is begun at their end."""
    width = 4 if "32" in encoding else 2
    return data if len(data) < SAMPLE_BYTES else data[: len(data) - len(data) % width - width]


def _is_plain(data: bytes, encoding: str) -> bool:
    """Whether the bytes are a text of letters that one would write: valid, and without control characters."""
    try:
        text = _cut(data, encoding).decode(encoding)
    except UnicodeDecodeError:
        return False
    if not text or CONTROL_CHARACTER.search(text):
        return False
    low = sum(1 for character in text if character < "\u0250")
    return low * 4 >= len(text) or _plausibility(text, "utf-16") >= 2 * LEAST_SCORE


# --- encodings of East Asia, and windows-1252


@dataclass(frozen=True, slots=True)
class Candidate:
    """An encoding, and how ordinary the text would be in it: 1 where every character is a common one."""

    encoding: str
    score: float


def _best(data: bytes) -> Candidate | None:
    """The encoding in which the bytes are the most ordinary text."""
    sample = _sample(data)
    found = [Candidate(encoding, _score(sample, encoding)) for encoding in ENCODINGS]
    found.append(Candidate("windows-1252", _western_score(sample)))
    if len(data) % 2 == 0:
        wide = data[:SAMPLE_BYTES]
        found += [Candidate(name, _wide_score(wide, name)) for name in ("utf-16-le", "utf-16-be")]
    best = max(found, key=lambda candidate: candidate.score)
    return best if best.score >= LEAST_SCORE else None


def _sample(data: bytes) -> bytes:
    """The bytes from the line of the first that isn't ASCII on."""
    first = HIGH_RUN.search(data)
    start = data.rfind(b"\n", 0, first.start()) + 1 if first else 0
    return data[max(start, first.start() - 1_000 if first else 0) :][:SAMPLE_BYTES]


def _score(sample: bytes, encoding: str) -> float:
    text = sample.decode(encoding, errors="replace")
    if text.endswith("\ufffd") and len(sample) == SAMPLE_BYTES:
        text = text[:-1]
    bad = text.count("\ufffd")
    if bad * 50 > len(text):
        return 0.0
    wide = sum(1 for character in text if character > "\x7f") or 1
    return _plausibility(text, encoding) - BAD_BYTE_WEIGHT * bad / wide


def _wide_score(data: bytes, encoding: str) -> float:
    """Like `_score`; slightly less, since two bytes of any text are some character of UTF-16."""
    try:
        text = _cut(data, encoding).decode(encoding)
    except UnicodeDecodeError:
        return 0.0
    return 0.0 if not text or CONTROL_CHARACTER.search(text) else 0.9 * _plausibility(text, "utf-16")


def _plausibility(text: str, encoding: str) -> float:
    """The mean weight in [0, 1] of the characters that aren't ASCII."""
    weights = list(_weights(text, encoding))
    return sum(weights) / len(weights) if weights else 0.0


def _weights(text: str, encoding: str) -> Iterator[float]:
    is_japanese = encoding in ("cp932", "euc_jp", "utf-16")
    is_korean = encoding in ("cp949", "utf-16")
    is_chinese = encoding in ("gb18030", "big5hkscs", "utf-16")
    for character in text:
        if character <= "\x7f":
            continue
        if "\u3000" <= character <= "\u3011" or character in "，！？：；（）“”‘’—…·～":
            yield 0.6  # punctuation that all of them have
        elif "\u3040" <= character <= "\u30ff":
            yield 1.0 if is_japanese else 0.1
        elif "\uac00" <= character <= "\ud7a3":
            yield (1.0 if character in HANGUL else 0.3) if is_korean else 0.0
        elif "\u4e00" <= character <= "\u9fff":
            known = (is_chinese and character in CHINESE) or (is_japanese and character in JAPANESE_KANJI)
            yield 1.0 if known else 0.15 if is_chinese or is_japanese else 0.05
        elif "\uff01" <= character <= "\uff5e":
            yield 0.3  # full-width letters
        else:
            yield 0.0


def _western_score(sample: bytes) -> float:
    """The share of bytes that are an accented letter or a quotation mark by itself among ASCII."""
    runs = [run.group() for run in HIGH_RUN.finditer(sample)]
    ordinary = sum(len(run) for run in runs if len(run) <= 2 and not set(run) - COMMON_ACCENTS)
    return 0.8 * ordinary / (sum(map(len, runs)) or 1)


ENCODINGS = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")
"""Of equal plausibility the earlier one wins."""
