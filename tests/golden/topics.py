"""Names of topics: titles in answers, options of requests, messages as the model is shown them.

Not compared: the wording of notices, of built-in prompts and of descriptions in a schema.
"""

from __future__ import annotations

import re
from typing import Any

from ctxlab.chat.topic.context import DATA, characters_left_out, lines_left_out, shortened
from ctxlab.chat.topic.request import structured_mode, title_parameters
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.topic.title import title_of
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data

LINES = re.compile(r"// \.\.\. \[代码折叠: 省略 (\d+) 行\] \.\.\.")
CHARACTERS = re.compile(r"\.\.\. \[省略 (\d+) 字\] \.\.\.")


def kind_of(case: Case) -> str:
    return case.name.split()[0]


def run(case: Case) -> Any:
    data = case.input
    match kind_of(case):
        case "extract":
            return title_of(data["content"])
        case "sanitize":
            return shortened(data["content"])
        case "structured":
            json_output = bool((data.get("capabilities") or {}).get("jsonOutput"))
            return structured_mode(data["profileType"], data["modelId"], json_output=json_output)
        case _:
            return _request(data)


def _request(data: Data) -> Data:
    capabilities = data["capabilities"] or {}
    given = title_parameters(
        TopicSettings(temperature=data["temperature"], max_tokens=data["maxTokens"]),
        thinks=bool(capabilities.get("thinking")),
        by_effort=capabilities.get("thinkingConfigType") == "effort",
        structured="json_schema" if data["useStructuredOutput"] else None,
    )
    return _without_words({"profileId": data["profileId"], "modelId": data["modelId"], "stream": False, **given})


def _without_words(request: Data) -> Data:
    if "responseFormat" not in request:
        return request
    form = request["responseFormat"]
    schema = form["json_schema"]["schema"]
    properties = {name: {"type": value["type"]} for name, value in schema["properties"].items()}
    whole = {**form["json_schema"], "schema": {**schema, "properties": properties}}
    return {**request, "responseFormat": {**form, "json_schema": whole}}


def expected(case: Case) -> Any:
    found = case.expected
    if kind_of(case) == "request":
        return _without_words(found)
    if kind_of(case) != "sanitize":
        return found
    told = LINES.sub(lambda n: lines_left_out(int(n[1])), found.replace("[Base64 Data]", DATA))
    return CHARACTERS.sub(lambda n: characters_left_out(int(n[1])), told)


ADAPTERS: dict[str, Adapter] = {"topic_naming": Adapter(lambda data: None, expected, whole=run)}
