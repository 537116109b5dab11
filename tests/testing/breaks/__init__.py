"""Ways of breaking a body that a vendor takes, one at least for every rule that it has."""

from tests.testing.breaks.anthropic import OF_ANTHROPIC
from tests.testing.breaks.chat import OF_COMPATIBLE, OF_DEEPSEEK, OF_OPENAI
from tests.testing.breaks.gemini import OF_GEMINI
from tests.testing.breaks.responses import OF_RESPONSES

BREAKS = (*OF_ANTHROPIC, *OF_OPENAI, *OF_COMPATIBLE, *OF_DEEPSEEK, *OF_RESPONSES, *OF_GEMINI)
