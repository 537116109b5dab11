"""The steps, one file each; listed here in running order."""

from functools import lru_cache

from ctxlab.documents import Note
from ctxlab.engines.truncation import GROUP, strategies
from ctxlab.engines.truncation.registry import Strategies
from ctxlab.pipeline import Pipeline, Processor, plugin_processors
from ctxlab.pipeline.processor_plugins import PluginSteps
from ctxlab.public_names import listed

from ctxlab.processors.session_loader import SessionLoader  # isort: skip
from ctxlab.processors.async_task_processor import AsyncTaskProcessor  # isort: skip
from ctxlab.processors.regex_processor import RegexProcessor  # isort: skip
from ctxlab.processors.transcription_processor import TranscriptionProcessor  # isort: skip
from ctxlab.processors.worldbook_processor import WorldbookProcessor  # isort: skip
from ctxlab.processors.injection.assembler import InjectionAssembler  # isort: skip
from ctxlab.processors.continued_reply import ContinuedReply  # isort: skip
from ctxlab.processors.knowledge_processor import KnowledgeProcessor  # isort: skip
from ctxlab.processors.variable_processor import VariableProcessor  # isort: skip
from ctxlab.processors.break_markup import BreakMarkup  # isort: skip
from ctxlab.processors.token_limiter import TokenLimiter  # isort: skip
from ctxlab.processors.merge_system import MergeSystem  # isort: skip
from ctxlab.processors.merge_consecutive import MergeConsecutive  # isort: skip
from ctxlab.processors.convert_system import ConvertSystem  # isort: skip
from ctxlab.processors.ensure_alternating import EnsureAlternating  # isort: skip
from ctxlab.processors.request_gate import RequestGate  # isort: skip
from ctxlab.processors.asset_resolver import AssetResolver  # isort: skip

STEPS: tuple[type[Processor], ...] = (
    SessionLoader,
    AsyncTaskProcessor,
    RegexProcessor,
    TranscriptionProcessor,
    WorldbookProcessor,
    InjectionAssembler,
    ContinuedReply,
    KnowledgeProcessor,
    VariableProcessor,
    BreakMarkup,
    TokenLimiter,
    MergeSystem,
    MergeConsecutive,
    ConvertSystem,
    EnsureAlternating,
    RequestGate,
    AssetResolver,
)

__all__ = [
    "STEPS",
    "AssetResolver",
    "AsyncTaskProcessor",
    "BreakMarkup",
    "ContinuedReply",
    "ConvertSystem",
    "EnsureAlternating",
    "InjectionAssembler",
    "KnowledgeProcessor",
    "MergeConsecutive",
    "MergeSystem",
    "RegexProcessor",
    "RequestGate",
    "SessionLoader",
    "TokenLimiter",
    "TranscriptionProcessor",
    "VariableProcessor",
    "WorldbookProcessor",
    "default_pipeline",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)


def default_pipeline() -> Pipeline:
    """The built-in steps, and those that installed packages bring; a run notes which of those can't be used."""
    return _with_plugins(plugin_processors(tuple(step.id for step in STEPS)), strategies())


@lru_cache(maxsize=1)
def _with_plugins(brought: PluginSteps, known: Strategies) -> Pipeline:
    problems = [Note("warning", problem, TokenLimiter.id, {"group": GROUP}) for problem in known.problems]
    return Pipeline.of([*STEPS, *brought.steps], notes=(*brought.notes, *problems))
