"""A strict local server that speaks as the vendors do, and the rules by which it refuses."""

from ctxlab.public_names import listed
from ctxlab.testing.fake_server.refusal import VENDORS, Refusal, Rule, Vendor
from ctxlab.testing.fake_server.refusals import VendorRule, all_rules, refusals_of

__all__ = ["VENDORS", "Refusal", "Rule", "Vendor", "VendorRule", "all_rules", "refusals_of"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
