"""The mask of what is recorded, as `ctxlab.secrets` has it."""

from ctxlab.secrets import SecretMask, secrets_of_environment, secrets_of_request

__all__ = ["SecretMask", "secrets_of_environment", "secrets_of_request"]
