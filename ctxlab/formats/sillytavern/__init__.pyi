from ctxlab.formats.sillytavern.cards.chat_texts import with_chat_texts as with_chat_texts
from ctxlab.formats.sillytavern.cards.combine_with_preset import joined as joined
from ctxlab.formats.sillytavern.cards.reader import Card as Card
from ctxlab.formats.sillytavern.cards.reader import card_from as card_from
from ctxlab.formats.sillytavern.presets.chat_completion import preset_from as preset_from
from ctxlab.formats.sillytavern.presets.text_completion import text_preset_from as text_preset_from
