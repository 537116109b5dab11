"""Models that people run themselves: their files read into a value."""

from ctxlab.local_models.local_model import LocalModel, ModelFact

__all__ = ["LocalModel", "ModelFact"]
