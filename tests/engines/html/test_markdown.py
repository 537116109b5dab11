from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import Cause, Origin, Text
from ctxlab.engines.html import as_markdown, looks_like_html

WHY = Cause("loader", "html")
PIECES = (
    *("<", ">", "</", "<!--", "-->", "<![", "]]>", "<?", "&", "&lt;", '"', "'", "=", " ", "\n", "\t", "\x00", "\ud800"),
    *("<p>", "</p>", "<b>", "</b>", "<pre>", "</pre>", "<ul>", "<ol>", "<li>", "<table>", "<tr>", "<td colspan=3>"),
    *("<a href='", "<think>", "</think>", "<sub>", "<script>", "</script>", "<h2>", "<h" + "9" * 20 + ">", "灯塔", "a"),
)


def converted(html: str, *, note: str = "", tags: tuple[str, ...] = ("think",)) -> Text:
    return tried(html, note=note, tags=tags)[0]


def tried(html: str, *, note: str = "", tags: tuple[str, ...] = ("think",)) -> tuple[Text, str | None]:
    return as_markdown(Text.of(html, Origin("node", "n")), keep_tags=tags, note=note, cause=WHY)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("<p>a</p>", True), ("a < b", False), ("a <b", False), ("2 <3> 4", False), ("<br/>", True), ("", False)],
)
def test_html_is_told_by_its_tags(text: str, expected: bool) -> None:
    assert looks_like_html(text) is expected


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<h2>Title</h2><p>some <b>bold</b> and <em>soft</em></p>", "## Title\n\nsome **bold** and *soft*"),
        ("<ul><li>a</li><li>b</li></ul>", "* a\n* b"),
        ('<a href="https://x.org">link</a>', "[link](https://x.org)"),
        ("a<!-- secret -->b", "ab"),
        ("<p>a</p><br><br><br><p>b</p>", "a\n\nb"),
        ('<a href="x"></a>a', "a"),
        ("<p>1 * 2 _ 3</p>", "1 * 2 _ 3"),
    ],
)
def test_tags_become_signs(html: str, markdown: str) -> None:
    assert str(converted(html)) == markdown


def test_code_keeps_its_language() -> None:
    assert str(converted('<pre><code class="language-python">x = 1</code></pre>')) == "```python\nx = 1\n```"


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<think>a <b>b</b></think>\n<p>x</p>", "<think>a <b>b</b></think>\n\nx"),
        ("<p>x</p><think>open <i>y</i>", "x\n\n<think>open <i>y</i>"),
        ("<THINK>a <b>b</b></Think><b>c</b>", "<THINK>a <b>b</b></Think>**c**"),
        ("<thinking><b>a</b></thinking>", "**a**"),
        ("<think>1</think><b>a</b><think>2</think>", "<think>1</think>**a**<think>2</think>"),
    ],
)
def test_what_stands_in_a_kept_tag_stays_as_it_is(html: str, markdown: str) -> None:
    assert str(converted(html)) == markdown


def test_kept_tags_are_not_touched_and_the_rest_remembers_its_html() -> None:
    text = converted("<think>a</think><b>c</b>", note=" [was HTML]")

    thought, words, note = text.spans
    assert (thought.text, thought.cause) == ("<think>a</think>", None)
    assert (words.text, [older.text for older in words.was]) == ("**c**", ["<b>c</b>"])
    assert (note.text, note.origin) == (" [was HTML]", Origin("notice", "loader"))


def test_private_characters_in_the_text_are_no_marks() -> None:
    html = "\ue000<think>a</think>\ue000<b>c</b>"

    assert str(converted(html)) == "\ue000<think>a</think>\ue000**c**"


def test_a_thought_inside_a_comment_leaves_the_text_as_it_is() -> None:
    html = "<!-- <think>a</think> --><b>c</b>"

    text, problem = tried(html, note="!")

    assert str(text) == html
    assert problem == "a part between <think> is inside other markup"


# --- hostile and broken HTML: none of these may raise, hang or lose words

LARGE = 128_000
"""Characters; work that grows with their square would take a minute."""
PRIVATE = "\ue001"
TOO_DEEP, UNPARSABLE, TOO_LARGE, TOO_MUCH = "nested too deeply", "can't be parsed", "too large", "too much work"


