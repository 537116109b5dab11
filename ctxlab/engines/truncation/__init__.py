"""Which messages go when not all fit: units, a protocol, and the strategies."""

from ctxlab.engines.truncation.sliding import Sliding
from ctxlab.engines.truncation.strategy import Border, Strategy, Verdict, Window
from ctxlab.engines.truncation.units import Unit, newest_first

STRATEGIES: dict[str, type[Strategy]] = {Sliding.name: Sliding}

__all__ = ["STRATEGIES", "Border", "Sliding", "Strategy", "Unit", "Verdict", "Window", "newest_first"]
