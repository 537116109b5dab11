"""The ways in which a model is asked to think."""

from typing import Literal

ThinkingMode = Literal["off", "on", "budget", "effort", "adaptive"]
Effort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
