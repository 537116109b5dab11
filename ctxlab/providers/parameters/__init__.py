"""Parameters of requests: read from agent, session and call, then settled for one model."""

from ctxlab.providers.parameters.settled import Settled, parameters_of

__all__ = ["Settled", "parameters_of"]
