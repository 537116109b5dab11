"""A vocabulary file as an exact count of tokens, loaded when it first counts and found again by its path."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from ctxlab.engines.tokens import Tokenizer
from ctxlab.engines.tokens.boundaries import TokenBoundaries, boundaries_of_offsets
from ctxlab.errors import BrokenFile, CtxlabError, MissingExtra
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.local_models.sentence_pieces import SentencePieces

VocabularyKind = Literal["tokenizer.json", "tekken", "sentencepiece", "gguf"]
Count = Callable[[str], int]
MOST_BYTES: Final = 200_000_000
"""Bytes of the largest file of a vocabulary that is read; real ones have up to 40 million."""
LOADED: Final = 8
"""Vocabularies that stay loaded, some 100 MB each."""
WORTH_FAST: Final = 6_000_000
"""Characters after which `fastokens`, which takes seconds to load, is worth its start."""
SAMPLES: Final = 48
SAMPLED: Final = 4_000
"""Texts, and characters of each, on which both libraries must agree before the fast one counts."""


class Counter(Protocol):
    """A loaded vocabulary."""

    def __call__(self, text: str, /) -> int: ...

    def boundaries(self, text: str) -> TokenBoundaries: ...


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Counts the tokens of a text by a file. Texts that spell a token of the model's markup count as that token.

    It pickles as the path, with the size and time of the file, which must still be so where it counts.
    """

    path: str
    kind: VocabularyKind
    stamp: tuple[int, int]

    @classmethod
    def of_file(cls, path: Path, kind: VocabularyKind) -> Vocabulary:
        """The vocabulary of a file. Raises BrokenFile where it isn't there."""
        return cls(str(path.absolute()), kind, _stamp(path))

    def __call__(self, text: str) -> int:
        return _loaded(self)(text)

    def boundaries(self, text: str) -> TokenBoundaries:
        """Every token of a text with its characters."""
        return _loaded(self).boundaries(text)

    def tokenizer(self, name: str) -> Tokenizer:
        """A tokenizer that counts with it, without the overhead of any wire format."""
        return Tokenizer.counting(name, self)


def read_bytes(path: Path, *, most: int = MOST_BYTES) -> bytes:
    """The bytes of a file. Raises BrokenFile where it can't be read or is too large for what it should be."""
    try:
        if path.stat().st_size > most:
            raise BrokenFile(f"{path} has {path.stat().st_size:,} bytes; {most:,} are the most for such a file")
        return path.read_bytes()
    except OSError as error:
        raise BrokenFile(f"{path} can't be read: {error}") from error


def read_json(path: Path, *, most: int = MOST_BYTES) -> Any:
    """The JSON of a file. Raises BrokenFile where it is none."""
    try:
        return json.loads(read_bytes(path, most=most))
    except (ValueError, RecursionError) as error:
        raise BrokenFile(f"{path} is no JSON: {error}") from error


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise BrokenFile(f"{path} can't be read: {error}") from error
    return found.st_size, found.st_mtime_ns


@lru_cache(maxsize=LOADED)
def _loaded(vocabulary: Vocabulary) -> Counter:
    path = Path(vocabulary.path)
    if _stamp(path) != vocabulary.stamp:
        raise BrokenFile(f"{path} has changed since the model was read: read it again with ctxlab.local_model")
    if vocabulary.kind == "tekken":
        from ctxlab.local_models.tekken import TekkenCounter

        return TekkenCounter(path)
    if vocabulary.kind == "tokenizer.json":
        data = read_bytes(path).decode("utf-8", "replace")
        return JsonCounter(data, str(path), is_bpe='"merges"' in data)
    from ctxlab.local_models.tokenizer_files import of_pieces

    if vocabulary.kind == "sentencepiece":
        from ctxlab.local_models.sentence_pieces import read_sentence_pieces

        return _of_data(of_pieces(read_sentence_pieces(path, read_bytes(path))), path)
    return _of_data(gguf_vocabulary(path), path)


def _of_data(data: dict[str, Any], path: Path) -> JsonCounter:
    return JsonCounter(json.dumps(data, ensure_ascii=False), str(path), is_bpe=False)


class JsonCounter:
    """Counts by the JSON of a vocabulary: with `tokenizers`, after much text with `fastokens` where both agree."""

    def __init__(self, data: str, place: str, *, is_bpe: bool) -> None:
        self._data: str | None = data if is_bpe else None
        self._place = place
        self._left = WORTH_FAST
        self._samples: deque[tuple[str, int]] = deque(maxlen=SAMPLES)
        self._tokenizer = _of_tokenizers(data, place)
        self._count: Count = self._of_tokenizer

    def __repr__(self) -> str:
        return f"JsonCounter({self._place!r})"

    def __call__(self, text: str) -> int:
        tokens = guarded(self._count, text, self._place)
        if self._data is not None:
            self._note(text, tokens)
        return tokens

    def boundaries(self, text: str) -> TokenBoundaries:
        """Every token of a text with its characters, by `tokenizers`, which alone says where they are."""
        text = whole(text)
        found = guarded(self._encoded, text, self._place)
        return boundaries_of_offsets(text, found.ids, found.offsets)

    def _of_tokenizer(self, text: str) -> int:
        return len(self._encoded(whole(text)).ids)

    def _encoded(self, text: str) -> Any:
        return self._tokenizer.encode(text, add_special_tokens=False)

    def _note(self, text: str, tokens: int) -> None:
        self._left -= len(text)
        if len(text) <= SAMPLED:
            self._samples.append((text, tokens))
        if self._left > 0 or self._data is None:
            return
        data, self._data = self._data, None
        fast = _of_fastokens(data)
        if fast is not None and _agrees(fast, self._samples, self._place):
            self._count = fast
        self._samples.clear()


