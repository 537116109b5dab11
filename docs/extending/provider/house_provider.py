"""A server in the house that takes OpenAI's form, at an address and with a header of its own."""

from dataclasses import replace

from ctxlab.providers.openai_chat import COMPATIBLE


def house_key(key: str) -> dict[str, str]:
    """The header in which the server takes a key."""
    return {"X-House-Key": key}


HOUSE = replace(
    COMPATIBLE,
    name="house",
    title="House",
    base_url="http://localhost:9000/v1",
    default_model="house-small",
    auth=house_key,
)
