"""A place for presets, named `weather`: a preset of this type marks it, others go before or after it."""

from ctxlab.processors.injection.read_preset_placement import Anchor

WEATHER = Anchor("weather", "Weather", has_template=True)
