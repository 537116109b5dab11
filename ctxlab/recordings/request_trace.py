"""A recorded request as a run of the pipeline: what was sent is loaded as it is, and nothing is expanded or cut."""

from __future__ import annotations

from ctxlab.context import BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import ModelProfile
from ctxlab.pipeline import Pipeline, Processor, Services, Trace
from ctxlab.processors import SessionLoader
from ctxlab.processors.injection.presets import presets_of
from ctxlab.recordings.recorded_request import RecordedRequest


class RecordedSystemTexts(Processor):
    """Put the system texts of a recorded request before its messages, without expanding anything in them."""

    id = "recorded-system-texts"
    name = "System texts"
    description = "Puts the system texts of a recorded request before its messages, as they were sent."
    priority = 110
    is_core = True
    needs = ("history",)

    def __call__(self, ctx: Context, services: Services) -> Context:
        drafts = [
            Draft(preset.key, "system", (Text.of(preset.node.content, origin),), origin)
            for preset in presets_of(ctx.input)
            for origin in [Origin("preset", preset.ref)]
        ]
        return ctx.insert(0, *drafts) if drafts else ctx


def trace_of(request: RecordedRequest) -> Trace:
    """A run over the recording's session at the leaf of a request."""
    from ctxlab.providers import tokenizer_for

    session = request.tree.session
    model = ModelProfile(id=request.model) if request.model else None
    build_input = BuildInput(
        session=session, leaf=request.leaf, agent=request.head.agent, model=model, timestamp=request.time
    )
    services = Services(tokenizer=tokenizer_for(model))
    return Pipeline.of((SessionLoader, RecordedSystemTexts)).start(Context(build_input), services).finished()
