"""Models that people run themselves: their files read into a value."""

from ctxlab.local_models.local_model import LocalModel, ModelFact
from ctxlab.local_models.read_local_model import local_model

__all__ = ["LocalModel", "ModelFact", "local_model"]
