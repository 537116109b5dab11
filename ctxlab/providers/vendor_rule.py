"""Rules of vendors as rows of a table: what is refused, by whom, and where that is written."""

from __future__ import annotations

from typing import Any

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class VendorRule:
    """A rule by which a vendor refuses a request, or takes it otherwise than it reads.

    `rule` is the id that problems name, `vendor` a provider's name. `as_of` is the month in which `source`, a page of
    the vendor's or an error that it gave, was last seen to say so.
    """

    rule: str
    vendor: str
    says: str
    as_of: str
    source: str

    def as_data(self) -> dict[str, Any]:
        return {
            "rule": self.rule,
            "vendor": self.vendor,
            "says": self.says,
            "asOf": self.as_of,
            "source": self.source,
        }
