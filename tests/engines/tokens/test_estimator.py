"""The estimate of a text whose tokenizer nobody has."""

import time

import pytest

from ctxlab.engines.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("word", 1),
        ("words", 2),
        ("snake_case 12", 4),  # the underscore is a word character
        ("\t\n\r\v\f\u00a0\u3000\ufeff", 2),  # JavaScript's blanks, the byte order mark among them
        ("\x1c\x85\u200b", 3),  # no blanks in JavaScript
        ("中" * 3, 2),
        ("中" * 4, 3),
        ("龥龦", 2),  # the range ends at U+9FA5
        ("𠀀", 2),  # a rare Chinese character is two UTF-16 units and special
        ("é", 1),
        ("e\u0301", 2),
        ("\ud83d", 1),
        ("\ud83d\ude00", 2),
        ("😀", 2),
        ("a中!", 2),
    ],
)
def test_each_kind_of_character_has_its_price(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


IMAGE = "![x](data:image/png;base64,AAAA)"


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        (IMAGE, "[IMAGE]"),
        (f"see {IMAGE} and {IMAGE}.", "see [IMAGE] and [IMAGE]."),
        ("![](data:image/svg+xml;base64,)", "[IMAGE]"),
        (f"![a] ![b{IMAGE[1:]}", "[IMAGE]"),  # from the first ![ of the line
        (f"![a]\n{IMAGE}", "![a]\n[IMAGE]"),  # but not over a line
        (f"![a]\u2028{IMAGE}", "![a]\u2028[IMAGE]"),
        ("![x](data:image/png;base64,AAAA", None),
        ("[x](data:image/png;base64,AAAA)", None),
        ("![x](data:text/plain;base64,AAAA)", None),
        ("![x](data:image/png;base64,AA\nAA)", None),
    ],
)
def test_an_inline_image_counts_as_a_word(text: str, same_as: str | None) -> None:
    from ctxlab.engines.tokens.estimate import without_inline_images

    assert without_inline_images(text) == (text if same_as is None else same_as)
    assert estimate_tokens(text) == estimate_tokens(same_as or text)


@pytest.mark.parametrize("text", ["![" * 300_000 + ";base64,", "](data:image/a;base64," * 50_000, "中a" * 500_000])
def test_four_times_the_text_takes_about_four_times_the_work(text: str) -> None:
    """What grows with the square takes sixteen times; the least of some rounds is what other work disturbs least."""

    def work(text: str) -> float:
        began = time.process_time()
        estimate_tokens(text)
        return time.process_time() - began

    once, four_times = (min(work(one) for _ in range(5)) for one in (text, text * 4))

    assert four_times < 9 * once
