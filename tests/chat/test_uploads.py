"""Files that are uploaded before the request that names them: once, for as long as the vendor keeps them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.event_log import read_events
from ctxlab.chat.events import FileUploaded
from ctxlab.chat.uploads import UPLOADS
from ctxlab.documents import Session
from ctxlab.providers.sending.file_doors import DOORS
from ctxlab.testing import FakeReply, FakeServer
from tests.assets import made_files

KEY = "sk-never-to-be-seen-42"
MODELS = {"openai": "gpt-4o", "openai-responses": "gpt-4o", "anthropic": "claude-sonnet-4-5"}
EACH_VENDOR = pytest.mark.parametrize("vendor", list(MODELS))
CHAT = Session(id="s").append("Hi", id="u1").append("Hello.", role="assistant", id="a1")
TIME = "2026-03-01T12:00:00+00:00"
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082"
)


def pdf(name: str, size: int = 3000) -> Any:
    """A PDF with so many bytes behind its end."""
    return ctxlab.attachment(made_files.pdf(["tide"]) + f"\n%{name}".encode().ljust(size, b"x"), name=name)


def options(server: FakeServer, vendor: Any, **more: Any) -> dict[str, Any]:
    where = {"provider": vendor, "model": MODELS[vendor], "base_url": server.base_url(vendor), "key": KEY}
    return {**where, "retries": ctxlab.RetryPolicy(attempts=1), **more}


def uploaded(turn: Any) -> list[str]:
    return [event.name for event in turn.events if isinstance(event, FileUploaded)]


@EACH_VENDOR
def test_a_file_is_uploaded_once_and_named_by_its_id_from_then_on(vendor: str, tmp_path: Path) -> None:
    log = tmp_path / "turns.jsonl"
    with FakeServer() as server:
        given = options(server, vendor, uploads=True, log=log)
        turn = ctxlab.send(CHAT, "Read it", attachments=[pdf("潮汐.pdf")], **given)
        again = ctxlab.send(turn.session, "And again", **{**given, "uploads": None})

    assert (turn.error, again.error, server.refusals) == (None, None, ())
    (file,) = server.uploads
    assert (file.name, file.mime_type) == ("潮汐.pdf", "application/pdf") and file.content.startswith(b"%PDF")
    assert (uploaded(turn), uploaded(again)) == (["潮汐.pdf"], [])
    for request, posted in zip([*turn.requests, *again.requests], server.requests, strict=True):
        assert posted.content == request.payload.as_bytes()
        assert file.id in posted.content.decode() and b"JVBER" not in posted.content
        assert request.trace.steps[-1].id == "uploaded-files"
    assert ctxlab.recover(CHAT, log) == again.session
    assert KEY not in log.read_text("utf-8") and len(read_events(log)) > 4
    assert (
        turn.nodes[0].attachments[0].source
        == CHAT.append("", attachments=[pdf("潮汐.pdf")]).path()[-1].attachments[0].source
    )


@EACH_VENDOR
def test_by_default_only_so_many_go_that_the_request_is_not_too_large(
    vendor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DOORS, vendor, replace(DOORS[vendor], largest_request=30_000))  # pyright: ignore[reportArgumentType]
    files = [pdf("small.pdf", 3_000), pdf("large.pdf", 24_000), pdf("middle.pdf", 6_000)]
    with FakeServer() as server:
        alone = ctxlab.send(CHAT, "One", attachments=files[:1], **options(server, vendor))
        turn = ctxlab.send(CHAT, "All", attachments=files, **options(server, vendor))
        never = ctxlab.send(CHAT, "All", attachments=files, **options(server, vendor, uploads=False))

    assert (uploaded(alone), uploaded(turn), uploaded(never)) == ([], ["large.pdf"], [])
    assert len(turn.requests[0].payload.as_bytes()) <= 30_000 < len(never.requests[0].payload.as_bytes())
    assert server.refusals == ()


def test_an_id_that_the_vendor_forgets_soon_or_another_server_gave_is_not_named() -> None:
    with FakeServer() as server, FakeServer() as other:
        turn = ctxlab.send(CHAT, "Read", attachments=[pdf("a.pdf")], **options(server, "anthropic", uploads=True))
        ctxlab.send(turn.session, "Here too", **options(other, "anthropic", uploads=True))
        question = turn.nodes[0]
        (asset,) = question.attachments
        (upload,) = asset.metadata[UPLOADS]
        soon = asset.with_(metadata={UPLOADS: [{**upload, "expires": "2026-03-01T12:00:30+00:00"}]})
        late = turn.session.edit(question.id, attachments=(soon,))
        ctxlab.send(late, "Again", **options(server, "anthropic", uploads=True, timestamp=TIME))

    assert [len(server.uploads), len(other.uploads)] == [2, 1]
    assert server.refusals == other.refusals == ()


def test_a_file_that_the_vendor_does_not_take_ends_the_turn_and_the_message_stays() -> None:
    with FakeServer() as server:
        given = options(server, "anthropic", uploads=True)
        turn = ctxlab.send(CHAT, "Read", attachments=[pdf("a.pdf")], **{**given, "base_url": f"{server.url}/nowhere"})
        again = ctxlab.regenerate(turn.session, turn.nodes[0], **given)

    assert turn.error is not None and "404" in turn.error and "\n" not in turn.error and KEY not in turn.error
    assert (turn.nodes[0].content, turn.nodes[0].attachments[0].name, turn.requests) == ("Read", "a.pdf", ())
    assert turn.reply is not None and turn.reply.status == "error" and turn.session.check() == ()
    assert again.error is None and len(server.uploads) == 1


def test_a_client_of_ones_own_uploads_with_its_address_and_key() -> None:
    openai, anthropic = pytest.importorskip("openai"), pytest.importorskip("anthropic")
    with FakeServer() as server:
        clients = {
            "openai": openai.OpenAI(api_key=KEY, base_url=server.base_url("openai")),
            "anthropic": anthropic.Anthropic(api_key=KEY, base_url=server.base_url("anthropic")),
        }
        for vendor, client in clients.items():
            with client:
                given = {"provider": vendor, "model": MODELS[vendor], "client": client}
                turn = ctxlab.send(CHAT, "Read", attachments=[pdf("a.pdf")], **given, uploads=True)
                again = ctxlab.send(turn.session, "Again", **given)
                assert (turn.error, again.error, uploaded(turn), uploaded(again)) == (None, None, ["a.pdf"], [])

    assert [file.vendor for file in server.uploads] == list(clients) and server.refusals == ()


def test_pictures_go_where_requests_name_them_and_nowhere_else() -> None:
    picture = ctxlab.attachment(PICTURE, name="dot.png")
    found = {}
    with FakeServer(FakeReply("Aye.")) as server:
        for vendor in MODELS:
            turn = ctxlab.send(CHAT, "Look", attachments=[picture], **options(server, vendor, uploads=True))
            found[vendor] = (turn.error, uploaded(turn))

    assert found == {
        "openai": (None, []),
        "openai-responses": (None, ["dot.png"]),
        "anthropic": (None, ["dot.png"]),
    }
    assert server.refusals == ()


def test_a_function_takes_no_uploads() -> None:
    with pytest.raises(ctxlab.CtxlabError, match="uploads is for a vendor's model"):
        ctxlab.send(CHAT, "Why?", model=lambda messages: "x", uploads=True)
