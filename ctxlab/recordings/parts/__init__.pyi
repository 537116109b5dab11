from ctxlab.recordings.parts.context_parts import ContextParts as ContextParts
from ctxlab.recordings.parts.context_parts import TokenSums as TokenSums
from ctxlab.recordings.parts.context_parts import parts_of as parts_of
