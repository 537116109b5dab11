import pytest

from ctxlab.context import Cause, Origin, Text
from ctxlab.engines.html import as_markdown, looks_like_html

WHY = Cause("loader", "html")


def converted(html: str, *, note: str = "", tags: tuple[str, ...] = ("think",)) -> Text:
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

    assert str(converted(html, note="!")) == html
