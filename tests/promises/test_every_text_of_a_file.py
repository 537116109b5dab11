"""Every text of a file is in the session's prompt, or in its metadata with a loss, or in a field of bookkeeping.

What no session has a place for is left out with a loss that names its field.

Over samples of the formats, over what hypothesis makes of them (fields added, lists in another order, links removed),
and over real files where they are at hand.
"""

import copy
import json
import os
import re
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.errors import ReadError
from ctxlab.formats import FORMATS, Import, read, read_data
from ctxlab.formats.apps import (
    chatbot_ui,
    chatgpt_message,
    claude_ai,
    claude_code_message,
    librechat,
    loom,
    open_webui,
)
from ctxlab.formats.apps.exported_chats import LINKS as OF_EXPORTS
from ctxlab.formats.corpora import beam, locomo, oasst, sharegpt, swe_agent, tau_bench
from ctxlab.formats.decode import source_at
from ctxlab.formats.openai import format as openai
from ctxlab.formats.sillytavern import regex_scripts
from ctxlab.formats.sillytavern.cards import format as cards
from ctxlab.formats.sillytavern.chats import format as chats
from ctxlab.formats.sillytavern.chats.own_texts import note_of_chat
from ctxlab.formats.sillytavern.lorebooks import format as lorebooks
from ctxlab.formats.sillytavern.presets import format as presets
from ctxlab.formats.unsent_texts import BOOKKEEPING
from tests.promises.file_samples import MADE

Data = dict[str, Any]
Place = tuple[str, ...]
LONGER_THAN = 10
FOLDED = re.compile(r"</?details[^>]*>| *->-> [\d,]+$")
OTHER_NAMES = {"content": ("blocks", "output"), "messages": ("content",)}
"""Words of losses for a part of a field."""


class Sample(NamedTuple):
    """A file of a format; `links` are fields by which messages are linked, `unread` those that no model reads."""

    data: Any
    links: tuple[str, ...]
    unread: frozenset[str]


LINKS = {
    "claude": ("parent_message_uuid",),
    "librechat": ("parentMessageId",),
    "open-webui": ("parentId", "childrenIds"),
    "chatgpt": ("parent", "children"),
    "claude-code": ("parentUuid",),
    "oasst": ("parent_id",),
    "native": ("parentId", "childrenIds"),
}
"""Fields by which messages are linked."""
UNREAD = {
    "claude": claude_ai.BOOKKEEPING,
    "librechat": librechat.BOOKKEEPING - {"strangeParts"},
    "open-webui": open_webui.BOOKKEEPING - {"takenOut"},
    "chatbot-ui": chatbot_ui.BOOKKEEPING,
    "chatgpt": chatgpt_message.BOOKKEEPING - {"metadata"},
    "claude-code": claude_code_message.BOOKKEEPING,
    "loom": loom.BOOKKEEPING,
    "tau-bench": tau_bench.BOOKKEEPING,
    "swe-agent": swe_agent.BOOKKEEPING,
    "oasst": oasst.BOOKKEEPING,
    "beam": beam.BOOKKEEPING,
    "locomo": locomo.BOOKKEEPING | {"session_1_date_time"},
    "sharegpt": sharegpt.BOOKKEEPING,
    "lorebook": lorebooks.BOOKKEEPING,
    "card": cards.BOOKKEEPING,
    "preset": presets.BOOKKEEPING,
    "text-preset": presets.BOOKKEEPING,
    "sillytavern-chat": chats.BOOKKEEPING,
    "sillytavern-regex": regex_scripts.BOOKKEEPING,
    "openai": openai.BOOKKEEPING,
}
"""Fields that no model reads."""
IS_THE_VALUE = ("agents", "native", "branch", "knowledge", "worldbook", "rules", "quick-actions")
"""Formats of ctxlab: a field of such a file is one of the value, whatever it is for."""
ARCHIVES = ("agents-zip", "charx", "zip")
"""Archives of files of other formats."""


NAMES_OF_ALL = frozenset({"id", "uuid", "messageId", "conversationId", "conversation_id", "parent", "children"}) | {
    "call_id", "tool_call_id", "tool_use_id", "parent_message_uuid", "parentMessageId", "parentId", "childrenIds",
    "current_node", "currentId", "selected_node_id", "current_leaf_message_uuid",
}  # fmt: skip
"""Fields whose ids become a session's, or only link."""


def sample(name: str) -> Sample:
    form = name.partition("/")[0]
    unread = UNREAD.get(form, frozenset()) | BOOKKEEPING | OF_EXPORTS
    return Sample(MADE[name](), LINKS.get(form, ()), unread)


