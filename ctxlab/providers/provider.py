"""A vendor as one value: its wire format, how its body is written and checked, what it charges for media."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, Protocol, cast
from urllib.parse import quote

from ctxlab.context import Draft
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.cache_rules import UNKNOWN_RULES, CacheRules
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Problem
from ctxlab.providers.rates import NO_RATES, Rates
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.vendor_rule import VendorRule
from ctxlab.wires import WireName


@dataclass(frozen=True, slots=True, eq=False)
class Prompt:
    """The messages and the tool definitions (OpenAI's form) of a request."""

    drafts: Sequence[Draft]
    tools: Sequence[Mapping[str, Any]] = ()


class WriteBody(Protocol):
    """Puts a prompt and its parameters into the body of a vendor; fills `out`."""

    def __call__(
        self, prompt: Prompt, parameters: RequestParameters, model: ModelInfo, provider: Provider, out: BodyWriter
    ) -> None: ...


class CheckBody(Protocol):
    """Problems of a plain JSON body, by the vendor's rules; it knows nothing of how the body was made."""

    def __call__(
        self, body: Mapping[str, Any], model: ModelInfo, provider: Provider, *, stream: bool = False
    ) -> Iterable[Problem]: ...


def bearer(key: str) -> dict[str, str]:
    """The header in which most vendors take a key."""
    return {"Authorization": f"Bearer {key}"}


@dataclass(frozen=True, slots=True, eq=False)
class Provider:
    """One vendor's door. `extra_fields` are fields of the body that it takes beyond its wire format.

    `path` is put behind the base URL ({model} is the model's name); `auth` gives the headers for a key, `headers` are
    those that say what the body is. `features` are switches that its writer and its check read, such as
    {"reasoning_content": True}. `rates` are the tokens that it adds to messages and charges for files, `rules` those by
    which it refuses a body; `cache` says how it caches prompts. `schema_types` are the words of schemas that it takes;
    `window_holds_reply`: it refuses a prompt that leaves no room for the reply's limit, where others end the reply
    early.
    """

    name: str
    title: str
    wire: WireName
    write: WriteBody
    check: CheckBody
    base_url: str
    path: str
    stream_path: str = ""
    auth: Callable[[str], dict[str, str]] = bearer
    headers: Mapping[str, str] = field(default_factory=FrozenDict)
    default_model: str = ""
    rates: Rates = NO_RATES
    rules: tuple[VendorRule, ...] = ()
    cache: CacheRules = UNKNOWN_RULES
    schema_types: Literal["json", "gemini"] = "json"
    window_holds_reply: bool = False
    extra_fields: frozenset[str] = frozenset()
    features: Mapping[str, Any] = field(default_factory=FrozenDict)

    def __repr__(self) -> str:
        return f"Provider({self.name!r}, {self.wire})"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """One that comes with ctxlab travels as its name and stays the very one; any other as its fields."""
        from ctxlab.providers.registry import built_in, provider_named

        if built_in().get(self.name) is self:
            return provider_named, (self.name,)
        return object.__reduce_ex__(self, protocol)

    def rule(self, id: str) -> VendorRule | None:
        """The rule of an id that a problem names: this vendor's own row, else that of the form which it takes."""
        rows = [row for row in self.rules if row.rule == id]
        return next((row for row in rows if row.vendor == self.name), rows[0] if rows else None)

    def url(self, model: str, *, stream: bool = False, base_url: str | None = None) -> str:
        """The address to which a body for this model is posted."""
        path = self.stream_path if stream and self.stream_path else self.path
        named = model.removeprefix("models/") if "/models/{model}" in path else model
        return f"{(base_url or self.base_url).rstrip('/')}{path.format(model=quote(named, safe=':@'))}"

    def headers_of(self, body: Mapping[str, Any]) -> dict[str, str]:
        """The headers that belong to a body: some vendors want another one where it names files by their ids."""
        more: Mapping[str, str] = self.features.get("headers_with_file_ids") or {}
        return {**self.headers, **(more if more and _names_files(body.get("messages")) else {})}

    def base_url_of(self, body: Mapping[str, Any], base_url: str | None = None) -> str:
        """The base URL for a body: DeepSeek takes the beginning of a reply below /beta alone."""
        base_url = (base_url or self.base_url).rstrip("/")
        messages = body.get("messages")
        last = messages[-1] if isinstance(messages, list) and messages else None
        of_prefix = self.features.get("prefix_path")
        if isinstance(of_prefix, str) and isinstance(last, dict) and last.get("prefix") is True:
            return base_url if base_url.endswith(of_prefix) else f"{base_url}{of_prefix}"
        return base_url


def _names_files(value: Any) -> bool:
    """Whether there is the id of a file somewhere in the messages of a body; arguments of calls aren't looked at."""
    if isinstance(value, list | tuple):
        return any(_names_files(each) for each in cast("Sequence[Any]", value))
    if not isinstance(value, dict):
        return False
    known = cast("dict[str, Any]", value)
    source = known.get("source")
    if isinstance(source, dict) and "file_id" in source:
        return True
    return _names_files(known.get("content"))
