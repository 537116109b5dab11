"""A request as a value: the body that is posted, its places, problems, losses and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import ModelProfile, Note
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Pipeline, Trace
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.providers.body_writer import BodyWriter
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.models_table import ModelTable
from ctxlab.providers.place import JsonPath, Place
from ctxlab.providers.problem import Fix, Problem
from ctxlab.providers.provider import Prompt, Provider
from ctxlab.providers.request_parameters import RequestParameters
from ctxlab.providers.schema_words import with_json_types
from ctxlab.providers.unwritable import written, written_size
from ctxlab.secrets import without_secret_fields

if TYPE_CHECKING:
    from ctxlab.providers.cache_marks import CacheMarks
    from ctxlab.providers.cost import Cost


def loss_for_run(loss: RequestLoss, pipeline: Pipeline) -> RequestLoss:
    """The loss with a fix that does something in this run, or with none."""
    if loss.fix is None or not loss.fix.settings:
        return loss
    return replace(loss, fix=fix_for_run(loss.fix, pipeline))


def problem_for_run(problem: Problem, pipeline: Pipeline) -> Problem:
    """The problem with those of its fixes that do something in this run."""
    if not any(fix.settings for fix in problem.fixes):
        return problem
    fixes = [fix_for_run(fix, pipeline) for fix in problem.fixes]
    return replace(problem, fixes=tuple([fix for fix in fixes if fix is not None]))


def fix_for_run(fix: Fix, pipeline: Pipeline) -> Fix | None:
    """The fix with the steps switched on whose settings it changes; None where the run has no such step."""
    settings: dict[str, Any] = {}
    for name, value in fix.settings.items():
        step, _, setting = name.rpartition(".")
        stage = next((stage for stage in pipeline.stages if stage.is_called(step)), None)
        if stage is None:
            return None
        settings[name] = value
        if not stage.enabled and setting != "enabled":
            settings.setdefault(f"{step}.enabled", True)
    return replace(fix, settings=FrozenDict(settings)) if settings != dict(fix.settings) else fix


@dataclass(frozen=True, eq=False)
class Payload:
    """The request for one vendor, as it is posted.

    `body` is plain JSON; post `as_bytes()` or it. `places` say of each value which message it is and who wrote each of
    its characters; `losses` are what the vendor's form has no place for, `notes` what was settled on the way. `call`,
    `asked_model`, `models` and `after` are what it was made with.
    """

    provider: Provider
    model: ModelInfo
    body: dict[str, Any]
    places: tuple[Place, ...]
    losses: tuple[RequestLoss, ...]
    notes: tuple[Note, ...]
    parameters: RequestParameters
    trace: Trace
    marks: CacheMarks | None = field(default=None)
    base_url: str | None = None
    call: Mapping[str, Any] = field(default_factory=FrozenDict)
    after: Payload | None = None
    asked_model: str | ModelProfile | None = None
    models: ModelTable | None = None

    def __repr__(self) -> str:
        found = [counted(len(self.problems), "problem"), counted(len(self.losses), "loss", "losses")]
        size = self.size
        length = "no JSON" if size is None else f"{size:,} bytes"
        return f"Payload({self.provider.name!r}, {self.model.name!r}, {length}, {', '.join(found)})"

    def _repr_html_(self) -> str:
        from ctxlab.providers.html import payload_html

        return payload_html(self)

    @property
    def stream(self) -> bool:
        return self.parameters.stream is True

    @property
    def url(self) -> str:
        """The address to which the body is posted."""
        base_url = self.provider.base_url_of(self.body, self.base_url)
        return self.provider.url(self.model.name, stream=self.stream, base_url=base_url)

    @property
    def headers(self) -> dict[str, str]:
        """The headers that belong to the body, such as the version of the API; the key isn't among them."""
        return {"Content-Type": "application/json", **self.provider.headers_of(self.body)}

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        """The places that the vendor would refuse, in the order of the body; empty: it would be taken."""
        from ctxlab.providers.window_check import window_problems

        found = self.provider.check(self.body, self.model, self.provider, stream=self.stream)
        return tuple([problem_for_run(each, self.trace.pipeline) for each in (*window_problems(self), *found)])

    @cached_property
    def _by_path(self) -> dict[JsonPath, Place]:
        return {place.path: place for place in self.places}

    def place(self, path: JsonPath) -> Place | None:
        """The place at a path, or at the nearest value around it; None for what is no message's."""
        for end in range(len(path), 0, -1):
            found = self._by_path.get(tuple(path[:end]))
            if found is not None:
                return found
        return None

    def places_of(self, key: str) -> tuple[Place, ...]:
        """The places of one message, by its draft's key."""
        return tuple(place for place in self.places if place.key == key)

    def mended(self, fix: Fix) -> Payload:
        """The request with the change of a problem or a loss: parameters of the call, settings of steps, or both."""
        return payload(
            self.trace.rerun(fix.settings) if fix.settings else self.trace,
            self.provider,
            model=self.asked_model,
            parameters={**self.call, **fix.parameters},
            after=self.after,
            stream=self.stream,
            base_url=self.base_url,
            models=self.models,
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("payload", self)

    def as_bytes(self) -> bytes:
        """The body as UTF-8 JSON, the very bytes that are posted.

        Raises CtxlabError where JSON has no form for a value of it, which `problems` name too.
        """
        return written(self.body)

    @property
    def size(self) -> int | None:
        """The bytes of the body; None where it can't be written."""
        found = written_size(self.body)
        return found if isinstance(found, int) else None

    @cached_property
    def tokens(self) -> int:
        """Tokens of the prompt, as this run's tokenizer counts them."""
        return self.trace.tokens

    def cost(self) -> Cost:
        """The price of the request, in and out, cached and not; its figures are None where no price is known."""
        from ctxlab.providers.cost import cost_of

        return cost_of(self)

    def curl(self) -> str:
        """A command for the shell that posts the body; keys are a variable or `***`, never a value.

        Raises CtxlabError where the body can't be written.
        """
        from ctxlab.providers.curl import curl

        return curl(self)

    def as_data(self) -> dict[str, Any]:
        """The request as JSON: body, problems, losses, notes; values of fields that hold keys are `***`."""
        return {
            "provider": self.provider.name,
            "model": self.model.name,
            "url": self.url,
            "body": without_secret_fields(self.body),
            "problems": [self._with_source(problem) for problem in self.problems],
            "losses": [loss.as_data() for loss in self.losses],
            "notes": [note.as_data() for note in self.notes],
            "marks": self.marks.as_data() if self.marks else None,
        }

    def _with_source(self, problem: Problem) -> dict[str, Any]:
        """A problem as JSON, with the page that says so and the month in which it was last seen to."""
        rule = self.provider.rule(problem.rule)
        source = {"source": rule.source, "asOf": rule.as_of} if rule else {}
        return {**problem.as_data(), **source}


@checked_arguments
def payload(
    trace: Trace,
    provider: str | Provider | None = None,
    *,
    model: str | ModelProfile | None = None,
    parameters: Mapping[str, Any] | None = None,
    after: Payload | None = None,
    stream: bool = False,
    base_url: str | None = None,
    models: ModelTable | None = None,
) -> Payload:
    """The request that a run becomes for a vendor: `provider` by name; by default the one of the run's model.

    `model` is by default the run's, else the vendor's usual one. `parameters` are those of this call, over the run's
    (`request.temperature` among its settings), the session's and the agent's, in the names of an agent's file
    (`maxTokens`) or of Python (`max_tokens`). `after` is the request before this one: cache marks are put where both
    are the same. `models` are facts of a file of one's own (`read_model_facts`), which come before ctxlab's table.
    Raises CtxlabError for an unknown provider and for a part of a message that no form of request knows.
    """
    from ctxlab.providers.cache_marks import put_marks
    from ctxlab.providers.counted_otherwise import counted_otherwise
    from ctxlab.providers.models import model_for, model_info, model_of_file
    from ctxlab.providers.parameters import effective, parameters_of
    from ctxlab.providers.registry import provider_for
    from ctxlab.providers.system_of_file import lose_wish_for_no_system

    if base_url is not None:
        _refuse_secrets(base_url)
    found = model_info(model if model is not None else trace.start.input.model, table=models)
    chosen = provider_for(provider, found)
    info, notes = model_for(found, chosen, is_wanted=model is not None, table=models)
    asked = effective(trace.start.input, {**trace.pipeline.request, **(parameters or {})})
    custom_model = asked.custom.get("model")
    if isinstance(custom_model, str) and custom_model and "{model}" not in chosen.path:
        info = model_info(custom_model, chosen, table=models)
    notes = (*notes, *model_of_file(trace.start.input.agent, info.asked, chosen))
    if not any(note.level == "warning" for note in notes):
        notes = (*notes, *counted_otherwise(trace, info))
    settled = parameters_of(asked, info, chosen, stream=stream)
    agent = trace.start.input.agent
    tools = agent.sent_tools if agent else ()
    if chosen.schema_types == "json":
        tools = [with_json_types(tool) for tool in tools]
    prompt = Prompt(trace.result.drafts, tools)
    out = BodyWriter(losses=list(settled.losses), notes=[*notes, *settled.notes])
    with without_collection():
        chosen.write(prompt, settled.parameters, info, chosen, out)
        lose_wish_for_no_system(agent, chosen, out)
        marks = put_marks(out, prompt, info, chosen, trace, after)
    return Payload(
        chosen,
        info,
        out.body,
        tuple(out.places),
        tuple([loss_for_run(loss, trace.pipeline) for loss in out.losses]),
        tuple(out.notes),
        settled.parameters,
        trace,
        marks,
        base_url,
        parameters or {},
        after,
        model,
        models,
    )


def _refuse_secrets(base_url: str) -> None:
    """Raise WrongArgument for an address with a password or a key in it, since it is shown wherever the request is."""
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WrongArgument(f"base_url {short(base_url)!r} is no address; write one such as http://localhost:8000/v1")
    try:
        _ = parts.port
    except ValueError:
        raise WrongArgument(f"base_url {short(base_url)!r} has a port that none is; ports are 0 to 65535") from None
    if parts.username or parts.password or parts.query:
        raise WrongArgument("base_url has a user name, a password or a query; keys go in headers when it is sent")
