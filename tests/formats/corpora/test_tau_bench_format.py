"""tau-bench runs."""

from typing import Any

from ctxlab.formats import read_data


def run(task: int, *, trial: int = 0, policy: str = "Be fair.") -> dict[str, Any]:
    call = {"id": "c", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    return {
        "task_id": task,
        "reward": 1.0,
        "info": {"source": "user"},
        "trial": trial,
        "traj": [
            {"role": "system", "content": policy},
            {"role": "user", "content": "Help"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "name": "find", "content": "[]"},
        ],
    }


def test_each_run_is_a_session_and_a_shared_policy_one_agent() -> None:
    found = read_data([run(0), run(1), run(1, trial=2)])

    assert found.format == "tau-bench"
    assert [s.id for s in found.sessions] == ["task-0-trial-0", "task-1-trial-0", "task-1-trial-2"]
    assert [a.preset_messages[0].content for a in found.agents] == ["Be fair."]
    assert found.pick("task-0-trial-0")["m3"].result_of == "c"


def test_reward_and_info_are_kept() -> None:
    kept = read_data([run(4)]).pick().to_data()["tauBench"]

    assert kept == {"task_id": 4, "reward": 1.0, "info": {"source": "user"}, "trial": 0}


def test_different_policies_are_different_agents() -> None:
    found = read_data([run(0), run(1, policy="Be quick.")])

    assert [s.root and s.root.agent_id for s in found.sessions] == [a.id for a in found.agents]
    assert len(found.agents) == 2


def test_what_is_no_run_is_left_out_with_its_place() -> None:
    found = read_data([run(0), run(0), {"task_id": 2}])

    assert [str(loss) for loss in found.losses] == [
        "[1]: run 'task-0-trial-0' is there twice; this one is 'task-0-trial-0~2' now",
        "[2]: no run with a trajectory; it is left out",
    ]
