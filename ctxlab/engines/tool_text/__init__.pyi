from ctxlab.engines.tool_text.calls import TextCall as TextCall
from ctxlab.engines.tool_text.calls import calls_in_text as calls_in_text
from ctxlab.engines.tool_text.calls import reason_it_is_broken as reason_it_is_broken
from ctxlab.engines.tool_text.calls import without_calls as without_calls
from ctxlab.engines.tool_text.instructions import definitions_text as definitions_text
from ctxlab.engines.tool_text.instructions import usage_text as usage_text
