"""Parameters of requests: read from agent, session and call, then settled for one model."""

from ctxlab.pipeline.parameters.forms import (
    GROUPS,
    AdvancedParameters,
    BasicParameters,
    ContextManagement,
    CustomParameters,
    ModelParameters,
    SafetyParameters,
    SafetySetting,
    ThinkingParameters,
    ToolParameters,
)
from ctxlab.pipeline.parameters.layers import Effective, ParameterLayer, effective, layer_of, merged
from ctxlab.providers.parameters.linked import linked
from ctxlab.providers.parameters.request_values import request_parameters
from ctxlab.providers.parameters.settled import Settled, normalised, parameters_of, thinks

__all__ = [
    "GROUPS",
    "AdvancedParameters",
    "BasicParameters",
    "ContextManagement",
    "CustomParameters",
    "Effective",
    "ModelParameters",
    "ParameterLayer",
    "SafetyParameters",
    "SafetySetting",
    "Settled",
    "ThinkingParameters",
    "ToolParameters",
    "effective",
    "layer_of",
    "linked",
    "merged",
    "normalised",
    "parameters_of",
    "request_parameters",
    "thinks",
]
