"""`eas worker`, and what `eas doctor` says about the queue of runs."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest
from typer.testing import CliRunner

from orchestration.cli import app
from orchestration.deployment import Deployment
from orchestration.doctor import machine
from orchestration.workers import run_queue
from orchestration.workers.run_queue import QueueUnreachable


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())
    monkeypatch.setenv(run_queue.ADDRESS, "redis://queue.example")


def unreachable() -> NoReturn:
    raise QueueUnreachable("it does not answer; start it")


def test_a_worker_without_a_queue_says_which_setting_names_it(deployment: Deployment) -> None:
    answer = CliRunner().invoke(app, ["worker"])
    assert answer.exit_code == 2
    assert "EAS_RUN_QUEUE is not set: set it to the Redis" in answer.output


@pytest.mark.usefixtures("queue")
def test_the_command_becomes_a_worker_of_this_deployment(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(
        os, "execve", lambda _, arguments, environment: started.append((arguments, environment))
    )
    monkeypatch.setattr(os, "chdir", lambda _: None)
    CliRunner().invoke(app, ["worker", "--runs", "3"])
    [(arguments, environment)] = started
    assert arguments[arguments.index("--concurrency") + 1] == "3"
    assert environment["DAGSTER_HOME"] == str(deployment.settings.dagster_dir)
    assert environment["EAS_DATA_DIR"] == str(deployment.settings.data_dir)


@pytest.mark.usefixtures("queue")
@pytest.mark.parametrize(
    ("count", "passed", "detail"),
    [
        (lambda: 2, True, "2 workers take runs"),
        (lambda: 1, True, "1 worker takes runs"),
        (lambda: 0, None, "no worker takes runs; start `eas worker` on this machine"),
        (unreachable, False, "it does not answer; start it"),
    ],
    ids=["two", "one", "none", "unreachable"],
)
def test_the_doctor_tells_the_workers(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch, count: object, passed: bool | None, detail: str
) -> None:
    monkeypatch.setattr(run_queue, "count_workers", count)
    [finding] = machine.run_queue_of_workers(deployment)
    assert (finding.passed, finding.detail) == (passed, detail)


def test_the_doctor_says_nothing_without_a_queue(deployment: Deployment) -> None:
    assert list(machine.run_queue_of_workers(deployment)) == []
