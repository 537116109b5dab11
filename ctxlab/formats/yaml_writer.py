"""JSON values as YAML that is read back as it was."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ctxlab.formats.yaml_reader import SCALARS

if TYPE_CHECKING:
    from yaml.nodes import ScalarNode

PLAIN = re.compile("|".join(f"(?:{pattern})" for _, pattern, _ in SCALARS))
"""Texts that would be read as something else if they stood without quotes."""
CONTROL = re.compile("[\\x00-\\x09\\x0b-\\x1f\\x7f-\\xa0\\u2028\\u2029\\ufeff\\ufffe\\uffff]")
"""Characters that only a text in double quotes can hold safely."""
SURROGATE = re.compile("[\\ud800-\\udfff]")


def as_yaml(data: Any) -> bytes:
    """The data in UTF-8, keys in their order, long texts of several lines as blocks."""
    import yaml

    class Dumper(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> ScalarNode:
        value = SURROGATE.sub("\ufffd", value)  # YAML has no lone surrogates; readers of JSON replace them too
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=_style(value))

    Dumper.add_representer(str, text)
    written = yaml.dump(data, Dumper=Dumper, allow_unicode=True, sort_keys=False, width=2**31)
    return written.encode()


def _style(text: str) -> str | None:
    if CONTROL.search(text):
        return '"'
    if PLAIN.fullmatch(text):
        return "'"
    lines = text.split("\n")
    return "|" if len(lines) > 1 and lines[0] and all(line == line.rstrip() for line in lines) else None
