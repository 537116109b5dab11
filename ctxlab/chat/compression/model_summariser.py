"""A model that is asked over the network for summaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

from ctxlab.chat.aside.question import trace_of_messages
from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.summariser import BROKEN_OFF, is_cut_short
from ctxlab.documents import ModelProfile
from ctxlab.errors import CtxlabError, SendFailed
from ctxlab.formats.requests.replies import reply_message
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers import payload
from ctxlab.providers.models import model_info
from ctxlab.providers.provider import Provider
from ctxlab.providers.registry import provider_named, provider_of_model
from ctxlab.providers.sending.attempts import send_payload
from ctxlab.providers.sending.deltas import TextDelta


@dataclass(frozen=True, eq=False)
class ModelSummariser:
    """A summariser that sends the request for a summary to a model, and waits and tries again where that may help.

    Temperature and longest answer are those of the compression's settings. `key` is by default that of the environment
    or the keyring.
    """

    model: str | ModelProfile | None
    provider: str | Provider | None = None
    base_url: str | None = None
    key: Any = field(default=None, repr=False)
    client: Any = field(default=None, repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    @property
    def __name__(self) -> str:
        model = self.model.id if isinstance(self.model, ModelProfile) else self.model
        return model or str(getattr(self.provider, "name", self.provider or "model"))

    def with_settings(self, settings: CompressionSettings) -> ModelSummariser:
        """The summariser with the temperature and the longest answer of these settings."""
        asked = {"temperature": settings.summary_temperature, "maxTokens": settings.summary_max_tokens}
        return replace(self, parameters={**asked, **self.parameters})

    def input_tokens(self, settings: CompressionSettings) -> int | None:
        """The most tokens of one request: what is known of the model's window, less the answer; None: not known.

        A tenth of the window stays free, since tokens of another model's are counted.
        """
        try:
            provider = provider_named(self.provider) if isinstance(self.provider, str) else self.provider
        except CtxlabError:  # the request itself says so, in words
            return None
        window = model_info(self.model, provider or provider_of_model(self.model)).context_window
        answer = self.parameters.get("maxTokens", settings.summary_max_tokens)
        if window is None or not isinstance(answer, int):
            return None
        return max(0, window - window // 10 - answer)

    def __call__(self, messages: Sequence[Mapping[str, Any]]) -> str:
        """The words of the model's answer; raises SendFailed where none comes, or where it ends in the middle."""
        request = payload(
            trace_of_messages(messages),
            self.provider,
            model=self.model,
            parameters=self.parameters,
            base_url=self.base_url,
        )
        if request.problems:
            raise SendFailed(f"the request for a summary would be refused: {request.problems[0].reason}")
        reply = send_payload(request, key=self.key, client=self.client)
        try:
            text = "".join(_words(iter(reply)))
            if is_cut_short(reply_message(reply.reply(), request.provider.wire).finish_reason):
                raise SendFailed(str(BROKEN_OFF.error))
            return text
        finally:
            reply.close()


def _words(pieces: Iterator[Any]) -> Iterator[str]:
    return (piece.text for piece in pieces if isinstance(piece, TextDelta))
