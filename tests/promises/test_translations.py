"""Whatever a model does with a text, no tag, code, macro, variable or address of it is changed, lost or doubled."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.chat.translation.pieces import IN_ORDER, pieces_in
from ctxlab.chat.translation.translation import Translation

Mangle = Callable[[str, random.Random], str]

MARK = re.compile(r"[⟦⦗⟪〘⧼]\w*?\d+[⟧⦘⟫〙⧽]")
WORDS = st.sampled_from(
    [
        "The lamp",
        "is out.",
        "看这里，",
        "沈砚走进灯塔。",
        "costs $5",
        "and 50% of it",
        "a < b",
        "or `",
        "Why?",
        "(see)",
        "¿Qué?",
        "é",
    ]
)
BLANKS = st.sampled_from([" ", " ", " ", "\n", "\n\n", ""])
INLINE_PIECES = (
    "<b>", "</b>", '<svar name="gold" op="+" value="a<5" />', "<br/>", "<!-- hush -->", '<a href="x>y">',
    "<think>", "</think>",
    "`ls -l`", "``a ` b``", "{{user}}", "{{random::{{user}}::nobody}}", "{name}", "${home}", "$[hero.gold]",
    "https://example.org/a?b=1&c=2#d", "http://中.example/", "www.example.org", "a.b@example.org", "【file::3】",
    "【kb::a::b】", "%s", "%(n)d", "&nbsp;", r"\(x^2\)", "](./a.md)", "agent-asset://cat.png",
)  # fmt: skip
BLOCK_PIECES = ("\n```py\nx = {{y}}\n```\n", "\n~~~\nfor `a`\n~~~\n", "\n$$a < b$$\n", "\n<pre>don't</pre>\n")
INLINE, BLOCKS = st.sampled_from(INLINE_PIECES), st.sampled_from(BLOCK_PIECES)
TEXTS = st.lists(st.one_of(WORDS, WORDS, BLANKS, INLINE, BLOCKS), min_size=1, max_size=14).map("".join)


def shouted(text: str, dice: random.Random) -> str:
    """Other words, with every mark in its place."""
    parts = re.split(f"({MARK.pattern})", text)
    return "".join(part if n % 2 else re.sub(r"\w+", "词", part) for n, part in enumerate(parts))


def marks_of(text: str) -> list[str]:
    return MARK.findall(text)


def dropped(text: str, dice: random.Random) -> str:
    found = marks_of(text)
    return text.replace(dice.choice(found), "", 1) if found else text


def doubled(text: str, dice: random.Random) -> str:
    found = marks_of(text)
    return f"{text} {dice.choice(found)}" if found else text


def shuffled(text: str, dice: random.Random) -> str:
    found = marks_of(text)
    dice.shuffle(found)
    left = iter(found)
    return MARK.sub(lambda mark: next(left), text)


def changed(text: str, dice: random.Random) -> str:
    """A mark with a bracket or a digit that isn't its own, or with blanks in it."""
    found = marks_of(text)
    if not found:
        return text
    mark = dice.choice(found)
    other = [
        mark[1:],
        mark[:-1],
        f"[{mark[1:-1]}]",
        f"{mark[0]} {mark[1:-1]} {mark[-1]}",
        f"{mark[0]}77{mark[-1]}",
        mark[1:-1],
    ]
    return text.replace(mark, dice.choice(other), 1)


def added(text: str, dice: random.Random) -> str:
    more = [
        "<script>x</script>",
        "{{setvar::a::b}}",
        "`",
        "```\n",
        "https://evil.example",
        "<svar name='a' value='9'/>",
        "{{",
        "%s",
        "$[a]",
    ]
    return dice.choice([f"{text} {dice.choice(more)}", f"{dice.choice(more)}\n{text}"])


def emptied(text: str, dice: random.Random) -> str:
    return dice.choice(["", " \n", "<think>hm</think>"])


def thoughtful(text: str, dice: random.Random) -> str:
    return f"<think>{text}</think>\n{shouted(text, dice)}"


def squeezed(text: str, dice: random.Random) -> str:
    return "".join(shouted(text, dice).split())


MANGLES: tuple[Mangle, ...] = (shouted, dropped, doubled, shuffled, changed, added, emptied, thoughtful, squeezed)


def translated(text: str, mangles: list[Mangle], seed: int, **settings: int) -> Translation:
    dice = random.Random(seed)

    def model(messages: list[dict[str, str]]) -> str:
        return dice.choice(mangles)(messages[-1]["content"].partition("<<")[2].rpartition(">>")[0], dice)

    return ctxlab.translate(text, model=model, settings={"prompt": "<<{text}>>", **settings})