def texts_in(data: Any, place: Place = ()) -> Iterator[tuple[Place, str]]:
    if isinstance(data, str):
        yield from ((place, text) for text in FOLDED.split(data) if len(text) > LONGER_THAN)
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from texts_in(value, (*place, str(key)))
    elif isinstance(data, list):
        for value in data:
            yield from texts_in(value, place)


def prompts_of(found: Import) -> str:
    """All that could be sent of an import, on any branch."""
    pieces: list[Any] = []
    for session in found.sessions:
        pieces += [session.id, session.name]
        note = note_of_chat(session)
        pieces += [note.content] if note is not None else []
        for node in session.nodes.values():
            pieces += [node.id, node.content, node.name, node.speaker, node.timestamp, node.to_data().get("toolCalls")]
            metadata = node.to_data().get("metadata") or {}
            pieces += [
                metadata.get(key)
                for key in ("reasoningContent", "toolCallsRequested", "toolCall", "artifacts", "modelId")
            ]
            pieces += [value for key, value in metadata.items() if "rtifact" in key]
            for asset in node.to_data().get("attachments") or ():
                known = ("id", "name", "url", "fileId", "mimeType", "openai", "openaiPart")
                pieces.append({key: value for key, value in asset.items() if key in known})
                inline = asset.get("inlineData") or {}
                pieces.append(inline.get("base64"))
                if str(inline.get("mimeType", "")).startswith("text/"):
                    pieces.append(b64decode(inline["base64"]).decode("utf-8", "replace"))
    pieces += [without_carried(value.to_data()) for value in values_of(found)]
    return "\n".join(each if isinstance(each, str) else spelled(each) for each in pieces if each is not None)


def values_of(found: Import) -> list[Any]:
    """All that was read but for sessions."""
    kinds = (found.agents, found.books, found.users, found.rules, found.quick_actions, found.knowledge_bases)
    return [value for values in kinds for value in values]


def without_carried(value: Any) -> Any:
    """The fields of a value but for those that only write its file back."""
    if isinstance(value, dict):
        return {key: without_carried(inner) for key, inner in value.items() if key != "carried"}
    return [*map(without_carried, value)] if isinstance(value, list) else value


