"""File formats, in and out; what a file can't give or hold is named in losses.

A file's content says what it is, not its name. A format is one `Format`: one file here and its line in
`known_formats.py`, or an entry point in the group `ctxlab.formats` of another package.
"""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
