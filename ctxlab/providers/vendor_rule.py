"""Rules of vendors: what a vendor refuses, since when that is known, and where it says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class VendorRule:
    """One rule of a vendor. `id` is what a problem names, `says` a sentence, `source` the page or a recorded reply."""

    id: str
    vendor: str
    says: str
    as_of: str
    source: str
