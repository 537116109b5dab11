"""The rules that come with ctxlab, a few to a file."""

from typing import Final

from ctxlab.recordings.findings.finding_rule import FindingRule
from ctxlab.recordings.findings.rules import (
    built,
    prefix,
    repetition,
    replies,
    results,
    safety,
    sizes,
    structure,
    tools,
    unused_results,
)

RULES: Final[tuple[FindingRule, ...]] = (
    safety.secret,
    safety.instructions_in_result,
    safety.hidden_characters,
    structure.orphan_result,
    structure.unanswered_call,
    structure.summary_of_summary,
    replies.request_failed,
    replies.reply_cut,
    replies.same_request_again,
    prefix.moving_prefix,
    prefix.no_cache_marks,
    prefix.too_many_cache_marks,
    prefix.model_changed,
    tools.unused_tools,
    tools.similar_tools,
    tools.tools_changed,
    tools.unoffered_tool,
    repetition.text_twice,
    repetition.reminder_repeated,
    results.file_read_again,
    results.old_file_version,
    results.same_result_again,
    results.failed_call_again,
    results.empty_results,
    results.result_cut,
    unused_results.unused_result,
    sizes.results_fill_context,
    sizes.window_nearly_full,
    sizes.encoded_bytes,
    sizes.reasoning_carried,
    sizes.picture_unasked,
    built.lore_never_fires,
    built.lore_always_fires,
    built.lore_over_budget,
    built.presets_contradict,
    built.messages_cut,
    built.unsent_file,
    built.unresolved_macro,
)
"""All of them, by what they speak of."""
