from ctxlab.engines.chat_templates.rendered_text import LostText as LostText
from ctxlab.engines.chat_templates.rendered_text import RenderedText as RenderedText
from ctxlab.engines.chat_templates.rendered_text import Stretch as Stretch
from ctxlab.engines.chat_templates.template import JinjaTemplate as JinjaTemplate
