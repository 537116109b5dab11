from ctxlab.providers.openai_chat.provider import COMPATIBLE as COMPATIBLE
from ctxlab.providers.openai_chat.provider import DEEPSEEK as DEEPSEEK
from ctxlab.providers.openai_chat.provider import OPENAI as OPENAI
