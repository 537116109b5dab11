"""SWE-agent trajectories."""

from typing import Any

from ctxlab.formats import read_data


def run(**fields: Any) -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
    return {
        "history": [
            {"role": "system", "content": "You program.", "agent": "main", "message_type": "system_prompt"},
            {"role": "user", "content": "a demo", "is_demo": True, "agent": "main"},
            {"role": "assistant", "content": "I look.", "thought": "I look.", "action": "ls", "tool_calls": [call]},
            {"role": "tool", "content": [{"type": "text", "text": "main.py"}], "tool_call_ids": ["c"]},
        ],
        **fields,
    }


def test_the_history_is_the_session_and_its_facts_are_kept() -> None:
    found = read_data(run(environment="swe", info={"exit_status": "submitted"}), source="runs/one.traj")

    session = found.pick()
    assert (found.format, session.id, found.losses) == ("swe-agent", "one", ())
    assert session.check() == ()
    assert [n.content for n in session.path()[1:]] == ["a demo", "I look.", "main.py"]
    assert session["m1"].meta("sweAgent") == {"is_demo": True, "agent": "main"}
    assert session["m2"].meta("sweAgent") == {"thought": "I look.", "action": "ls"}
    assert session["m3"].result_of == session["m2"].tool_calls[0].id
    assert session.to_data()["sweAgent"] == {"environment": "swe", "info": {"exit_status": "submitted"}}
    assert found.agents[0].preset_messages[0].content == "You program."


def test_observations_outside_the_history_are_counted() -> None:
    steps = [{"action": "ls", "observation": "main.py\n"}, {"action": "submit", "observation": "the patch"}]

    found = read_data(run(trajectory=steps))

    assert [str(loss) for loss in found.losses] == [
        "trajectory: 1 of 2 observations are in no message of the history; left out"
    ]


def test_an_answer_to_two_calls_is_linked_to_the_first() -> None:
    data = run()
    data["history"][3]["tool_call_ids"] = ["c", "d"]

    found = read_data(data)

    assert found.pick()["m3"].result_of == "c"
    assert found.pick()["m3"].meta("sweAgent") == {"tool_call_ids": ["c", "d"]}
    assert [loss.place for loss in found.losses] == ["history[3]"]


def test_several_agents_keep_their_order() -> None:
    data = run()
    data["history"] += [{"role": "system", "content": "You review.", "agent": "critic"}]

    session = read_data(data).pick()

    assert [n.role for n in session.path()[1:]] == ["user", "assistant", "tool", "system"]
