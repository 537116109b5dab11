"""Facts of values are worked out once, and go with their values."""

import pickle

from ctxlab.documents import MessageNode
from ctxlab.documents.kept_facts import KeptFacts


def test_a_fact_is_worked_out_once_for_each_value_and_not_for_its_equals() -> None:
    asked: list[str] = []
    facts = KeptFacts[MessageNode, str](lambda node: asked.append(node.id) or node.content.upper())
    first, twin = MessageNode(id="a", content="lamp"), MessageNode(id="a", content="lamp")

    found = facts.of_all([first, twin, first])

    assert found == ["LAMP", "LAMP", "LAMP"]
    assert asked == ["a", "a"]
    assert facts.of(first) is found[0]


def test_a_changed_copy_has_a_fact_of_its_own() -> None:
    facts = KeptFacts[MessageNode, str](lambda node: node.content)
    node = MessageNode(id="a", content="lamp")

    assert facts.of(node) == "lamp"
    assert facts.of(node.with_(content="tower")) == "tower"


def test_facts_go_with_their_values_and_are_in_no_pickle() -> None:
    facts = KeptFacts[MessageNode, str](lambda node: "a fact of it")
    nodes = [MessageNode(id=str(number)) for number in range(10)]
    facts.of_all(nodes)

    assert len(facts) == 10
    assert b"a fact of it" not in pickle.dumps(nodes)

    nodes = nodes[:3]

    assert len(facts) == 3
