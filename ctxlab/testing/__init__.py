"""For tests: fakes of what steps may ask, and conversations of any size."""

from ctxlab.testing.generator import generated_agent, generated_session

__all__ = ["generated_agent", "generated_session"]
