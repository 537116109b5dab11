"""The words of exports that people read, in English and Chinese; `{...}` is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ctxlab.errors import WriteError, did_you_mean
from ctxlab.lazy_pattern import lazy_pattern

Labels = Mapping[str, str]

BRACES = lazy_pattern(r"\{(\w+)\}")

ENGLISH: Labels = MappingProxyType(
    {
        "path": "Conversation: {name}",
        "branch": "Conversation: {name}",
        "tree": "Conversation tree: {name}",
        "payload": "What was sent: {name}",
        "payload_note": "These are the messages as the pipeline left them, not as they were typed.",
        "exported": "Exported: {time}",
        "created": "Created: {time}",
        "updated": "Last changed: {time}",
        "zone": "Times: {zone}",
        "count": "Messages: {n}",
        "span": "Of them: {first} to {last}",
        "participants": "Participants: {names}",
        "presets": "Presets",
        "messages": "Messages",
        "user": "User",
        "assistant": "Assistant",
        "system": "System",
        "tool": "Tool",
        "summary": "Summary",
        "stands_for": "Messages that it stands for: {n}",
        "disabled": "disabled",
        "model": "Model: {name}",
        "tokens": "Tokens: {total}",
        "tokens_split": "Tokens: {total} ({prompt} in, {completion} out)",
        "error": "Error: {text}",
        "attachments": "Attachments: {names}",
        "text_of": "Text of {name}:",
        "reasoning": "Reasoning:",
        "call": "Calls {name}:",
        "image": "picture",
        "audio": "sound",
        "video": "film",
        "document": "file",
        "other": "file",
        "ways": "{n} ways go on from here",
        "way": "Way {n}:",
        "copy": "{name} (copy)",
    }
)

CHINESE: Labels = MappingProxyType(
    {
        "path": "对话：{name}",
        "branch": "对话：{name}",
        "tree": "对话树：{name}",
        "payload": "实际发送的内容：{name}",
        "payload_note": "以下是流水线处理后的消息，并非当初输入的原文。",
        "exported": "导出于：{time}",
        "created": "创建于：{time}",
        "updated": "最后修改：{time}",
        "zone": "时区：{zone}",
        "count": "消息数：{n}",
        "span": "其中第 {first} 至 {last} 条",
        "participants": "参与者：{names}",
        "presets": "预设",
        "messages": "消息",
        "user": "用户",
        "assistant": "助手",
        "system": "系统",
        "tool": "工具",
        "summary": "摘要",
        "stands_for": "所代替的消息数：{n}",
        "disabled": "已停用",
        "model": "模型：{name}",
        "tokens": "词元：{total}",
        "tokens_split": "词元：{total}（输入 {prompt}，输出 {completion}）",
        "error": "错误：{text}",
        "attachments": "附件：{names}",
        "text_of": "{name} 的文本：",
        "reasoning": "思考过程：",
        "call": "调用 {name}：",
        "image": "图片",
        "audio": "音频",
        "video": "视频",
        "document": "文件",
        "other": "文件",
        "ways": "从这里分出 {n} 条路径",
        "way": "路径 {n}：",
        "copy": "{name}（副本）",
    }
)


def checked(labels: Labels) -> Labels:
    """All labels, with English for those that are missing; raises WriteError for an unknown one."""
    for key in labels:
        if key not in ENGLISH:
            near = did_you_mean(key, list(ENGLISH))
            raise WriteError(f"no export has a label {key!r}{near}")
    return {**ENGLISH, **labels}


def filled(label: str, **values: object) -> str:
    """A label with its braces filled in; unknown braces stay."""
    return BRACES.sub(lambda found: str(values.get(found[1], found[0])), label)
