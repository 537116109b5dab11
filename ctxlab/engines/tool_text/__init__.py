"""Tools in the text of messages: how a model is told of them, and the calls that it writes."""

from ctxlab.engines.tool_text.calls import TextCall, calls_in_text, reason_it_is_broken, without_calls
from ctxlab.engines.tool_text.instructions import definitions_text, usage_text

__all__ = ["TextCall", "calls_in_text", "definitions_text", "reason_it_is_broken", "usage_text", "without_calls"]
