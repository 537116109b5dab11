"""Files in finished messages: what can be sent, and what is only named."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest

import ctxlab
from ctxlab.cli import main
from ctxlab.formats import openai_messages
from tests.assets.made_files import pdf

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
PDF = b64encode(pdf(["hello"])).decode()
PARTS: list[dict[str, Any]] = [
    {"type": "text", "text": "what is this?"},
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}", "detail": "low"}},
    {"type": "image_url", "image_url": {"url": "https://example.org/cat.png"}},
    {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
    {"type": "file", "file": {"file_id": "file-1"}},
]


def with_parts(parts: list[dict[str, Any]]) -> ctxlab.Session:
    return ctxlab.read_data([{"role": "user", "content": parts}]).pick()


def with_attachment(**asset: Any) -> ctxlab.Session:
    session = ctxlab.read_data([{"role": "user", "content": "look"}]).pick()
    data = json.loads(session.to_json())
    data["nodes"]["m0"]["attachments"] = [{"id": "a", "name": "map.png", "mimeType": "image/png", **asset}]
    return ctxlab.read_data(data).pick()


def test_b4_files_of_finished_messages_are_sent_as_they_came() -> None:
    trace = ctxlab.build(with_parts(PARTS))

    export = openai_messages(trace.messages)

    assert trace.messages[0]["content"] == PARTS
    assert (export.data, export.losses) == ([{"role": "user", "content": PARTS}], ())


@pytest.mark.parametrize("detail", [None, "low", "high", "auto"])
def test_b4_the_detail_of_a_picture_is_kept(detail: str | None) -> None:
    picture = {"url": "https://example.org/cat.png", **({"detail": detail} if detail else {})}

    trace = ctxlab.build(with_parts([{"type": "image_url", "image_url": picture}]))

    assert trace.messages[0]["content"] == [{"type": "image_url", "image_url": picture}]


@pytest.mark.parametrize(
    ("asset", "part"),
    [
        (
            {"type": "image", "inlineData": {"base64": PIXEL, "mimeType": "image/png"}},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}},
        ),
        (
            {"type": "document", "name": "map.pdf", "inlineData": {"base64": PDF, "mimeType": "application/pdf"}},
            {"type": "file", "file": {"filename": "map.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
        ),
        (
            {"type": "image", "inlineData": {}, "url": "https://example.org/a.png"},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}},
        ),
    ],
)
def test_b4_attachments_of_other_programs_are_parts_too(asset: dict[str, Any], part: dict[str, Any]) -> None:
    content = ctxlab.build(with_attachment(**asset)).messages[0]["content"]

    assert content == [{"type": "text", "text": "look"}, part]


@pytest.mark.parametrize(
    ("asset", "where"),
    [
        ({"type": "image", "path": "lib/map.png"}, "at 'lib/map.png'"),
        ({"type": "image", "url": "file:///home/me/map.png"}, "at 'file:///home/me/map.png'"),
        ({"type": "image", "url": "pictures/map.png"}, "at 'pictures/map.png'"),
        ({"type": "audio", "url": "https://example.org/a.mp3"}, "at 'https://example.org/a.mp3'"),
        ({"type": "image", "inlineData": {"base64": "", "mimeType": "image/png"}}, "elsewhere; it"),
    ],
)
def test_b4_what_is_elsewhere_is_a_reference_and_a_loss(asset: dict[str, Any], where: str) -> None:
    trace = ctxlab.build(with_attachment(**asset))

    export = openai_messages(trace.messages)

    reference = trace.messages[0]["content"][1]
    assert (reference["type"], reference["name"], reference["kind"]) == ("asset", "map.png", asset["type"])
    assert export.data[0]["content"] == [{"type": "text", "text": "look"}]
    (loss,) = export.losses
    assert loss.place == "messages[0].content[1]"
    assert f"{asset['type']} 'map.png' is not in the message but elsewhere" in loss.text
    assert where in loss.text


def test_b4_the_command_line_prints_what_can_be_sent(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "chat.json"
    file.write_text(json.dumps([{"role": "user", "content": PARTS}]))

    assert main(["build", str(file), "--format", "json"]) == 0

    (message,) = json.loads(capsys.readouterr().out)
    assert message["content"] == PARTS


def everything_shown(trace: ctxlab.Trace) -> dict[str, Any]:
    from ctxlab_widgets import StepDebugger, TokenBudget, TokenView

    widgets = {kind.__name__: str(kind(trace).get_state()) for kind in (StepDebugger, TokenBudget, TokenView)}
    return {"view": json.dumps(trace.view()), "repr": repr(trace), "html": trace._repr_html_(), **widgets}  # pyright: ignore[reportPrivateUsage]


@pytest.mark.parametrize(
    "parts",
    [PARTS, [{"type": "image_url", "image_url": {"url": f"data:image/png,{quote(b64decode(PIXEL))}"}}]],
    ids=["base64", "a data URL as it is"],
)
def test_b4_views_and_widgets_carry_no_bytes(parts: list[dict[str, Any]]) -> None:
    for name, shown in everything_shown(ctxlab.build(with_parts(parts), model="gpt-4o")).items():
        assert PIXEL not in shown, name


Estimated = Callable[[list[dict[str, Any]]], ctxlab.Trace]


def picture(url: str, **more: str) -> list[dict[str, Any]]:
    return [{"type": "image_url", "image_url": {"url": url, **more}}]


@pytest.mark.parametrize(
    ("parts", "tokens", "estimated"),
    [
        (picture(f"data:image/png;base64,{PIXEL}"), 255, False),
        (picture(f"data:image/png;base64,{PIXEL}", detail="high"), 255, False),
        (picture(f"data:image/png;base64,{PIXEL}", detail="low"), 85, False),
        (picture("https://example.org/cat.png", detail="low"), 85, False),
        (picture("https://example.org/cat.png"), 765, True),
    ],
)
def test_b5_a_picture_costs_its_size_and_detail_and_a_guess_is_called_one(
    parts: list[dict[str, Any]], tokens: int, estimated: bool, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = ctxlab.build(with_parts(parts), model="gpt-4o", budget_tokens=5000)

    assert trace.messages[0]["tokens"] == tokens + trace.services.tokenizer.message_tokens
    assert trace.estimated is estimated
    assert bool(trace.table("token-limiter")["estimated"].iloc[0]) is estimated
    assert {draft.get("estimated", False) for draft in trace.view()["drafts"]} == {estimated}

    file = tmp_path / "chat.json"
    file.write_text(json.dumps([{"role": "user", "content": parts}]))
    main(["build", str(file), "--model", "gpt-4o"])
    out = " ".join(capsys.readouterr().out.split())
    assert "o200k_base [exact for gpt-4o]" in out
    assert ("but what a file costs is estimated" in out) is estimated


def test_b5_a_guess_on_a_message_that_is_cut_is_a_guess_of_the_limiter() -> None:
    messages = [
        {"role": "user", "content": picture("https://example.org/cat.png")},
        {"role": "assistant", "content": "a cat"},
        {"role": "user", "content": "sure?"},
    ]

    trace = ctxlab.build(ctxlab.read_data(messages).pick(), model="gpt-4o", budget_tokens=100)

    assert not trace.estimated
    assert trace.table("token-limiter")["estimated"].all()
