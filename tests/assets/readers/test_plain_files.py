"""Text files, web pages, mails and RTF."""

from __future__ import annotations

from email.message import EmailMessage
from io import BytesIO

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.assets.readers import ReadLimits, read_text
from ctxlab.context import FileFacts, Transcript

LIMITS = ReadLimits()
TEXT = FileFacts("text", "text/plain")


def read(data: bytes, mime_type: str, limits: ReadLimits = LIMITS) -> Transcript:
    kind = "text" if mime_type.startswith("text/") else "document"
    return read_text(BytesIO(data), FileFacts(kind, mime_type), limits=limits)


# --- text

MARKED = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"])
SENTENCES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Co", "Cn"]), min_size=1)
CHINESE_TEXT = "港口的潮汐表每天早上八点更新，船长需要在出发之前检查水位。" * 3
JAPANESE_TEXT = "港の潮位は毎朝八時に更新されます。船長は出発の前に水位を確認してください。" * 3


@given(SENTENCES, MARKED)
def test_a_text_comes_back_from_each_encoding_that_says_what_it_is(text: str, encoding: str) -> None:
    transcript = read(text.encode(encoding), "text/plain")

    assert transcript.text == text.removeprefix("\ufeff")
    assert transcript.problems == ()
    assert [passage.place for passage in transcript.passages] == [""][: len(transcript.passages)]


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE_TEXT, "gb18030"),
        (CHINESE_TEXT, "utf-16-le"),
        (JAPANESE_TEXT, "shift_jis"),
        (JAPANESE_TEXT, "euc-jp"),
        ("a,b\n1,2\n3,é\n", "utf-16-be"),
        ("Le port est fermé à midi, où dîner après ?", "cp1252"),
    ],
)
def test_a_text_comes_back_from_encodings_that_have_no_mark(text: str, encoding: str) -> None:
    assert read(text.encode(encoding), "text/plain").text == text


@given(st.text("ab 港é\n", max_size=300), st.integers(1, 200))
def test_a_text_is_cut_between_two_characters(text: str, most: int) -> None:
    transcript = read((text or "a").encode(), "text/plain", ReadLimits(max_characters=most))

    assert transcript.text == (text or "a")[:most]
    assert transcript.problems == ((f"the text is cut after {most:,} characters",) if len(text) > most else ())


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030", "utf-16"])
@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_the_first_part_of_a_large_file_has_no_broken_letter_at_its_end(encoding: str, blank: str) -> None:
    text = f"a{blank}" + f"{CHINESE_TEXT}{blank}" * 3000
    limits = ReadLimits(max_bytes=100_001)

    transcript = read(text.encode(encoding), "text/plain", limits)

    assert text.startswith(transcript.text)
    assert len(transcript.text) > 30_000
    assert transcript.problems == ("what is after the first 100 kB is not read",)


# --- web pages


def test_a_web_page_becomes_markdown_without_its_scripts() -> None:
    page = (
        "<html><head><style>p {}</style><script>alert(1)</script></head><body><h1>潮</h1><p>High <b>noon</b></p></body>"
    )

    transcript = read(page.encode(), "text/html")

    assert transcript.text == "# 潮\n\nHigh **noon**"
    assert transcript.engine == "html"


def test_a_web_page_that_cannot_be_converted_is_read_as_its_source() -> None:
    page = "<p>high noon</p><!-- never closed"

    transcript = read(page.encode(), "text/html")

    assert transcript.text == page
    assert transcript.problems[0].startswith("read as its source: ")


# --- mails


def test_a_mail_has_its_headers_its_words_and_the_names_of_its_files() -> None:
    mail = EmailMessage()
    mail["Subject"] = "潮汐 at noon"
    mail["From"] = "Kari <kari@harbour.example>"
    mail["To"] = "pilot@harbour.example"
    mail.set_content("The tide is high.\n\nKari")
    mail.add_alternative("<p>The tide is <b>high</b>.</p>", subtype="html")
    mail.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="潮汐表.pdf")

    transcript = read(mail.as_bytes(), "message/rfc822")

    assert transcript.text == (
        "From: Kari <kari@harbour.example>\nTo: pilot@harbour.example\nSubject: 潮汐 at noon\n\n"
        "The tide is high.\n\nKari\n\nAttached: 潮汐表.pdf"
    )
    assert transcript.problems == ("attached files are not read: 潮汐表.pdf",)


def test_a_mail_of_html_alone_becomes_markdown_and_letters_of_no_declared_encoding_are_read() -> None:
    data = b"Subject: x\nContent-Type: text/html\n\n<p>" + CHINESE_TEXT.encode("gb18030") + b"</p>"

    assert read(data, "message/rfc822").text == f"Subject: x\n\n{CHINESE_TEXT}"


# --- RTF


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (rb"{\rtf1\ansi{\fonttbl{\f0 A;}}{\info x}High\tab noon\par{\b low} tide\par}", "High\tnoon\nlow tide"),
        (rb"{\rtf1\ansi caf\'e9 \u28526?\u-10179?\u-8704? \{x\}}", "café 潮😀 {x}"),
        (rb"{\rtf1\ansi\uc2\u28526\'b3\'b1!}", "潮!"),
        (rb"{\rtf1\ansi\ansicpg936 \'b3\'b1\'cf\'ab}", "潮汐"),
        (rb"{\rtf1\ansi{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset134 B;}}\f1\'b3\'b1\f0\'e9}", "潮é"),
        (rb"{\rtf1 a{\*\generator hidden}{\pict\bin5 }}}}}}b}", "ab"),
        (rb"{\rtf1 \trowd a\cell b\cell\row c\cell d\cell\row}", "a\tb\t\nc\td\t"),
    ],
)  # fmt: skip
def test_rich_text_has_its_words_alone(source: bytes, text: str) -> None:
    assert read(source, "application/rtf").text == text


# --- any limits


@settings(max_examples=60)
@given(st.integers(1, 200), st.sampled_from(["text/plain", "text/html", "application/rtf", "message/rfc822"]))
def test_no_transcript_is_longer_than_the_limit_and_a_cut_one_says_so(most: int, mime_type: str) -> None:
    words = "high tide at noon " * 6
    data = {
        "text/plain": words,
        "text/html": f"<p>{words}</p>",
        "application/rtf": f"{{\\rtf1 {words}}}",
        "message/rfc822": f"Subject: x\n\n{words}",
    }[mime_type]
    whole = read(data.encode(), mime_type).text

    transcript = read(data.encode(), mime_type, ReadLimits(max_characters=most))

    assert whole.startswith(transcript.text)
    assert len(transcript.text) == min(most, len(whole))
    assert bool(transcript.problems) == (len(whole) > most)