def _agrees(count: Count, samples: deque[tuple[str, int]], place: str) -> bool:
    try:
        return all(guarded(count, text, place) == tokens for text, tokens in samples)
    except CtxlabError:
        return False


def _of_tokenizers(data: str, place: str) -> Any:
    try:
        import tokenizers
    except ImportError as missing:
        raise MissingExtra(
            "a model's own vocabulary needs tokenizers, which is not installed: pip install 'ctxlab[local]'"
        ) from missing
    found: Any = guarded(tokenizers.Tokenizer.from_str, data, place)
    found.no_truncation()
    found.no_padding()
    found.post_processor = None  # it adds tokens that nobody asks for, and takes blanks off the places of others
    return found


def _of_fastokens(data: str) -> Count | None:
    try:
        import fastokens
    except ImportError:
        return None
    try:
        found: Any = guarded(fastokens.Tokenizer.from_json_str, data, "")
    except CtxlabError:
        return None
    return lambda text: len(found.encode(whole(text), False))


def gguf_vocabulary(path: Path) -> dict[str, Any]:
    """The vocabulary of a GGUF as the JSON of `tokenizers`. Raises CtxlabError for kinds that aren't counted."""
    from ctxlab.local_models.gguf_header import read_gguf_header
    from ctxlab.local_models.tokenizer_files import of_merges, of_pieces

    header = read_gguf_header(path)
    problem = gguf_vocabulary_problem(header)
    if problem:
        raise CtxlabError(f"{path}: {problem}")
    tokens = [str(each) for each in header["tokenizer.ggml.tokens"]]
    kinds = header.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    if header["tokenizer.ggml.model"] == "gpt2":
        merges = [str(each) for each in header["tokenizer.ggml.merges"]]
        return of_merges(tokens, kinds, merges, gguf_family(header) or "")
    return of_pieces(_pieces_of_gguf(header, tokens, kinds))


def _pieces_of_gguf(header: dict[str, Any], tokens: list[str], kinds: list[int]) -> SentencePieces:
    from ctxlab.local_models.sentence_pieces import BPE, Piece, SentencePieces

    scores = header["tokenizer.ggml.scores"]
    pieces = tuple(map(Piece, tokens, scores, kinds))
    prefix = bool(header.get("tokenizer.ggml.add_space_prefix", True))
    return SentencePieces(pieces, BPE, byte_fallback=True, add_dummy_prefix=prefix, remove_extra_blanks=False)


def gguf_family(header: dict[str, Any]) -> str | None:
    """The way in which a vocabulary of joined bytes splits texts; None where it isn't known."""
    from ctxlab.local_models.tokenizer_files import ALIASES, PATTERNS

    name = str(header.get("tokenizer.ggml.pre", "")).lower()
    name = ALIASES.get(name, name)
    return name if name in PATTERNS else None


def gguf_vocabulary_problem(header: dict[str, Any]) -> str:
    """Why a GGUF's vocabulary can't count; "" where it can."""
    kind, tokens = header.get("tokenizer.ggml.model"), header.get("tokenizer.ggml.tokens")
    if not isinstance(tokens, list) or not tokens:
        return "it has no vocabulary"
    size = len(cast("list[Any]", tokens))
    if kind == "llama":
        lists = ("scores", "token_type")
    elif kind == "gpt2":
        lists = ("token_type",)
        if not isinstance(header.get("tokenizer.ggml.merges"), list):
            return "its vocabulary has no merges"
        if gguf_family(header) is None:
            return f"its vocabulary splits texts in a way that isn't known ({header.get('tokenizer.ggml.pre')!r})"
    else:
        return f"its vocabulary is of the kind {kind!r}, of which no exact count is made"
    for name in lists:
        found: Any = header.get(f"tokenizer.ggml.{name}")
        if not isinstance(found, list) or len(cast("list[Any]", found)) != size:
            return f"its vocabulary has {size:,} tokens and not as many in tokenizer.ggml.{name}"
    return ""


def guarded(call: Callable[[str], Any], text: str, place: str) -> Any:
    """The answer of a library of Rust; its panics, which are no Exception, and its refusals as BrokenFile."""
    try:
        return call(text)
    except CtxlabError:
        raise
    except Exception as error:
        raise BrokenFile(f"{place} can't be used as a vocabulary: {str(error)[:200]}") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise BrokenFile(f"{place} can't be used as a vocabulary: its library stopped at a text") from error


def whole(text: str) -> str:
    """The text with U+FFFD for each half of a surrogate pair, which no vocabulary has."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
