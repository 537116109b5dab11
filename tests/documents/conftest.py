"""A conversation with a fork: two answers to one question, each with something below it."""

import pytest

from ctxlab.documents import Session


@pytest.fixture
def forked() -> Session:
    """root > q > (a1 > u1 > b1) and (a2 > u2 > b2, b3); b1 is looked at, nothing else was."""
    roles = {"r": "system", "q": "user", "a": "assistant", "u": "user", "b": "assistant"}
    parents = {
        "root": None,
        "q": "root",
        "a1": "q",
        "u1": "a1",
        "b1": "u1",
        "a2": "q",
        "u2": "a2",
        "b2": "u2",
        "b3": "u2",
    }
    nodes = {
        key: {"id": key, "parentId": parent, "role": roles[key[0]], "content": f"text of {key}"}
        for key, parent in parents.items()
    }
    return Session.model_validate({"id": "s", "rootNodeId": "root", "activeLeafId": "b1", "nodes": nodes})
