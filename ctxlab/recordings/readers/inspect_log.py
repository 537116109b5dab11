"""Logs of Inspect's evaluations as requests: each call of a model, by sample."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from ctxlab.assets.zip_members import BROKEN_ZIP, member_bytes
from ctxlab.errors import BrokenFile
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.providers.sending.server_events import value_of
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.readers.message_forms import body_of, chat_reply
from ctxlab.recordings.wire_bodies import wire_of_body

PROGRAM: Final = "Inspect"
ATTACHED: Final = "attachment://"
MOST_BYTES: Final = 512 * 2**20
"""Bytes that the samples of an archive may unfold to."""


def sniff(data: Any) -> bool:
    fields = fields_of(data)
    return "eval" in fields and mostly(fields.get("samples"), lambda item: "messages" in fields_of(item))


def read(source: Source, builder: RecordingBuilder) -> None:
    """The calls of every sample; of one without events what its messages say."""
    builder.program = PROGRAM
    for item in items_of(fields_of(source.data).get("samples")):
        add_sample(builder, fields_of(item))


def samples_in(raw: bytes | Path, name: str) -> Source | None:
    """The samples of an archive (`.eval`); None for an archive of anything else. Raises BrokenFile."""
    try:
        with zipfile.ZipFile(BytesIO(raw) if isinstance(raw, bytes) else raw) as archive:
            members = [one for one in archive.infolist() if one.filename.startswith("samples/")]
            if not members or "header.json" not in archive.namelist():
                return None
            if sum(member.file_size for member in members) > MOST_BYTES:
                raise BrokenFile(f"{name}: its samples unfold to over {MOST_BYTES:,} bytes; they are not read")
            samples = [value_of(member_bytes(archive, member)) for member in members]
            return Source({"eval": {}, "samples": samples}, name)
    except BROKEN_ZIP as error:
        raise BrokenFile(f"{name} is a broken archive: {error}") from None


def add_sample(builder: RecordingBuilder, sample: Data) -> None:
    """Add the calls of one sample."""
    attached = fields_of(sample.get("attachments"))
    whose = f"sample {sample.get('id')!r:.40}"
    calls = [fields_of(event) for event in items_of(sample.get("events")) if fields_of(event).get("event") == "model"]
    pool = items_of(sample.get("message_pool")) or items_of(fields_of(sample.get("events_data")).get("messages"))
    for number, event in enumerate(calls):
        event = {**event, "input": items_of(event.get("input")) or _from_pool(event.get("input_refs"), pool)}
        _add_call(builder, fields_of(with_attachments(event, attached)), f"{whose}, call {number + 1}")
    if calls:
        return
    builder.losses.append(Loss(whose, "its single calls are not in the log; the whole conversation is one request"))
    found = body_of(with_attachments(sample.get("messages"), attached))
    if found is None:
        builder.losses.append(Loss(whose, "its messages are in no form that is read; left out", "messages"))
        return
    output = fields_of(sample.get("output"))
    builder.body(found[1], found[0], whole=False, model=str(output.get("model") or ""), usage=_summed(sample))


def _add_call(builder: RecordingBuilder, event: Data, place: str) -> None:
    output = fields_of(event.get("output"))
    request = fields_of(fields_of(event.get("call")).get("request"))
    wire = wire_of_body(request)
    model = str(output.get("model") or event.get("model") or "")
    time, error = event.get("timestamp"), event.get("error")
    about: Data = {
        "model": model,
        "time": time if isinstance(time, str) else None,
        "duration": output.get("time") if isinstance(output.get("time"), int | float) else None,
        "usage": _usage(fields_of(output.get("usage"))),
        "error": error if isinstance(error, str) else "",
        "reply": chat_reply(output, model) if items_of(output.get("choices")) else None,
    }
    found = (wire, request) if wire is not None else body_of(event.get("input"), tools=event.get("tools"))
    if found is None:
        builder.losses.append(Loss(place, "what was sent is in no form that is read; only the answer is", "input"))
        builder.request(START, builder.head_of("openai-chat"), **about)
        return
    if found[0] != "openai-chat":
        about["reply"] = fields_of(fields_of(event.get("call")).get("response")) or None
    builder.body(found[1], found[0], whole=wire is not None, **about)


def _from_pool(ranges: Any, pool: list[Any]) -> list[Any]:
    """Messages that a log keeps once for all calls: a call names them by where they begin and end."""
    pairs = (items_of(pair) for pair in items_of(ranges))
    return [message for pair in pairs if len(pair) == 2 for message in pool[slice(*pair)]]


def with_attachments(value: Any, attached: Data) -> Any:
    """The value with the texts and pictures that the log keeps apart in their places."""
    if isinstance(value, str) and value.startswith(ATTACHED):
        return attached.get(value.removeprefix(ATTACHED), value)
    if isinstance(value, list):
        return [with_attachments(item, attached) for item in items_of(value)]
    if isinstance(value, dict):
        return {key: with_attachments(item, attached) for key, item in fields_of(value).items()}
    return value


def _usage(usage: Data) -> RecordedUsage:
    """The log's own names; what was read from or written to the cache is apart from the input where it exceeds it."""
    names = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write", "output_tokens", "reasoning_tokens")
    given, cached, written, output, reasoning = (count_of(usage, name) for name in names)
    total = count_of(usage, "total_tokens")
    of_cache = (cached or 0) + (written or 0)
    apart = None not in (given, output, total) and (total or 0) == (given or 0) + of_cache + (output or 0)
    whole = given if given is None or not apart else given + of_cache
    return RecordedUsage(whole, cached, written, output, reasoning)


def _summed(sample: Data) -> RecordedUsage:
    usages = [*fields_of(sample.get("model_usage")).values()]
    return _usage(fields_of(usages[0])) if len(usages) == 1 else RecordedUsage()
