"""Compressions that other programs made of their conversations, and what each of them kept."""

from ctxlab.recordings.compressions.recorded_compression import RecordedCompression, RecordedCompressions
from ctxlab.recordings.compressions.rule_breaches import RuleBreach
from ctxlab.recordings.compressions.rule_repeats import RuleRepeat

__all__ = ["RecordedCompression", "RecordedCompressions", "RuleBreach", "RuleRepeat"]
