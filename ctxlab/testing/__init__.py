"""For tests: fakes of the services that steps call, and conversations of any size."""

from ctxlab.public_names import listed
from ctxlab.testing.generator import generated_agent, generated_session

__all__ = ["generated_agent", "generated_session"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
