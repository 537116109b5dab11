from ctxlab.providers.anthropic.provider import ANTHROPIC as ANTHROPIC
from ctxlab.providers.anthropic.provider import FILES_BETA as FILES_BETA
