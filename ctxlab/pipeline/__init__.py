"""Processors, pipelines, traces and the debugger."""

from ctxlab.pipeline.debugger import Debugger
from ctxlab.pipeline.explain.diff import Diff, DiffRow, diff
from ctxlab.pipeline.explain.message_life import Event, Life
from ctxlab.pipeline.explain.provenance_text import provenance_lines
from ctxlab.pipeline.explain.step_changes import Changes, Merged, Rewritten
from ctxlab.pipeline.explain.text_versions import Version
from ctxlab.pipeline.explain.where import Occurrence, Occurrences
from ctxlab.pipeline.failures import BudgetTooSmall, NothingToSend, OverBudget, ProcessorFailed, StartsWithToolResult
from ctxlab.pipeline.pipeline import Pipeline
from ctxlab.pipeline.processor import FunctionProcessor, Processor, ProcessorSettings, processor
from ctxlab.pipeline.processor_plugins import plugin_processors
from ctxlab.pipeline.remedies import LeastBudget, Remedy, remedies
from ctxlab.pipeline.service_calls import Call
from ctxlab.pipeline.services import AssetStore, LanguageModel, Retriever, Services, TokenCounter, Transcriber
from ctxlab.pipeline.settings.dialects import DIALECTS, SEED, SILLYTAVERN_1_12, SILLYTAVERN_1_19, Dialect
from ctxlab.pipeline.settings.setting_form_fields import form_hints
from ctxlab.pipeline.settings.step_forms import FormGroup, StepForm
from ctxlab.pipeline.stage import Stage
from ctxlab.pipeline.trace import Step, Trace
from ctxlab.public_names import listed

__all__ = [
    "DIALECTS",
    "SEED",
    "SILLYTAVERN_1_12",
    "SILLYTAVERN_1_19",
    "AssetStore",
    "BudgetTooSmall",
    "Call",
    "Changes",
    "Debugger",
    "Dialect",
    "Diff",
    "DiffRow",
    "Event",
    "FormGroup",
    "FunctionProcessor",
    "LanguageModel",
    "LeastBudget",
    "Life",
    "Merged",
    "NothingToSend",
    "Occurrence",
    "Occurrences",
    "OverBudget",
    "Pipeline",
    "Processor",
    "ProcessorFailed",
    "ProcessorSettings",
    "Remedy",
    "Retriever",
    "Rewritten",
    "Services",
    "Stage",
    "StartsWithToolResult",
    "Step",
    "StepForm",
    "TokenCounter",
    "Trace",
    "Transcriber",
    "Version",
    "diff",
    "form_hints",
    "plugin_processors",
    "processor",
    "provenance_lines",
    "remedies",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