def repeated(unit: str, characters: int = LARGE) -> str:
    return unit * (characters // len(unit))


@pytest.mark.parametrize(
    ("html", "why"),
    [
        pytest.param("<p>" + repeated("<!--"), UNPARSABLE, id="comments"),
        pytest.param(repeated("<a "), UNPARSABLE, id="tags"),
        pytest.param(repeated("<a x="), UNPARSABLE, id="attributes"),
        pytest.param(repeated('<a x="'), UNPARSABLE, id="quotes"),
        pytest.param("<p>x</p>" + repeated("<!["), UNPARSABLE, id="sections"),
        pytest.param("<p>\ud800</p>", UNPARSABLE, id="half a character"),
        pytest.param("<div>compare a <![ b</div>", UNPARSABLE, id="no section"),
        pytest.param("<p>x</p><![%20temp[ ]]>", UNPARSABLE, id="a strange section"),
        pytest.param("<b>a</b> if b <c and so on", UNPARSABLE, id="less than, to the end"),
        pytest.param("<b>a</b><!-- and <i>words</i>", UNPARSABLE, id="a comment to the end"),
        pytest.param("<div>" * 400, TOO_DEEP, id="400 levels"),
        pytest.param("<ul><li>" * 200, TOO_DEEP, id="400 levels of lists"),
        pytest.param(repeated("<b>"), TOO_DEEP, id="very deep"),
        pytest.param("<blockquote>" * 90 + repeated("word ", 250_000), TOO_MUCH, id="deep and long"),
        pytest.param("<ol>" + repeated("<li>x"), TOO_MUCH, id="a numbered list"),
        pytest.param("<table><thead>" + repeated("<tr><td>x"), TOO_MUCH, id="rows of a head"),
        pytest.param("<table>" + repeated("<tbody><tr><td>x"), TOO_MUCH, id="bodies of a table"),
        pytest.param(repeated("<table><tr><td colspan=1000>x</table>"), TOO_MUCH, id="columns"),
        pytest.param(repeated("<p>x</p>", 500_008), TOO_LARGE, id="half a million"),
    ],
)
def test_a5_html_that_is_not_converted_stays_as_it_is_and_says_why(html: str, why: str) -> None:
    text, problem = tried(html, note="[was HTML]")

    assert str(text) == html
    assert text.spans[0].cause is None
    assert problem is not None
    assert why in problem
    assert len(problem) < 120


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>line" * 350, "\n\n".join(["line"] * 350)),
        ("<ul>" + "<li>item" * 350, "\n".join(["* item"] * 350)),
        ("<table>" + "<tr><td>x" * 200, "|  |\n| --- |\n" + "\n".join(["| x |"] * 200)),
        ("<h" + "1" * 5000 + ">x", "###### x"),
        ("<pre>\n\n  a\n b \n</pre>", "```\n  a\n b\n```"),
    ],
)
def test_a5_tags_that_need_no_end_are_converted(html: str, markdown: str) -> None:
    assert str(converted(html)) == markdown


RUNS: dict[str, Callable[[int], tuple[str, str]]] = {
    "blanks": lambda n: ("<p>a" + " " * n + "b", "a b"),
    "blanks of code": lambda n: ("<pre>a" + " " * n + "b</pre>", "```\na" + " " * n + "b\n```"),
    "links": lambda n: ("<b>c</b>" + repeated("[](", n), "**c**" + repeated("[](", n)),
    "private": lambda n: (f"<b>c</b>{PRIVATE * n}<think>a</think>", f"**c**{PRIVATE * n}<think>a</think>"),
    "bold": lambda n: (repeated("<b></b>", n), ""),
}
"""HTML with a run of so many characters, and its Markdown."""


@pytest.mark.parametrize("run", RUNS)
def test_a5_long_runs_cost_no_more_than_their_length(run: str) -> None:
    def seconds(characters: int) -> float:
        html, markdown = RUNS[run](characters)
        began = process_time()
        assert str(converted(html)) == markdown
        return process_time() - began

    seconds(100)  # what loads at first use
    quarter = min(seconds(8_000) for _ in range(3))
    assert min(seconds(32_000) for _ in range(2)) < 8 * max(quarter, 0.02)


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_a5_no_html_raises_and_what_is_refused_is_untouched(html: str) -> None:
    text, problem = tried(html)

    assert problem is None or str(text) == html