@given(TEXTS, st.lists(st.sampled_from(MANGLES), min_size=1, max_size=4), st.integers(0, 99), st.integers(10, 200))
def test_no_piece_is_changed_lost_or_doubled_whatever_the_model_does(
    text: str, mangles: list[Mangle], seed: int, most: int
) -> None:
    made = translated(text, mangles, seed, segmentCharacters=most)

    before, after = pieces_in(text), pieces_in(made.text)
    assert Counter(piece.text for piece in after) == Counter(piece.text for piece in before)
    assert [p.text for p in after if p.kind in IN_ORDER] == [p.text for p in before if p.kind in IN_ORDER]


@given(
    st.lists(st.one_of(WORDS.filter(lambda word: "`" not in word), INLINE, BLOCKS), min_size=1, max_size=12),
    st.lists(st.sampled_from(MANGLES), min_size=1, max_size=4),
    st.integers(0, 99),
)
def test_pieces_between_blanks_are_there_as_often_as_before(words: list[str], mangles: list[Mangle], seed: int) -> None:
    text = " ".join(words)

    made = translated(text, mangles, seed, segmentCharacters=60)

    for piece in (*INLINE_PIECES, *map(str.strip, BLOCK_PIECES)):
        assert made.text.count(piece) == text.count(piece), piece


@given(
    st.lists(st.sampled_from(["<b>", "</b>", "<i>", "</i>", "{{user}}", "`x`"]), min_size=2, max_size=6),
    st.sampled_from([shuffled, doubled, dropped]),
    st.integers(0, 99),
)
def test_tags_stay_in_their_order_and_pieces_between_their_tags(pieces: list[str], mangle: Mangle, seed: int) -> None:
    text = f"lamp {' word '.join(pieces)} out"

    made = translated(text, [mangle], seed)

    def between_tags(words: str) -> list[list[str]]:
        return [sorted(re.findall(r"\{\{user\}\}|`x`", gap)) for gap in re.split(r"</?[bi]>", words)]

    assert re.findall(r"</?[bi]>", made.text) == re.findall(r"</?[bi]>", text)
    assert between_tags(made.text) == between_tags(text)


@given(TEXTS, st.lists(st.sampled_from(MANGLES), min_size=1, max_size=4), st.integers(0, 99))
def test_what_falls_back_is_as_it_was_and_is_said(text: str, mangles: list[Mangle], seed: int) -> None:
    made = translated(text, mangles, seed, segmentCharacters=40)

    fallen = made.fallen_back
    assert all(segment.text == segment.original == text[segment.start : segment.end] for segment in fallen)
    assert all(segment.reason for segment in fallen)
    warned = [note for note in made.notes if note.level == "warning"]
    assert [(note.details["start"], note.details["end"]) for note in warned] == [(s.start, s.end) for s in fallen]
    assert (made.error is None) == (not made.segments or len(fallen) < len(made.segments))


@given(
    st.lists(st.one_of(WORDS, INLINE.filter(lambda piece: piece[0] not in "]%")), min_size=1, max_size=8),
    st.integers(10, 200),
)
def test_with_a_model_that_keeps_the_marks_nothing_falls_back(words: list[str], most: int) -> None:
    text = " ".join(word for word in words if "`" not in word)

    made = translated(text, [shouted], 0, segmentCharacters=most)

    assert made.fallen_back == ()
    assert not any(word in made.text for word in ("lamp", "灯塔", "out") if "!--" not in text)


@given(TEXTS, st.integers(1, 60))
def test_segments_are_the_text_and_no_piece_is_cut(text: str, most: int) -> None:
    made = translated(text, [lambda words, dice: words], 0, segmentCharacters=most)

    assert made.text == text
    ends = [segment.end for segment in made.segments]
    assert all(a <= segment.start < segment.end for a, segment in zip([0, *ends], made.segments, strict=False))
    assert not any(
        piece.start < at < piece.end for piece in pieces_in(text) for s in made.segments for at in (s.start, s.end)
    )


@given(st.text(alphabet="⟦⟧⦗⦘⟪⟫〘〙⧼⧽k1a <b>", max_size=60))
def test_a_text_that_has_the_marks_themselves_is_as_safe(text: str) -> None:
    made = translated(f"{text} <i>Lamp</i> {{{{user}}}} on", [shouted], 0)

    assert "<i>" in made.text and "{{user}}" in made.text
    assert Counter(p.text for p in pieces_in(made.text)) == Counter(p.text for p in pieces_in(made.original))
