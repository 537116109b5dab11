"""Several processes and dask give the bytes of one process, and what ends them is a sentence."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.studies.study import backends
from ctxlab.studies.study.backends import _Sent, rows_in_worker  # pyright: ignore[reportPrivateUsage]
from ctxlab.studies.study.batches import Batch, BatchStream
from tests.studies.study.samples import cases, many_cases, plan, run

pytest.importorskip("joblib")


def content(folder: Path) -> str:
    return sha256((folder / "cells.parquet").read_bytes()).hexdigest()


def killing(case: ctxlab.Case) -> ctxlab.Case:
    os.kill(os.getpid(), signal.SIGKILL)
    return case


def broken() -> Iterator[ctxlab.Case]:
    yield from cases()
    raise CtxlabError("the corpus ends in the middle")


@pytest.mark.slow
def test_two_processes_and_dask_give_the_bytes_of_one(tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    run(tmp_path / "one", source=many_cases)
    run(tmp_path / "two", source=many_cases, processes=2)
    run(tmp_path / "dask", source=many_cases, processes=2, backend="dask")

    assert content(tmp_path / "one") == content(tmp_path / "two") == content(tmp_path / "dask")


@pytest.mark.slow
def test_the_workers_of_a_scheduler_give_the_bytes_of_one_process(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    run(tmp_path / "one", source=many_cases)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        run(tmp_path / "there", source=many_cases, backend="dask", address=address)

        assert content(tmp_path / "there") == content(tmp_path / "one")


@pytest.mark.slow
def test_a_scheduler_without_workers_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(backends, "WAIT_SECONDS", 1)
    with (
        distributed.LocalCluster(n_workers=0, dashboard_address=None) as cluster,
        pytest.raises(CtxlabError, match=r"has no worker after 1 s; start some: dask worker tcp://"),
    ):
        run(backend="dask", address=cluster.scheduler_address)


@pytest.mark.slow
def test_an_error_of_the_cases_ends_every_backend(tmp_path: Path) -> None:
    for options in ({"processes": 2}, {"processes": 1, "backend": "dask"}):
        with pytest.raises(CtxlabError, match="the corpus ends in the middle"):
            run(tmp_path / str(options["processes"]), source=broken, **options)


@pytest.mark.slow
def test_a_process_that_is_killed_is_a_sentence_and_the_run_goes_on_after_it(tmp_path: Path) -> None:
    killer = ctxlab.Variant("killer", {}, change=killing)
    with pytest.raises(CtxlabError, match="a process of the study ended before its cells were built"):
        run(tmp_path / "a", processes=2, variants=[killer])

    run(tmp_path / "a", processes=2)
    run(tmp_path / "b")
    assert content(tmp_path / "a") == content(tmp_path / "b")


def test_questions_about_a_conversation_have_one_session_in_a_process() -> None:
    import pickle

    batches = list(_Sent(BatchStream(cases, plan(), (), size=1)))
    sessions = [case.session for data in batches for case, _ in pickle.loads(data).cases]

    assert len(batches) == 6
    assert sessions[0] is sessions[1] and sessions[2] is sessions[3] and sessions[1] is not sessions[2]
    assert [each.id for each in sessions] == [case.session.id for case in cases()]


def test_a_worker_with_other_code_is_refused() -> None:
    from dataclasses import replace

    import cloudpickle

    study = plan()
    batch = next(iter(BatchStream(cases, study, (), size=10)))
    rows = rows_in_worker(cloudpickle.dumps(study), cloudpickle.dumps(batch))

    assert isinstance(batch, Batch) and len(rows) == batch.cells == 12
    with pytest.raises(CtxlabError, match="has another version of ctxlab"):
        rows_in_worker(cloudpickle.dumps(replace(study, installed="other")), cloudpickle.dumps(batch))


@pytest.mark.parametrize(
    ("module", "options", "extra"),
    [("joblib", {"processes": 2}, "studies"), ("distributed", {"backend": "dask"}, "dask")],
)
def test_what_a_backend_needs_is_named(
    monkeypatch: pytest.MonkeyPatch, module: str, options: dict[str, Any], extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingExtra, match=rf"needs {module}.*pip install 'ctxlab\[{extra}\]'"):
        run(**options)
