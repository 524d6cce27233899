"""One build of an organization at a time, in whatever process, from its first step to its record."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state import build_lock

HOLDING = """
import sys
from orchestration.deployment import Deployment
from orchestration.state import build_lock
with build_lock.held(Deployment(), sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def another_process(organization_id: str = LOCAL_ORGANIZATION) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the lock until it gets a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, organization_id],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def test_a_build_waits_for_another_process_and_says_so_once(deployment: Deployment) -> None:
    told: list[str] = []
    with another_process() as other:
        assert other.stdin is not None
        threading.Timer(0.5, lambda: print(file=other.stdin, flush=True)).start()
        with build_lock.held(deployment, LOCAL_ORGANIZATION, lambda: told.append("waits")) as has_waited:
            assert has_waited
            assert other.wait(10) == 0
    assert told == ["waits"]


def test_nobody_waits_for_a_killed_process_or_for_another_organization(deployment: Deployment) -> None:
    with another_process("0190d3b0-0000-7000-8000-000000000002"):
        assert not build_lock.is_taken(deployment, LOCAL_ORGANIZATION)
    with another_process() as other:
        assert build_lock.is_taken(deployment, LOCAL_ORGANIZATION)
        other.kill()
        other.wait()
        assert not build_lock.is_taken(deployment, LOCAL_ORGANIZATION)
        with build_lock.held(deployment, LOCAL_ORGANIZATION) as has_waited:
            assert not has_waited


def test_the_steps_of_a_run_take_the_lock_of_their_run(deployment: Deployment) -> None:
    with build_lock.held(deployment, LOCAL_ORGANIZATION):
        with build_lock.held(deployment, LOCAL_ORGANIZATION) as has_waited:
            assert not has_waited
        assert build_lock.is_taken(deployment, LOCAL_ORGANIZATION), "only the run gives it back"
    assert not build_lock.is_taken(deployment, LOCAL_ORGANIZATION)


def test_an_examination_is_refused_during_a_build_and_lets_no_build_start(deployment: Deployment) -> None:
    with (
        build_lock.held(deployment, LOCAL_ORGANIZATION),
        build_lock.kept_free(deployment, LOCAL_ORGANIZATION) as is_free,
    ):
        assert not is_free
    began = threading.Event()

    def build() -> None:
        with build_lock.held(deployment, LOCAL_ORGANIZATION):
            began.set()

    with build_lock.kept_free(deployment, LOCAL_ORGANIZATION) as is_free:
        assert is_free
        with build_lock.kept_free(deployment, LOCAL_ORGANIZATION) as is_free_for_another:
            assert is_free_for_another
        builder = threading.Thread(target=build)
        builder.start()
        assert not began.wait(0.3)
    assert began.wait(10)
    builder.join()
