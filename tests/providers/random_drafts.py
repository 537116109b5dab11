"""Random prompts as they are after the gate: calls with their results behind them, ids that differ, hostile texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from ctxlab.context import AssetRef, Draft, Origin, Text
from ctxlab.documents import ToolCall
from ctxlab.documents.session.asset_source import AssetSource, InlineFile, LibraryFile, LinkedFile, UploadedFile
from ctxlab.providers.provider import Prompt

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12) | st.sampled_from(
    ["", " ", "你好，世界", "\u202e\x00\r\n", "</tool>", '{"json": 1}', "🧑‍🚀", "a" * 70]
)
SPEAKERS = st.none() | st.sampled_from(["李四", "Miss Chen", "Miss_Chen", "a<b|c", "x" * 80, "/", "Ann"])
TOOL_NAMES = st.sampled_from(["look_up", "查询天气", "mcp:run.it", "look_up" * 12, "now"])
ARGUMENTS = st.sampled_from(["{}", "", '{"city": "上海"}', "not json", "[1, 2]", '"x"', "{", '{"a": NaN}']) | WORDS
PIXEL = "iVBORw0KGgo="
SOURCES: st.SearchStrategy[tuple[str, AssetSource]] = st.sampled_from(
    [
        ("image", InlineFile(PIXEL, "image/png")),
        ("image", InlineFile(PIXEL, "image/bmp")),
        ("image", InlineFile("no base64!", "image/png")),
        ("image", LinkedFile("https://example.com/a.png")),
        ("image", LinkedFile(f"DATA:image/png;base64,{PIXEL}")),
        ("image", LinkedFile("file:///etc/passwd")),
        ("image", UploadedFile("file-1")),
        ("audio", InlineFile("UklGRg==", "audio/wav")),
        ("audio", InlineFile("UklGRg==", "audio/flac")),
        ("video", InlineFile("AAAA", "video/mp4")),
        ("document", InlineFile("JVBERi0=", "application/pdf")),
        ("document", InlineFile("eA==", "text/csv")),
        ("document", LinkedFile("data:text/plain,h%20i")),
        ("document", LinkedFile("https://example.com/a.pdf")),
        ("document", UploadedFile("file-2")),
        ("document", LibraryFile("a/b.pdf")),
        ("other", LibraryFile(None)),
    ]
)


@st.composite
def prompts(draw: Callable[..., Any]) -> Prompt:
    """A prompt of up to a few turns; its tools are those that it calls, and one more."""
    drafts: list[Draft] = []
    for i in range(draw(st.integers(1, 5))):
        kind = draw(st.sampled_from(["user", "assistant", "system", "calls"]))
        if kind == "calls":
            drafts += _with_results(draw, f"m{i}")
        else:
            drafts.append(_draft(draw, f"m{i}", kind))
    names = dict.fromkeys(["now", *(call.name for draft in drafts for call in draft.calls)])
    return Prompt(tuple(drafts), tuple(_tool(name) for name in names) if draw(st.booleans()) else ())


def _tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}


def _draft(draw: Callable[..., Any], key: str, role: Any, **fields: Any) -> Draft:
    origin = Origin("node", key)
    pieces = draw(st.lists(st.one_of(WORDS.map(lambda text: Text.of(text, origin)), SOURCES), max_size=4))
    body = [
        piece if isinstance(piece, Text) else AssetRef(f"{key}.{i}", piece[0], f"f{i}", source=piece[1])
        for i, piece in enumerate(pieces)
    ]
    return Draft(key, role, tuple(body), origin, speaker=draw(SPEAKERS), **fields)


def _with_results(draw: Callable[..., Any], key: str) -> list[Draft]:
    many = draw(st.integers(1, 3))
    long = draw(st.sampled_from(["", "-" + "x" * 80]))
    calls = [ToolCall(f"{key}-c{i}{long}", draw(TOOL_NAMES), draw(ARGUMENTS)) for i in range(many)]
    first = _draft(draw, key, "assistant", calls=tuple(calls), reasoning=draw(st.none() | WORDS))
    results = [_draft(draw, f"{key}.r{i}", "tool", result_of=call.id) for i, call in enumerate(calls)]
    return [first, *draw(st.permutations(results))]
