"""References are taken apart as they were written, and bytes in them come back."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.assets.references import (
    Reference,
    bytes_of_base64,
    bytes_of_data_url,
    data_url,
    find_agent_asset,
    parse_reference,
)
from ctxlab.documents.agent.assets import AgentAsset
from ctxlab.errors import CtxlabError

ASSETS = [
    {"id": "wave", "filename": "hello.png", "group": "stickers", "path": "assets/1.png"},
    {"id": "hello", "filename": "x.png", "group": "stickers", "path": "assets/2.png"},
    {"id": "plan", "filename": "港口.webp", "path": "assets/3.webp"},
    {"id": "other", "filename": "wave.gif", "group": "old", "path": "assets/4.gif"},
]


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("artifact:0123abcd", Reference("artifact", "0123abcd")),
        ("agent-asset://stickers/wave.png", Reference("agent-asset", "wave", "stickers")),
        ("agent-asset://my%20group/a%2Fb.c.png", Reference("agent-asset", "a/b.c", "my group")),
        ("agent-asset://wave", Reference("agent-asset", "wave", "default")),
        ("data:image/png;base64,AAAA", Reference("data", "data:image/png;base64,AAAA")),
        ("https://example.com/a.png", Reference("link", "https://example.com/a.png")),
        ("file:///etc/passwd", Reference("link", "file:///etc/passwd")),
        ("images/a.png", Reference("path", "images/a.png")),
        ("C:\\a.png", Reference("path", "C:\\a.png")),
    ],
)
def test_a_reference_is_taken_apart(text: str, reference: Reference) -> None:
    assert parse_reference(text) == reference


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("agent-asset://stickers/hello.png", "assets/2.png"),  # the id in the group beats the name
        ("agent-asset://stickers/x.jpg", "assets/2.png"),  # the extension doesn't count
        ("agent-asset://nowhere/wave.png", "assets/1.png"),  # the id anywhere beats the name anywhere
        ("agent-asset://old/wave.png", "assets/4.gif"),  # the name in the group beats the id elsewhere
        ("agent-asset://default/plan.webp", "assets/3.webp"),
        ("agent-asset://plan", "assets/3.webp"),
        ("agent-asset://default/%E6%B8%AF%E5%8F%A3.webp", "assets/3.webp"),
        ("agent-asset://stickers/wavy.png", None),  # similar is not the same
    ],
)
def test_an_agent_s_file_is_found_in_the_order_of_the_lookup(text: str, path: str | None) -> None:
    found = find_agent_asset(parse_reference(text), ASSETS)

    assert (found["path"] if found else None) == path


@given(st.text(min_size=1), st.text(min_size=1), st.sampled_from(["png", "webp", "m4a"]))
def test_a_written_reference_leads_back(group: str, id: str, extension: str) -> None:
    asset = {"id": id, "group": group, "filename": f"x.{extension}"}

    written = AgentAsset.of(asset).address

    assert find_agent_asset(parse_reference(written), [asset]) is asset


@given(st.binary(max_size=200), st.sampled_from(["image/png", "text/plain", ""]))
def test_bytes_of_a_data_url_come_back(data: bytes, mime_type: str) -> None:
    url = data_url(data, mime_type)

    assert bytes_of_data_url(url) == (data, mime_type or "application/octet-stream")


@given(st.binary(max_size=200))
def test_base64_is_read_with_and_without_padding_and_lines(data: bytes) -> None:
    text = base64.b64encode(data).decode()

    assert bytes_of_base64(text) == data
    assert bytes_of_base64(text.rstrip("=")) == data
    assert bytes_of_base64("\n".join(text)) == data
    assert bytes_of_base64(base64.urlsafe_b64encode(data).decode()) == data


def test_a_data_url_may_be_percent_encoded() -> None:
    assert bytes_of_data_url("data:,h%C3%A9") == ("hé".encode(), "text/plain")


@pytest.mark.parametrize("text", ["AAAA!", "A", "港口", "AA=A"])
def test_broken_base64_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(CtxlabError, match="base64 is broken"):
        bytes_of_base64(text)


def test_no_bytes_are_in_a_repr() -> None:
    assert "SECRET" not in repr(parse_reference("data:image/png;base64,SECRET"))
