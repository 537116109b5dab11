"""Secrets in texts, addresses, headers and fields: known by form or name, and masked before anything is cut.

Whatever shows or writes a text asks here: `masked` for a whole one, `masked_beginning` and `masked_stretch` for a part
of one, `MaskedPieces` for one that is coming, `masked_data` for JSON, `masked_url` for an address, `SecretMask` where
secrets are known besides.
"""

from ctxlab.secrets.find_secrets import FoundSecret, secrets_in
from ctxlab.secrets.known_secrets import KnownSecrets
from ctxlab.secrets.masked_pieces import MaskedPieces
from ctxlab.secrets.masked_texts import (
    HIDDEN,
    masked,
    masked_beginning,
    masked_data,
    masked_in_place,
    masked_stretch,
    masked_url,
)
from ctxlab.secrets.secret_fields import without_secret_fields, without_secret_fields_at
from ctxlab.secrets.secret_mask import SecretMask, secrets_of_environment, secrets_of_request
from ctxlab.secrets.secret_names import is_secret_field, is_secret_header, is_secret_parameter, is_secret_variable

__all__ = [
    "HIDDEN",
    "FoundSecret",
    "KnownSecrets",
    "MaskedPieces",
    "SecretMask",
    "is_secret_field",
    "is_secret_header",
    "is_secret_parameter",
    "is_secret_variable",
    "masked",
    "masked_beginning",
    "masked_data",
    "masked_in_place",
    "masked_stretch",
    "masked_url",
    "secrets_in",
    "secrets_of_environment",
    "secrets_of_request",
    "without_secret_fields",
    "without_secret_fields_at",
]
