from ctxlab.providers.gemini.provider import GEMINI as GEMINI
