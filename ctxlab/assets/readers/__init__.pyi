from ctxlab.assets.readers.limits import ReadLimits as ReadLimits
from ctxlab.assets.readers.registry import READER_ENGINES as READER_ENGINES
from ctxlab.assets.readers.registry import has_reader as has_reader
from ctxlab.assets.readers.registry import read_text as read_text
