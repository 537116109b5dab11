"""The text of files: one file a type, behind one registry. Nothing is imported before a file of its type is read."""

from ctxlab.assets.readers.limits import ReadLimits
from ctxlab.assets.readers.registry import READER_ENGINES, has_reader, read_text

__all__ = ["READER_ENGINES", "ReadLimits", "has_reader", "read_text"]
