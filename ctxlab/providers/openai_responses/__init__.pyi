from ctxlab.providers.openai_responses.provider import RESPONSES as RESPONSES
