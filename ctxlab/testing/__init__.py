"""For tests: fakes of the services that steps call, conversations of any size, and a fake of the vendors' servers."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)  # pyright: ignore[reportUnsupportedDunderAll]