def spelled(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def plain(text: str) -> str:
    return "".join(text.split())


def untold(data: Any, found: Import, unread: frozenset[str]) -> list[tuple[Place, str]]:
    """The texts that the law misses."""
    sent = plain(prompts_of(found))
    kept = spelled([value.to_data() for value in (*found.sessions, *values_of(found))])
    told = {
        word
        for loss in found.losses
        for word in re.findall(r"\w+", f"{loss.field} {loss.text} {loss.place.rpartition('.')[2]}")
    }
    left_out = [loss for loss in found.losses if "left out" in loss.text]
    gone = {word for loss in left_out for word in re.findall(r"\w+", f"{loss.place} {loss.field} {loss.text[:40]}")}
    kinds = {kind for loss in found.losses for kind in re.findall("a part of type '([^']+)'", loss.text)}
    parts = [part for part in objects_in(data) if isinstance(part.get("type"), str) and part["type"] in kinds]
    in_parts = {text for part in parts for _, text in texts_in(part)}  # each is told of as a whole
    lines = {int(number) for loss in left_out for number in re.findall(r"^\[(\d+)\]$", loss.place)}
    data = [item for at, item in enumerate(data) if at not in lines] if isinstance(data, list) else data
    missed: list[tuple[Place, str]] = []
    for place, text in texts_in(data):
        if text in in_parts and spelled(text)[1:-1] in kept:
            continue
        if not unread.isdisjoint(place) or plain(text) in sent or plain(spelled(text)[1:-1]) in sent:
            continue
        if not place and left_out:  # a line that is nothing but a text
            continue
        names = {name for key in place for name in (key, *OTHER_NAMES.get(key, ()))}
        if gone.isdisjoint(names) and (spelled(text)[1:-1] not in kept or told.isdisjoint(names)):
            missed.append((place, text))
    return missed


def missed(name: str, data: Any) -> list[tuple[Place, str]]:
    """The texts of a file that the law misses; none of one that is refused, or that is of another format now."""
    try:
        found = read_data(copy.deepcopy(data))
    except ReadError:
        return []
    if name in IS_THE_VALUE:
        kept = plain(spelled([value.to_data() for value in (*found.sessions, *values_of(found))]))
        told = {word for loss in found.losses for word in re.findall(r"\w+", f"{loss.place} {loss.text}")}
        texts = ((place, text) for place, text in texts_in(data) if told.isdisjoint(place))
        return [(place, text) for place, text in texts if plain(spelled(text)[1:-1]) not in kept]
    if found.format != name.partition("/")[0]:
        return []
    return untold(data, found, sample(name).unread | NAMES_OF_ALL)


def test_there_is_a_sample_of_each_format_that_is_read() -> None:
    read_ones = {form.name for form in FORMATS if form.read is not None} - {*ARCHIVES}

    assert read_ones == {name.partition("/")[0] for name in MADE}


@pytest.mark.parametrize("name", MADE)
def test_every_text_of_a_sample_is_sent_or_told(name: str) -> None:
    data = MADE[name]()

    assert read_data(copy.deepcopy(data)).format in (name.partition("/")[0], "native")
    assert missed(name, data) == []


MORE_IN_IT = {
    "swe-agent": {"thought", "action", "response", "submission"},
    "memorybank": {"content"},
    "preset": {"scenario_format"},
    "text-preset": {"name", "content", "input_sequence", "output_sequence"},
    "lorebook/NovelAI": {"suffix"},
}
"""Samples with fields that nothing sends: those of which a loss has to tell."""


@pytest.mark.parametrize("name", MADE)
def test_no_field_that_is_read_is_told_of_as_one_that_is_not(name: str) -> None:
    losses = read_data(MADE[name]()).losses
    told = {loss.field for loss in losses if re.search("kept beside what is sent|nothing here has a place", loss.text)}

    assert told == MORE_IN_IT.get(name, set())


@pytest.mark.parametrize("name", MADE)
def test_a_text_more_in_any_object_of_a_sample_is_sent_or_told(name: str) -> None:
    for number, _ in enumerate(objects_in(MADE[name]())):
        data = MADE[name]()
        [*objects_in(data)][number]["excerpt"] = "words of a remark"

        assert missed(name, data) == []


SHAPES = (lambda text: [text], lambda text: {"of": text}, lambda text: [{"text": text}], lambda text: None)


@pytest.mark.parametrize("name", MADE)
def test_a_text_in_another_shape_is_sent_or_told(name: str) -> None:
    for number, _ in enumerate(text_fields_in(MADE[name]())):
        for shape in SHAPES:
            data = MADE[name]()
            holder, key = [*text_fields_in(data)][number]
            holder[key] = shape("words of another shape")

            assert missed(name, data) == [], (key, holder)


def text_fields_in(data: Any) -> Iterator[tuple[Any, Any]]:
    """The objects and lists that hold a text, each with its key."""
    for holder in (*objects_in(data), *lists_in(data)):
        for key, value in holder.items() if isinstance(holder, dict) else enumerate(holder):
            if isinstance(value, str):
                yield holder, key


def objects_in(data: Any) -> Iterator[Data]:
    if isinstance(data, dict):
        yield data
        for value in data.values():
            yield from objects_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from objects_in(value)


def lists_in(data: Any) -> Iterator[list[Any]]:
    if isinstance(data, list):
        yield data
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from lists_in(value)


@st.composite
def changed(draw: st.DrawFn) -> tuple[str, Any]:
    """A sample with a text more in any object, its lists in another order, or some of its links gone."""
    name = draw(st.sampled_from([*MADE]))
    data = MADE[name]()
    for number in range(draw(st.integers(0, 2))):
        target = draw(st.sampled_from([*objects_in(data)]))
        target[draw(st.sampled_from(["excerpt", "remark", "aside"]))] = draw(
            st.sampled_from(
                [
                    f"words of remark {number}",
                    f"一二三四五六七八九十十一{number}",
                    {"of": [f"words deep inside {number}"]},
                    [f"words in list {number}"],
                ]
            )
        )
    if draw(st.booleans()):
        target_list = draw(st.sampled_from([*lists_in(data)] or [[]]))
        target_list[:] = draw(st.permutations(target_list))
    for each in objects_in(data):
        for link in sample(name).links:
            if link in each and draw(st.integers(0, 5)) == 0:
                del each[link]
    return name, data


@settings(max_examples=600, deadline=None)
@given(changed())
def test_every_text_of_a_changed_sample_is_sent_or_told(case: tuple[str, Any]) -> None:
    name, data = case

    assert missed(name, data) == []


SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared"))
EXPORTS = ("recordings/chat-exports/*.json", "claude-code-log/*.jsonl")
REAL = sorted(path for pattern in EXPORTS for path in SHARED.glob(f"data/{pattern}"))


@pytest.mark.skipif(not REAL, reason=f"real exports are not at hand: there are none in {SHARED / 'data'}")
@pytest.mark.parametrize("path", REAL, ids=lambda path: path.name)
def test_every_text_of_a_real_export_is_sent_or_told(path: Path) -> None:
    found = read(path)
    assert untold(source_at(path, path.name).data, found, sample(found.format).unread | NAMES_OF_ALL) == []
